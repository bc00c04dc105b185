// A pool's whole state is read in bounded pages of one block, whatever the node supports.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import {
  address,
  createSceneAdapter,
  endScene,
  SCENE_DEPLOYMENT,
  startNode,
  TOKEN,
  WETH,
} from '../../../../test/fakes/chain-scene.ts';
import { MemoryChain } from '../../../../test/fakes/memory-chain.ts';
import { poolId } from '../../../../test/test-ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { PoolPage, PoolPageReading, TickSpan } from '../../adapter.ts';
import type { EvmAdapter } from '../create-evm-adapter.ts';
import { intWord, uintWord } from '../data/hex-data.ts';
import {
  LIQUIDITY_SELECTOR,
  SLOT0_SELECTOR,
  TICK_BITMAP_SELECTOR,
  TICKS_SELECTOR,
} from '../venues/uniswap-v3/pool-selectors.ts';

afterEach(endScene);

const POOL = address(0xb001);
const BLOCK = 5;
const FORK = { factory: address(0xfac3), quoter: null, universalRouter: true };
const deployment = { ...SCENE_DEPLOYMENT, v3: [{ venue: 'uniswap-v3', ...FORK }] };

interface Contract {
  readonly tick: number;
  readonly tickSpacing: number;
  readonly ticks: readonly number[];
  /** What is wrong with one tick: no answer, no liquidity, or no answer for its bitmap's word. */
  readonly odd?: { readonly tick: number; readonly reply: 'none' | 'zero' | 'noWord' };
}

function buildDescription({ tickSpacing }: Contract): PoolDescription {
  return {
    ...{
      pool: poolId(POOL),
      kind: 'concentrated',
      venue: 'uniswap-v3',
      token0: TOKEN,
      token1: WETH,
    },
    ...{ feePips: 3000, vault: POOL, terms: { tickSpacing, custody: { kind: 'own' } } },
  };
}

function toInt(word: string): number {
  return Number(BigInt.asIntN(256, BigInt(`0x${word}`)));
}

/** A V3 pool as `eth_call` sees it; each tick has its own number as liquidity. */
function createAnswer({ tick, tickSpacing, ticks, odd }: Contract) {
  return (to: string, data: string): string => {
    if (to !== POOL) return '0x';
    const selector = data.slice(0, 10);
    const argument = data.slice(10);
    if (selector === SLOT0_SELECTOR) {
      return `0x${uintWord(2n ** 96n)}${intWord(tick)}${uintWord(0).repeat(5)}`;
    }
    if (selector === LIQUIDITY_SELECTOR) return `0x${uintWord(77)}`;
    if (selector === TICK_BITMAP_SELECTOR) {
      const word = toInt(argument);
      const isOdd = odd?.reply === 'noWord' && (odd.tick / tickSpacing) >> 8 === word;
      if (isOdd) return '0x';
      const own = ticks.map((one) => one / tickSpacing).filter((one) => one >> 8 === word);
      return `0x${uintWord(own.reduce((bits, one) => bits | (1n << BigInt(one & 255)), 0n))}`;
    }
    if (selector !== TICKS_SELECTOR) return '0x';
    const at = toInt(argument);
    if (at === odd?.tick && odd.reply === 'none') return '0x';
    const isZero = at === odd?.tick && odd.reply === 'zero';
    const gross = ticks.includes(at) && !isZero ? BigInt(at + 1_000_000) : 0n;
    return `0x${uintWord(gross)}${intWord(-gross)}${uintWord(0).repeat(6)}`;
  };
}

async function startScene(contract: Contract) {
  const chain = new MemoryChain({
    ...{ chainId: 1337, blockTimestamps: true, call: createAnswer(contract) },
  });
  for (let n = 0; n < 10; n += 1) chain.add([]);
  const node = await startNode(chain);
  const adapter = createSceneAdapter([node], { deployment });
  const header = (await adapter.readHeader(BLOCK)) ?? assert.fail();
  return { node, adapter, header };
}

function readPage(
  adapter: EvmAdapter,
  query: { contract: Contract; covered: TickSpan | null; callCountMax: number },
  block: { position: number; hash: string },
): Promise<PoolPageReading> {
  const { contract, covered, callCountMax } = query;
  const description = buildDescription(contract);
  return adapter.readPoolPage?.({ description, covered, callCountMax }, block) ?? assert.fail();
}

function requirePage(reading: PoolPageReading): PoolPage {
  return reading.kind === 'page' ? reading.page : assert.fail(reading.kind);
}

const SMALL: Contract = { tick: -70, tickSpacing: 60, ticks: [-887_220, -120, 60, 887_220] };

