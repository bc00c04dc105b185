// The adapter on a real node with the real contracts: its events match the contracts' state.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestChain, type TestChain } from '../../../devnet/test-chain.ts';
import {
  forwardTo,
  type Misdeed,
  startMisbehavingRpc,
} from '../../../test/fakes/misbehaving-rpc.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { type RpcRecorder, startRpcRecorder } from '../../../test/rpc-recorder.ts';
import { address, poolId } from '../../../test/test-ids.ts';
import { systemClock } from '../../lib/clock.ts';
import type { BlockEvents, MarketEvent } from '../../model/block-events.ts';
import type { Address } from '../../model/ids.ts';
import type { PoolDescription } from '../../model/pool.ts';
import { createEvmAdapter, type EvmAdapter, type EvmAdapterOptions } from './create-evm-adapter.ts';
import { ZERO_ADDRESS } from './data/zero-address.ts';
import { parseDevnetDeployment } from './venues/parse-devnet-deployment.ts';

let chain: TestChain;
let recorder: RpcRecorder;
const adapters: EvmAdapter[] = [];

function createAdapter(options: Partial<EvmAdapterOptions> = {}): EvmAdapter {
  const adapter = createEvmAdapter({
    chain: 'devnet',
    endpoints: [recorder.url],
    deployment: parseDevnetDeployment(chain.deployment),
    clock: systemClock,
    random: Math.random,
    knownPools: async () => [],
    log: {
      info: () => {},
      warn: (fields, message) => assert.fail(`${message} ${JSON.stringify(fields)}`),
    },
    ...options,
  });
  adapters.push(adapter);
  return adapter;
}

function listEvents(blocks: readonly BlockEvents[]): MarketEvent[] {
  return blocks.flatMap((block) => block.events);
}

function listDescriptions(events: readonly MarketEvent[]): PoolDescription[] {
  return events.flatMap((event) => (event.kind === 'poolCreated' ? [event.description] : []));
}

async function readAll(adapter: EvmAdapter, linked: boolean): Promise<MarketEvent[]> {
  const { latest } = await adapter.readHead();
  const events: MarketEvent[] = [];
  for (let fromBlock = 0; fromBlock <= latest.position; ) {
    const reading = await adapter.readBlocks({ fromBlock, toBlock: latest.position, linked });
    events.push(...listEvents(reading.blocks));
    fromBlock = reading.toBlock + 1;
  }
  return events;
}

/** Ether-quoted pools of each kind, so that a trade needs no approval. */
function pickTradedPools() {
  const { pools, tokens } = chain.deployment;
  const plain = new Set(tokens.filter(({ key }) => key !== 'trap').map(({ key }) => key));
  const seen = new Set<string>();
  return pools.filter((pool) => {
    const kind = `${pool.venue}:${pool.quote}:${/[1-9a-f]/.test(pool.hooks.slice(2))}`;
    const wanted = (pool.quote === 'weth' || pool.quote === 'eth') && plain.has(pool.token);
    if (!wanted || seen.has(kind)) return false;
    seen.add(kind);
    return true;
  });
}

