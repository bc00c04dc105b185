// What only the chain's node knows of a wallet, and what is answered if it is silent.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FAKE_ASSETS } from '../../test/fakes/fake-market.ts';
import {
  createMarketScene,
  FAKE_MARKET_CHAIN,
  type Json,
  type MarketScene,
} from '../../test/market-scene.ts';
import { setUp } from '../../test/root-hooks.ts';
import type { HoldingsQuery } from '../chains/chain-nodes.ts';
import { isHoldersComplete } from './coverage.ts';
import type { MarketChain } from './market-parts.ts';

const NATIVE_RAW = 3n * 10n ** 18n;

let scene: MarketScene;
let isSilent = false;
/** The node does not know the last token. */
let isPartial = false;
/** The node says that wallets hold nothing. */
let isEmpty = false;
let asked: HoldingsQuery[] = [];

/** The index begins long after the tokens. */
setUp(async (t) => {
  const node: MarketChain = {
    ...FAKE_MARKET_CHAIN,
    readHoldings: async (query) => {
      asked.push(query);
      if (isSilent) throw new Error('no endpoint answers');
      const { balances } = scene.chain.worldAt(query.block.hash);
      const amountsRaw = query.tokens.map((token, index) =>
        isPartial && index === query.tokens.length - 1
          ? null
          : isEmpty
            ? 0n
            : (balances.get(token + query.owner) ?? 0n),
      );
      return { nativeRaw: NATIVE_RAW, amountsRaw };
    },
  };
  const options = { engine: 'sqlite', seed: 8, finalityDepth: 10, blocks: 120 } as const;
  scene = await createMarketScene(t, { ...options, startBlock: 108, node });
});

function listWallets(): string[] {
  const { balances } = scene.chain.worldAt(scene.chain.head.hash);
  return [...new Set([...balances.keys()].map((key) => key.slice(42)))];
}

async function askBalances(wallet: string): Promise<Json> {
  asked = [];
  return (await scene.ask('getWalletBalances', { chain: 'devnet', wallet })).json;
}

describe('a wallet whose tokens are older than the index', () => {
  test('is asked of the node, by one call for the block in asOf', async () => {
    const { balances } = scene.chain.worldAt(scene.chain.head.hash);
    let extras = 0;
    let zeros = 0;
    for (const wallet of listWallets()) {
      const json = await askBalances(wallet);
      assert.equal(asked.length, 1);
      assert.deepEqual(asked[0]?.block, { position: json.asOf.block, hash: json.asOf.blockHash });
      assert.equal(json.native.amountRaw, NATIVE_RAW.toString());
      assert.equal(json.coverage.tokensComplete, false);
      const shown = new Map<string, Json>(
        json.balances.map((one: Json) => [one.mint.toLowerCase(), one]),
      );
      assert.equal(shown.size, json.balances.length, 'each token once');
      for (const [mint, one] of shown) {
        assert.equal(one.amountRaw, (balances.get(mint + wallet) ?? 0n).toString(), mint);
        assert.notEqual(one.amountRaw, '0', 'what is not held is not listed');
      }
      zeros += asked[0].tokens.filter((mint) => (balances.get(mint + wallet) ?? 0n) === 0n).length;
      // Assets are asked for although the index has seen no transfer of them.
      const stored = await scene.store.market.readBalancesOfOwner('devnet', wallet as never, {
        ...{ after: null, limit: 100 },
      });
      const known = new Set<string>(stored.map(({ token }) => token));
      const assets = [...FAKE_ASSETS.stable, ...FAKE_ASSETS.native];
      for (const row of await scene.store.market.readTokens('devnet', assets)) {
        const asset = row.token;
        const held = balances.get(asset + wallet) ?? 0n;
        if (held === 0n || known.has(asset) || isHoldersComplete(row)) continue;
        assert.equal(shown.get(asset)?.source, 'node');
        extras += 1;
      }
    }
    assert.ok(extras > 0, 'some assets are known to the node alone');
    assert.ok(zeros > 0, 'some tokens that the node was asked for are not held');
  });

  test('is asked for tokens that it has traded and no list has', async () => {
    let traded = 0;
    for (const wallet of listWallets()) {
      const page = { after: null, limit: 100 };
      const { market } = scene.store;
      const positions = await market.readPositionsOfWallet('devnet', wallet as never, page);
      const rows = await market.readTokens(
        'devnet',
        positions.map(({ token }) => token),
      );
      asked = [];
      await scene.ask('getWalletBalances', { chain: 'devnet', wallet, limit: 99 });
      for (const row of rows) {
        if (row.token === FAKE_ASSETS.coin || isHoldersComplete(row)) continue;
        assert.ok(asked[0]?.tokens.includes(row.token), row.token);
        traded += 1;
      }
    }
    assert.ok(traded > 0);
  });

  test('has no total if the node does not know the amount of one token', async () => {
    isPartial = true;
    try {
      let unknown = 0;
      for (const wallet of listWallets()) {
        asked = [];
        const input = { chain: 'devnet', wallet, limit: 98 };
        const { json } = await scene.ask('getWalletBalances', input);
        if (asked[0]?.tokens.length === 0) continue;
        assert.deepEqual([json.coverage.node, json.totalUsd], ['answered', null]);
        unknown += 1;
      }
      assert.ok(unknown > 0);
    } finally {
      isPartial = false;
    }
  });

  test('lists nothing that the node says is gone, whatever the index has seen of it', async () => {
    isEmpty = true;
    try {
      let gone = 0;
      for (const wallet of listWallets()) {
        const input = { chain: 'devnet', wallet, limit: 97 };
        const { json } = await scene.ask('getWalletBalances', input);
        const sources = new Set(json.balances.map(({ source }: Json) => source));
        assert.ok(!sources.has('node'), JSON.stringify(json.balances));
        const stored = await scene.store.market.readBalancesOfOwner('devnet', wallet as never, {
          ...{ after: null, limit: 100 },
        });
        gone += stored.length - json.balances.length;
      }
      assert.ok(gone > 0);
    } finally {
      isEmpty = false;
    }
  });

  test('positions have the amounts of the node and are incomplete', async () => {
    const { balances } = scene.chain.worldAt(scene.chain.head.hash);
    let count = 0;
    for (const wallet of listWallets()) {
      const { json } = await scene.ask('getWalletPositions', { chain: 'devnet', wallet });
      for (const { mint, amountRaw, complete } of json.positions) {
        const token = mint.toLowerCase();
        if (token === FAKE_ASSETS.coin || complete) continue;
        assert.equal(amountRaw, (balances.get(token + wallet) ?? 0n).toString());
        count += 1;
      }
    }
    assert.ok(count > 0);
  });

  test('has unknown amounts while the node is silent, and says so', async () => {
    isSilent = true;
    scene.chain.extend(1);
    await scene.settle();
    try {
      let unknown = 0;
      for (const wallet of listWallets()) {
        const json = await askBalances(wallet);
        assert.equal(json.coverage.node, 'unavailable');
        assert.deepEqual([json.native.amountRaw, json.totalUsd], [null, null]);
        for (const { source, amountRaw, valueUsd } of json.balances) {
          if (source === 'index') continue;
          assert.deepEqual([amountRaw, valueUsd], [null, null]);
          unknown += 1;
        }
      }
      assert.ok(unknown > 0);
      isSilent = false;
      const [wallet] = listWallets();
      const json = await askBalances(wallet!);
      assert.equal(json.coverage.node, 'answered', 'what was unknown is not kept');
      await askBalances(wallet!);
      assert.equal(asked.length, 0, 'what is known is kept');
    } finally {
      isSilent = false;
    }
  });
});