describe('pages', () => {
  for (const contract of [
    SMALL,
    { tick: 3, tickSpacing: 1, ticks: [-887_272, -300_000, -1, 0, 4, 5, 255, 256, 887_272] },
    // More ticks than one page may have.
    { tick: 0, tickSpacing: 10, ticks: Array.from({ length: 900 }, (_, n) => (n - 450) * 10) },
  ]) {
    it(`of a pool with a spacing of ${contract.tickSpacing} cover all its ticks, each once`, async () => {
      const { adapter, header } = await startScene(contract);
      const found: number[] = [];
      let covered: TickSpan | null = null;
      for (let pages = 0; ; pages += 1) {
        assert.ok(pages < 100, 'more pages than words');
        const reading = await readPage(adapter, { contract, covered, callCountMax: 400 }, header);
        const page = requirePage(reading);
        // Two for the price, then words and ticks.
        assert.ok(reading.callCount <= 2 + 200 + 256, `${reading.callCount} calls`);
        assert.deepEqual(page.state, {
          sqrtPriceX96: 2n ** 96n,
          liquidity: 77n,
          tick: contract.tick,
        });
        const { lower, upper }: TickSpan = page.covered ?? assert.fail();
        for (const { tick, liquidityGross } of page.ticks) {
          assert.ok(tick >= lower && tick <= upper);
          assert.equal(liquidityGross, BigInt(tick + 1_000_000));
          found.push(tick);
        }
        covered = { lower, upper };
        if (page.isLast) break;
      }
      assert.deepEqual(
        found.sort((a, b) => a - b),
        contract.ticks,
      );
    });
  }

  it('begin at the price, and stay within the allowed number of calls', async () => {
    const { adapter, header } = await startScene(SMALL);
    const query = { contract: SMALL, covered: null, callCountMax: 20 };
    const reading = await readPage(adapter, query, header);
    const page = requirePage(reading);
    assert.ok(reading.callCount <= 20);
    assert.deepEqual(page.ticks.map(({ tick }) => tick).sort(), [-120, 60]);
    assert.equal(page.isLast, false);
  });
});

describe('a tick', () => {
  for (const reply of ['none', 'zero', 'noWord'] as const) {
    it(`without an answer is not left out: the pool counts as unread (${reply})`, async () => {
      const contract: Contract = { ...SMALL, odd: { tick: -120, reply } };
      const { adapter, header } = await startScene(contract);
      const query = { contract, covered: null, callCountMax: 400 };
      assert.equal((await readPage(adapter, query, header)).kind, 'noAnswer');
    });
  }
});

describe('the block', () => {
  const query = { contract: SMALL, covered: null, callCountMax: 400 };

  it('is requested by its hash if the node supports that', async () => {
    const { adapter, header, node } = await startScene(SMALL);
    requirePage(await readPage(adapter, query, header));
    const tags = node.calls
      .filter(({ method }) => method === 'eth_call')
      .map((one) => one.params[1]);
    assert.ok(tags.length > 0, 'nothing was asked');
    for (const tag of tags) {
      assert.deepEqual(tag, { blockHash: header.hash, requireCanonical: true });
    }
  });

  it('is requested by its number otherwise, and its hash is checked', async () => {
    const { adapter, header, node } = await startScene(SMALL);
    node.misbehave(({ method, params }) =>
      method === 'eth_call' && typeof params[1] === 'object'
        ? { do: 'error', code: -32602, message: 'invalid argument 1: hex string expected' }
        : null,
    );
    requirePage(await readPage(adapter, query, header));
    const other = { position: BLOCK, hash: `0x${'ab'.repeat(32)}` };
    assert.equal((await readPage(adapter, query, other)).kind, 'blockGone');
  });

  it('is the same for all calls, where one node refuses hashes and is on another branch', async () => {
    const chains = [SMALL, { ...SMALL, ticks: [-60, 120] }].map((contract, index) => {
      const options = { chainId: 1337, blockTimestamps: true, call: createAnswer(contract) };
      const chain = new MemoryChain(options);
      for (let n = 0; n < 10; n += 1) chain.add([], index === 0 ? 'main' : 'other');
      return chain;
    });
    const [right, wrong] = await Promise.all(chains.map(startNode));
    if (right === undefined || wrong === undefined) assert.fail();
    const header = (await createSceneAdapter([right]).readHeader(BLOCK)) ?? assert.fail();
    const adapter = createSceneAdapter([wrong, right], { deployment });
    wrong.misbehave(({ method, params }) => {
      if (method === 'eth_getBlockByNumber') return { do: 'reply', status: 502, text: 'bad' };
      return method === 'eth_call' && typeof params[1] === 'object'
        ? { do: 'error', code: -32602, message: 'invalid argument 1: hex string expected' }
        : null;
    });
    const page = requirePage(await readPage(adapter, query, header));
    assert.deepEqual(page.ticks.map(({ tick }) => tick).sort(), [...SMALL.ticks].sort());
    // The other one is still asked by hash.
    const tags = right.calls.filter(({ method }) => method === 'eth_call');
    assert.ok(tags.length > 0 && tags.every(({ params }) => typeof params[1] === 'object'));
  });

  for (const message of ['missing trie node', 'hash is not currently canonical']) {
    it(`is gone where the node says: ${message}`, async () => {
      const { adapter, header, node } = await startScene(SMALL);
      node.misbehave(({ method }) =>
        method === 'eth_call' ? { do: 'error', code: -32000, message } : null,
      );
      assert.equal((await readPage(adapter, query, header)).kind, 'blockGone');
    });
  }

  it('has no such pool if its contract does not answer like a pool', async () => {
    const { adapter, header } = await startScene({ ...SMALL, tickSpacing: 60 });
    const description = { ...buildDescription(SMALL), pool: poolId(address(0xdead)) };
    const reading = await adapter.readPoolPage?.({ ...query, description }, header);
    assert.equal(reading?.kind, 'noAnswer');
  });
});