/** The same numbers from 0 to 1 for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function pickMisdeed(method: string, random: () => number): Misdeed {
  const misdeeds: Misdeed[] = [
    { do: 'cut', after: 20 },
    { do: 'reply', status: 502, text: 'bad gateway' },
    { do: 'reply', status: 429, text: '', headers: { 'retry-after': '1' } },
    { do: 'reply', status: 200, text: '{"jsonrpc":"2.0","id":1,' },
    { do: 'refuseBatch', message: 'batch too large' },
    { do: 'error', code: -32603, message: 'internal error' },
    { do: 'error', code: -32005, message: 'limit exceeded' },
    { do: 'change', change: () => null },
  ];
  if (method === 'eth_getLogs') {
    misdeeds.push(
      { do: 'error', code: -32000, message: 'block range is too wide' },
      { do: 'change', change: (logs) => (logs as unknown[]).slice(0, -1) },
      { do: 'change', change: (logs) => (logs as unknown[]).slice(1) },
      { do: 'change', change: () => [] },
    );
  }
  return misdeeds[Math.floor(random() * misdeeds.length)]!;
}

before(async () => {
  chain = await startTestChain();
  recorder = await startRpcRecorder(chain.rpcUrl);
  for (const { token, venue, quote } of pickTradedPools()) {
    await chain.buy({ token, venue, quote, amountInRaw: 10n ** 15n });
  }
});

after(async () => {
  for (const adapter of adapters) await adapter.close();
  await chain.stop();
  await recorder.stop();
});

describe('on a real node', () => {
  test('every pool of the devnet is described, with its tokens, fee and hook', async () => {
    const reported = new Map(
      listDescriptions(await readAll(createAdapter(), true)).map((pool) => [pool.pool, pool]),
    );
    assert.equal(reported.size, chain.deployment.pools.length);
    for (const pool of chain.deployment.pools) {
      const description = reported.get(poolId(pool.id));
      assert.equal(description?.venue, pool.venue);
      assert.equal(description?.token0, pool.currency0);
      assert.equal(description?.token1, pool.currency1);
      if (pool.feePips < 0x80_0000) assert.equal(description?.feePips, pool.feePips);
      const hooked = /[1-9a-f]/.test(pool.hooks.slice(2));
      const custody = description?.kind === 'concentrated' ? description.terms.custody : null;
      const hooks = custody?.kind === 'singleton' ? custody.hooks : null;
      assert.equal(hooks, hooked ? pool.hooks : null);
    }
  });

  test('linked, checked and plain reading give the same events', async () => {
    const adapter = createAdapter();
    assert.deepEqual(await readAll(adapter, true), await readAll(adapter, false));
  });

  test('a trade is a swap by its sender, signed from the side of the pool', async () => {
    const swaps = (await readAll(createAdapter(), false)).filter((event) => event.kind === 'swap');
    assert.ok(swaps.length >= 3);
    const vaults = new Set(chain.deployment.pools.map((pool) => pool.id as string));
    for (const swap of swaps) {
      assert.ok(vaults.has(swap.pool));
      const [paid, received] =
        swap.amount0 > 0n ? [swap.amount0, swap.amount1] : [swap.amount1, swap.amount0];
      assert.equal(paid, 10n ** 15n);
      assert.ok(received < 0n);
      const receipt = await chain.rpc.call<{ from: string }>(
        'eth_getTransactionReceipt',
        swap.txHash,
      );
      assert.equal(swap.wallet, receipt.from);
    }
  });

  test('pools older than the index are described as if their creation had been read', async () => {
    const complete = new Map(
      listDescriptions(await readAll(createAdapter(), false)).map((pool) => [pool.pool, pool]),
    );
    const { latest } = await createAdapter().readHead();
    const fromBlock = latest.position - pickTradedPools().length + 1;
    const late = await createAdapter().readBlocks({
      fromBlock,
      toBlock: latest.position,
      linked: true,
    });
    const met = listEvents(late.blocks).filter((event) => event.kind === 'poolCreated');
    assert.equal(met.length, pickTradedPools().length);
    assert.ok(met.some(({ description }) => description.venue === 'uniswap-v4'));
    for (const { description, complete: isComplete } of met) {
      assert.equal(isComplete, false);
      assert.deepEqual(description, complete.get(description.pool));
    }
  });

  test('state folded from events is the state that the contracts hold', async () => {
    const adapter = createAdapter();
    const events = await readAll(adapter, true);
    const { latest } = await adapter.readHead();
    const ticks = new Map<string, Map<number, { gross: bigint; net: bigint }>>();
    const last = new Map<string, Record<string, unknown>>();
    for (const event of events) {
      if ((event.kind !== 'poolChanged' && event.kind !== 'swap') || event.change === null)
        continue;
      const { change } = event;
      if (change.poolKind === 'constantProduct') {
        const { reserve0, reserve1 } = change;
        last.set(event.pool, { reserve0, reserve1 });
        continue;
      }
      assert.ok(change.poolKind === 'concentrated');
      if (change.type === 'initialized') {
        last.set(event.pool, { sqrtPriceX96: change.sqrtPriceX96, tick: change.tick });
      } else if (change.type === 'swapped') {
        const { sqrtPriceX96, liquidity, tick } = change;
        last.set(event.pool, { sqrtPriceX96, liquidity, tick });
      } else if (change.type === 'position') {
        const own = ticks.get(event.pool) ?? new Map();
        ticks.set(event.pool, own);
        for (const [tick, sign] of [
          [change.tickLower, 1n],
          [change.tickUpper, -1n],
        ] as const) {
          const { gross = 0n, net = 0n } = own.get(tick) ?? {};
          own.set(tick, {
            gross: gross + change.liquidityDelta,
            net: net + sign * change.liquidityDelta,
          });
        }
      }
    }
    const queries = listDescriptions(events).map((description) => ({
      description,
      ticks: [...(ticks.get(description.pool)?.keys() ?? [])],
    }));
    const readings = (await adapter.readPoolStates?.(queries, latest)) ?? [];
    assert.equal(readings.length, queries.length);
    for (const reading of readings) {
      const expected = last.get(reading.pool) ?? {};
      const reported: Record<string, unknown> = { ...reading.state };
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(reported[name], value, `${reading.pool} ${name}`);
      }
      for (const { tick, liquidityGross, liquidityNet } of reading.ticks) {
        const folded = ticks.get(reading.pool)?.get(tick);
        assert.deepEqual({ gross: liquidityGross, net: liquidityNet }, folded);
      }
    }
  });

  test('balances folded from transfers add up to supplies and match balanceOf', async () => {
    const adapter = createAdapter();
    const balances = new Map<Address, Map<Address, bigint>>();
    for (const event of await readAll(adapter, true)) {
      if (event.kind !== 'transfer') continue;
      const own = balances.get(event.token) ?? new Map<Address, bigint>();
      balances.set(event.token, own);
      const [from, to] = [event.from ?? ZERO_ADDRESS, event.to ?? ZERO_ADDRESS];
      own.set(from, (own.get(from) ?? 0n) - event.amountRaw);
      own.set(to, (own.get(to) ?? 0n) + event.amountRaw);
    }
    const { latest } = await adapter.readHead();
    const { contracts, tokens: listed } = chain.deployment;
    const tokens = [contracts.weth, listed[0]!.address].map(address);
    for (const { token, supplyRaw } of await adapter.readSupplies(tokens, latest)) {
      const own = balances.get(token)!;
      own.delete(ZERO_ADDRESS);
      assert.equal(
        [...own.values()].reduce((sum, amount) => sum + amount, 0n),
        supplyRaw,
      );
      const keys = [...own.keys()].map((owner) => ({ token, owner }));
      assert.deepEqual(await adapter.readBalances?.(keys, latest), [...own.values()]);
    }
  });

  test('random failures of the endpoint lose nothing', async () => {
    const honest = await readAll(createAdapter(), true);
    let skippedMs = 0;
    for (const seed of [1, 2, 3]) {
      const random = createRandom(seed);
      const proxy = await startMisbehavingRpc(forwardTo(chain.rpcUrl));
      proxy.misbehave(({ method }) => (random() < 0.25 ? pickMisdeed(method, random) : null));
      const adapter = createAdapter({
        endpoints: [proxy.url],
        log: { info: () => {}, warn: () => {} },
        span: { blocksStart: 2 },
        budgetMs: 3_600_000,
        clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + skippedMs },
        sleep: async (ms) => {
          skippedMs += ms;
        },
      });
      try {
        assert.deepEqual(await readAll(adapter, true), honest);
        assert.ok((adapter.status?.().endpoints[0]?.failures ?? 0) > 0);
      } finally {
        await proxy.stop();
      }
    }
  });

  test('a reading at a block that is gone is null, not that of another block', async () => {
    await chain.mine(2);
    const adapter = createAdapter();
    const { latest } = await adapter.readHead();
    await chain.reorg(1);
    const token = address(chain.deployment.contracts.weth);
    assert.deepEqual(await adapter.readSupplies([token], latest), [{ token, supplyRaw: null }]);
    const header = await adapter.readHeader(latest.position);
    assert.notEqual(header?.hash, latest.hash);
  });
});

/** Contracts that try to disturb the reading of others, as bytecode. */
const HOSTILE = {
  endlessLoop: '0x5b600056',
  alwaysReverts: '0x60006000fd',
  hugeReply: '0x620f42406000f3',
  decimals256: '0x61010060005260206000f3',
  nothing: '0x00',
} as const;

