// Slots of the past from a Portal on loopback: the rows are those of the nodes, whatever the Portal
// gets wrong, and what is wrong ends its use.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { afterEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSqlitePlace, type StorePlace } from '../../../../test/conformance/store-place.ts';
import { readIndex } from '../../../../test/fakes/indexed-chain.ts';
import { ManualClock } from '../../../../test/fakes/manual-clock.ts';
import { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import { startMisbehavingRpc } from '../../../../test/fakes/misbehaving-rpc.ts';
import { type FakeSolanaPortal, startSolanaPortal } from '../../../../test/fakes/solana-portal.ts';
import {
  buildCpmmSwap,
  QUOTE,
  setPool,
  toSwapSignature,
} from '../../../../test/fakes/solana-scene.ts';
import type { PortalLine } from '../../../../test/fakes/to-portal-block.ts';
import { Indexer } from '../../../ingest/follow/indexer.ts';
import type { BlockEvents } from '../../../model/block-events.ts';
import { createSolanaAdapter } from '../create-solana-adapter.ts';
import type { RawTokenBalance, RawTransaction } from '../data/raw-transaction.ts';
import { SYSTEM_PROGRAM } from '../data/solana-ids.ts';

const START = 100;
const BLOCKS = 40;

const ASSETS = {
  ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
  ...{ native: new Set([QUOTE, SYSTEM_PROGRAM]), stable: new Set<never>(), anchorPools: [] },
};

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** As a node has it of the swap's three calls. */
function buildLog({ transaction, meta }: RawTransaction): string[] {
  const { accountKeys, instructions } = transaction.message;
  const nameOf = ({ programIdIndex }: { programIdIndex: number }) => accountKeys[programIdIndex];
  const [outer = ''] = instructions.map(nameOf);
  const inner = (meta?.innerInstructions ?? []).flatMap((group) => group.instructions.map(nameOf));
  return [
    `Program ${outer} invoke [1]`,
    ...inner.flatMap((name) => [`Program ${name} invoke [2]`, `Program ${name} success`]),
    `Program ${outer} success`,
  ];
}

/** Each swap goes on from the balances that the one before left. */
class Ledger {
  readonly #held = new Map<number, bigint>();

  carry(raw: RawTransaction): RawTransaction {
    const { meta } = raw;
    const [pre, post] = [meta?.preTokenBalances ?? [], meta?.postTokenBalances ?? []];
    const write = (row: RawTokenBalance, amount: bigint): RawTokenBalance => ({
      ...{ ...row, programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
      uiTokenAmount: { amount: String(amount), decimals: 6 },
    });
    const before = pre.map((row) =>
      write(row, this.#held.get(row.accountIndex) ?? BigInt(row.uiTokenAmount.amount)),
    );
    const after = post.map((row, at) => {
      const change = BigInt(row.uiTokenAmount.amount) - BigInt(pre[at]?.uiTokenAmount.amount ?? 0);
      const amount = BigInt(before[at]?.uiTokenAmount.amount ?? 0) + change;
      this.#held.set(row.accountIndex, amount);
      return write(row, amount);
    });
    const balances = { preTokenBalances: before, postTokenBalances: after };
    const logMessages = buildLog(raw);
    return { ...raw, meta: { ...meta, err: meta?.err ?? null, fee: 0, logMessages, ...balances } };
  }
}

function buildChain(blockCount = BLOCKS): MemorySolana {
  const chain = new MemorySolana();
  const ledger = new Ledger();
  setPool(chain, 50_000_000n, 50_000_000n);
  chain.add(START - 1);
  let id = 0;
  let slot = START;
  for (let count = 0; count < blockCount; count += 1) {
    const transactions = Array.from({ length: count % 3 }, () => {
      id += 1;
      const amountIn = BigInt(1000 + id);
      return ledger.carry(buildCpmmSwap({ id, amountIn, amountOut: amountIn / 2n }));
    });
    chain.add(slot, { transactions, blockTime: count % 7 === 5 ? null : slot });
    // Some slots have no block.
    slot += count % 5 === 4 ? 3 : 1;
  }
  chain.finalized = chain.head;
  return chain;
}

interface Scene {
  readonly chain: MemorySolana;
  readonly portal: FakeSolanaPortal;
  readonly clock: ManualClock;
  /** The methods that the node was asked. */
  readonly asked: string[];
  /** All events of the range, and how many readings came from the Portal. */
  read(): Promise<{ blocks: readonly BlockEvents[]; archived: number; limitations: string[] }>;
}

async function openScene(samplePct = 100, hasArchive = true, chain = buildChain()): Promise<Scene> {
  const asked: string[] = [];
  const node = await startMisbehavingRpc((method, params) => {
    const { transactionDetails = '' } = (params.at(-1) ?? {}) as { transactionDetails?: string };
    asked.push(`${method} ${transactionDetails}`.trim());
    return chain.answer(method, params);
  });
  const portal = await startSolanaPortal(chain);
  const clock = new ManualClock();
  const adapter = createSolanaAdapter({
    ...{ chain: 'devnet', genesis: chain.genesis, endpoints: [node.url] },
    ...{ clock, random: () => 0.5, knownPools: async () => [] },
    sleep: async (ms) => clock.advance(ms),
    archives: { places: hasArchive ? [{ kind: 'portal', place: portal.url }] : [], samplePct },
    assets: ASSETS,
  });
  cleanups.push(
    () => node.stop(),
    () => portal.stop(),
    () => adapter.close(),
  );
  const read = async () => {
    const blocks: BlockEvents[] = [];
    let archived = 0;
    for (let fromBlock = START; fromBlock <= chain.head; ) {
      const range = { fromBlock, toBlock: chain.head, linked: false, eventCountMax: 20 };
      const reading = await adapter.readBlocks(range);
      assert.ok(reading.toBlock >= fromBlock);
      if (reading.archive !== undefined) {
        archived += 1;
        assert.deepEqual(reading.archive, { source: '127.0.0.1', isProved: false });
        assert.equal(reading.last?.hash, chain.blocks.get(reading.toBlock)?.blockhash);
      }
      blocks.push(...reading.blocks);
      fromBlock = reading.toBlock + 1;
    }
    return { blocks, archived, limitations: [...adapter.status().limitations] };
  };
  return { chain, portal, clock, asked, read };
}

/** Without what a pool makes of a trade, which is a function nowhere here. */
function toText(blocks: readonly BlockEvents[]): string {
  // A pool is described once in each reading, and readings end elsewhere.
  const events = blocks.map(({ header, events: all }) => ({
    header,
    events: all.filter(({ kind }) => kind !== 'poolCreated'),
  }));
  const text = JSON.stringify(events, (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return `${blocks.length} ${hash('sha256', text)}`;
}

async function readByNodes(): Promise<string> {
  return toText((await (await openScene(100, false)).read()).blocks);
}

/** All rows of an index from `START` to the head. */
async function indexAll(chain: MemorySolana, archive: string | null) {
  const place = await createSqlitePlace();
  const { market, close } = await openStore(place);
  const asked: string[] = [];
  const node = await startMisbehavingRpc((method, params) => {
    const { transactionDetails = '' } = (params.at(-1) ?? {}) as { transactionDetails?: string };
    asked.push(`${method} ${transactionDetails}`.trim());
    return chain.answer(method, params);
  });
  const clock = new ManualClock();
  const sleep = async (ms: number, signal?: AbortSignal) => {
    clock.advance(ms);
    await setImmediate();
    signal?.throwIfAborted();
  };
  const adapter = createSolanaAdapter({
    ...{ chain: 'devnet', genesis: chain.genesis, endpoints: [node.url] },
    ...{ clock, random: () => 0.5, sleep },
    knownPools: (pools) => market.readPools('devnet', pools),
    archives: {
      ...{ places: archive === null ? [] : [{ kind: 'portal', place: archive }], samplePct: 2 },
    },
    assets: ASSETS,
  });
  const log = { info: () => undefined, warn: () => undefined };
  const indexer = new Indexer({
    ...{ adapter, store: market, startBlock: START, pollIntervalMs: 400, clock, sleep, log },
    ...{ sizes: { blockCountMax: 50, eventCountMax: 50 }, backoff: { baseMs: 100, maxMs: 1000 } },
    ...{ failureCountMax: 5, stallAfterMs: 60_000, headStallAfterMs: null, random: () => 0.5 },
    onCommitted: () => undefined,
  });
  cleanups.push(() => node.stop(), close);
  indexer.start();
  const head = chain.blocks.get(chain.head)?.blockhash;
  const endAtMs = Date.now() + 60_000;
  while ((await market.readCheckpoint('devnet'))?.blockHash !== head) {
    assert.ok(Date.now() < endAtMs, 'the index did not reach the head');
    await setImmediate();
  }
  await indexer.stop();
  await adapter.close();
  const { tokens, checkpoint, ...rows } = await readIndex(market);
  const counts = tokens.map(({ token, holders, tradeCount, balanceSumRaw }) => ({
    ...{ token, holders, tradeCount, balanceSumRaw },
  }));
  const whole = asked.filter((call) => call === 'getBlock full').length;
  return { rows: { ...rows, counts, hash: checkpoint?.blockHash }, whole };
}

async function openStore(place: StorePlace) {
  const store = await place.open();
  const close = async () => {
    await store.close();
    await place.remove();
  };
  return { market: store.market, close };
}

it('an index from the past through a Portal equals one by nodes, which take over near the head', async () => {
  const chain = buildChain(420);
  chain.finalized = [...chain.blocks.keys()].at(-30) ?? assert.fail();
  const portal = await startSolanaPortal(chain);
  cleanups.push(() => portal.stop());
  const archived = await indexAll(chain, portal.url);
  const byNodes = await indexAll(chain, null);
  assert.deepEqual(archived.rows, byNodes.rows);
  assert.ok(archived.rows.trades.length > 300);
  assert.equal(byNodes.whole >= 420, true);
  assert.ok(archived.whole >= 29 && archived.whole < 60, `${archived.whole} whole blocks`);
});

describe('slots from a Portal', () => {
  it('give the rows of the nodes, without a whole block of theirs', async () => {
    const scene = await openScene(2);
    const { blocks, archived, limitations } = await scene.read();
    assert.equal(toText(blocks), await readByNodes());
    assert.ok(archived > 1);
    assert.deepEqual(limitations, []);
    assert.equal(scene.asked.filter((call) => call === 'getBlock full').length, 0);
    assert.ok(scene.asked.includes('getTransaction'));
  });

  it('have the log from the node where the Portal has none', async () => {
    const scene = await openScene(2);
    scene.portal.behave(() => ({
      change: (lines) => {
        for (const line of lines) {
          for (const row of line.transactions ?? []) row['hasDroppedLogMessages'] = true;
        }
        return lines;
      },
    }));
    const { blocks, limitations } = await scene.read();
    assert.equal(toText(blocks), await readByNodes());
    assert.deepEqual(limitations, []);
    const swaps = [...scene.chain.blocks.values()].flatMap(({ transactions }) => transactions);
    const calls = scene.asked.filter((call) => call === 'getTransaction');
    // And those that are compared.
    assert.ok(calls.length >= swaps.length, `${calls.length} of ${swaps.length}`);
  });

  const FAULTS: readonly [string, Parameters<FakeSolanaPortal['behave']>[0]][] = [
    ['429', () => ({ status: 429 })],
    ['529', () => ({ status: 529 })],
    ['500', () => ({ status: 500 })],
    ['403', () => ({ status: 403 })],
    ['400', () => ({ status: 400 })],
    ['204 for ever', () => ({ status: 204 })],
    ['a stream cut at its start', () => ({ cutAt: 5 })],
    ['a stream cut in the middle', ({ fromBlock }) => (fromBlock > START ? { cutAt: 300 } : null)],
  ];
  for (const [name, behaviour] of FAULTS) {
    it(`are the node's after ${name}`, async () => {
      const scene = await openScene();
      scene.portal.behave(behaviour);
      const { blocks, limitations } = await scene.read();
      assert.equal(toText(blocks), await readByNodes());
      // One that only lacks the blocks is not named.
      assert.ok(limitations.every((text) => text.startsWith('archive 127.0.0.1 is paused: ')));
      assert.ok(scene.asked.includes('getBlock full'));
    });
  }

  const bump = (value: unknown) => String(BigInt(String(value)) + 1n);
  const withSwaps = (lines: PortalLine[]) =>
    lines.find(({ tokenBalances = [] }) => tokenBalances.length > 0) ?? assert.fail();
  const LIES: readonly [string, RegExp, (lines: PortalLine[]) => PortalLine[]][] = [
    [
      'one digit of a balance',
      /do not add up/,
      (lines) => {
        const row = (withSwaps(lines).tokenBalances ?? []).find(({ preMint }) => preMint !== QUOTE);
        Object.assign(row ?? {}, { postAmount: bump(row?.['postAmount']) });
        return lines;
      },
    ],
    [
      'a trade without its balances',
      /does not go on|the node has otherwise/,
      (lines) => {
        for (const row of withSwaps(lines).tokenBalances ?? []) {
          Object.assign(row, { postAmount: row['preAmount'] });
        }
        return lines;
      },
    ],
    [
      'another wallet',
      /the node has otherwise/,
      (lines) => {
        const [row] = withSwaps(lines).transactions ?? [];
        const [payer = '', ...others] = (row?.['accountKeys'] ?? []) as string[];
        Object.assign(row ?? {}, {
          accountKeys: [...others.slice(0, 1), payer, ...others.slice(1)],
        });
        return lines;
      },
    ],
    [
      'another signature',
      /the node has otherwise/,
      (lines) => {
        const [row] = withSwaps(lines).transactions ?? [];
        Object.assign(row ?? {}, { signatures: [toSwapSignature(999_999)] });
        return lines;
      },
    ],
    [
      'a swap as failed',
      /moved tokens/,
      (lines) => {
        Object.assign(withSwaps(lines).transactions?.[0] ?? {}, { err: 'InstructionError' });
        return lines;
      },
    ],
    [
      'a transaction left out',
      /does not go on/,
      (lines) => {
        const line = lines.find(({ transactions = [] }) => transactions.length > 1);
        for (const name of ['transactions', 'instructions', 'logs', 'tokenBalances'] as const) {
          const kept = (line?.[name] ?? []).filter((row) => row['transactionIndex'] !== 0);
          Object.assign(line ?? {}, { [name]: kept });
        }
        return lines;
      },
    ],
    ['a block left out', /does not follow/, (lines) => lines.toSpliced(1, 1)],
    [
      'a block left out, and its links',
      /the node has a block at/,
      (lines) => {
        const [before, , after] = lines;
        const { number: parentNumber, hash: parentHash } = before?.header ?? {};
        Object.assign(after?.header ?? {}, { parentNumber, parentHash });
        return lines.toSpliced(1, 1);
      },
    ],
    ['a block twice', /was not asked for/, (lines) => lines.flatMap((line) => [line, line])],
    [
      'another hash inside',
      /does not follow/,
      (lines) => {
        Object.assign(lines[1]?.header ?? {}, { hash: 'forged' });
        return lines;
      },
    ],
    [
      'another fork',
      /the node has another block/,
      (lines) => {
        for (const { header } of lines) {
          header['hash'] = `${header['hash']}x`;
          header['parentHash'] = `${header['parentHash']}x`;
        }
        return lines;
      },
    ],
    [
      'a call left out',
      /instructions are missing/,
      (lines) => {
        withSwaps(lines).instructions?.splice(1, 1);
        return lines;
      },
    ],
    [
      'lines that are no blocks',
      /header is no object|is no/,
      (lines) => lines.map(() => ({}) as never),
    ],
  ];
  for (const [name, reason, change] of LIES) {
    it(`end the use of a Portal that sends ${name}`, async () => {
      const scene = await openScene();
      scene.portal.behave(() => ({ change }));
      const { blocks, limitations } = await scene.read();
      assert.equal(toText(blocks), await readByNodes());
      assert.equal(limitations.length, 1, limitations.join());
      assert.match(limitations[0] ?? '', /^archive 127\.0\.0\.1 sent false data/);
      assert.match(limitations[0] ?? '', reason);
      const before = scene.portal.queries.length;
      await scene.read();
      assert.equal(scene.portal.queries.length, before);
    });
  }
});