describe('tokens', () => {
  test('names, symbols and decimals as deployed, with hostile text cleaned', async () => {
    const { tokens } = chain.deployment;
    const read = await createAdapter().readTokenMetadata(
      tokens.map((token) => address(token.address)),
    );
    for (const [index, { symbol, name, decimals }] of read.entries()) {
      const token = tokens[index]!;
      if (token.quirk.includes('hostile') || /\p{C}/u.test(token.name)) {
        assert.ok([...(name ?? '')].length <= 64);
        assert.doesNotMatch(`${symbol}${name}`, /\p{C}/u);
      } else if (symbol !== null) {
        assert.equal(symbol, token.symbol);
        assert.equal(decimals, token.decimals);
      }
    }
    assert.ok(read.filter((token) => token.symbol !== null).length >= 12);
    const without = { ...parseDevnetDeployment(chain.deployment), multicall3: null };
    const singly = createAdapter({ deployment: without });
    assert.deepEqual(
      await singly.readTokenMetadata(tokens.map((token) => address(token.address))),
      read,
    );
  });

  test('hostile contracts give null and do not affect the answers of others', async () => {
    const hostile = Object.values(HOSTILE).map((code, index) => {
      const address = `0x${(0xbad00 + index).toString(16).padStart(40, '0')}`;
      return { address, code };
    });
    for (const { address, code } of hostile) await chain.rpc.call('anvil_setCode', address, code);
    const honest = chain.deployment.tokens.filter(
      (token) => token.quirk === 'stable' || token.key === 'wire',
    );
    const all = [...hostile, ...honest, ...hostile, ...honest];
    const asked = all.map((one) => address(one.address));
    const read = await createAdapter().readTokenMetadata(asked);
    assert.deepEqual(
      read.map(({ token }) => token),
      asked,
    );
    for (const { token, symbol, name, decimals } of read) {
      const expected = honest.find(({ address }) => address === token);
      assert.equal(symbol, expected?.symbol ?? null);
      assert.equal(name, expected?.name ?? null);
      assert.equal(decimals, expected?.decimals ?? null);
    }
  });
});
