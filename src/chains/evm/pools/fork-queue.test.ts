// Pairs of factories that nobody listed: judged in the background by what they do.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleepMs } from 'node:timers/promises';
import {
  decodeFunctionData,
  encodeAbiParameters,
  type Hex,
  parseAbi,
  toFunctionSelector,
} from 'viem';
import { encodeTestLog } from '../../../../test/evm-logs.ts';
import { startClientOn } from '../../../../test/fakes/start-client-on.ts';
import { address } from '../../../../test/test-ids.ts';
import type { Address, PoolId } from '../../../model/ids.ts';
import { isUncheckedVenue } from '../../unchecked-venue.ts';
import { acceptEvents } from '../blocks/accept-events.ts';
import { toPoolId } from '../data/evm-ids.ts';
import type { EvmLog } from '../data/evm-log.ts';
import { addressWord, uintWord } from '../data/hex-data.ts';
import { type CallContracts, callContracts } from '../rpc/multicall.ts';
import { EVM_DEPLOYMENTS } from '../venues/deployments.ts';
import { createLogDecoding } from '../venues/log-decoding.ts';
import { fitFee } from '../venues/uniswap-v2/judge-pairs.ts';
import { ForkFinder } from './fork-finder.ts';
import { ForkQueue } from './fork-queue.ts';
import { PoolDirectory } from './pool-directory.ts';

const DEPLOYMENT = EVM_DEPLOYMENTS.ethereum ?? assert.fail();
const DECODING = createLogDecoding(DEPLOYMENT);
const [LOW, HIGH, FACTORY] = ['1', '2', '8'].map((one) => address(`0x${one.repeat(40)}`)) as [
  ...[Address, Address, Address],
];
const PAIRS = ['9', 'a', 'b'].map((one) => address(`0x${one.repeat(40)}`));
const [PAIR = LOW] = PAIRS;
const RESERVE = 10n ** 20n;
const PROBE_ABI = parseAbi([
  'struct Try { address pair; address tokenIn; bool zeroForOne; uint256 amountIn; }',
  'function maxOut(Try one, uint256 reserveOut) returns (uint256 best, uint256 reserve0, uint256 reserve1)',
]);
const PROBE_SELECTOR = toFunctionSelector(PROBE_ABI[0]);
const SWAP =
  'event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address indexed to)';
const FACTORY_ASK = '0xc45a0155';
/** The block that the fake node is at. */
const HEAD = 5;
const SILENT = { info: () => undefined, warn: () => undefined };

interface ForkNode {
  feePips: bigint;
  /** Whether the reserves at the head change with every request. */
  readonly isBusy?: boolean;
  /** Takes the fee out of the pair. */
  readonly fee: 'stays' | 'leaves';
  /** Whom the factory names for the two tokens; the asked pair if absent. */
  named?: Address | undefined;
  readonly factory?: Address;
  readonly code?: string;
  readonly tokenCode?: string;
  /** What the pair holds of token1; its reserve if absent. */
  balance1?: bigint | undefined;
  /** Reserves of the pair; those of an honest one if absent. */
  reserve?: bigint;
  /** Whether the node runs calls without their overrides. */
  hasNoOverrides?: boolean;
  /** Answers nothing until this resolves. */
  until?: Promise<void>;
}

interface QueueOptions {
  readonly isSlowed?: () => boolean;
  readonly sleep?: (ms: number) => Promise<void>;
}

const pay = (amountIn: bigint, feePips: bigint, reserve = RESERVE) => {
  const kept = amountIn * (1_000_000n - feePips);
  return (kept * reserve) / (reserve * 1_000_000n + kept);
};

/** What a pair lets out, as the probe finds it. */
function answerProbe(data: Hex, { feePips, fee }: ForkNode, reserve: bigint): string {
  const { args } = decodeFunctionData({ abi: PROBE_ABI, data });
  const [{ zeroForOne, amountIn }] = args;
  const kept = fee === 'stays' ? amountIn : amountIn - (amountIn * feePips) / 1_000_000n;
  const best = pay(amountIn, feePips, reserve);
  const [came, left] = [reserve + kept, reserve - best];
  const reserves = zeroForOne ? [came, left] : [left, came];
  return encodeAbiParameters(
    ['', '', ''].map(() => ({ type: 'uint256' as const })),
    [best, ...reserves] as never,
  );
}

async function startQueue(t: TestContext, node: ForkNode, options: QueueOptions = {}) {
  const calls = { probe: 0, claim: 0, all: 0 };
  let nowMs = 0;
  let asked: string = PAIR;
  const { client } = await startClientOn(
    t,
    async (method, params) => {
      await node.until;
      if (method === 'eth_getCode') {
        const isToken = params[0] === LOW || params[0] === HIGH;
        return (isToken ? node.tokenCode : node.code) ?? '0x6001';
      }
      const [{ to, data }, tag] = params as [{ to: string; data: Hex }, string];
      calls.all += 1;
      const { reserve: usual = RESERVE } = node;
      const reserve = node.isBusy && tag === 'latest' ? usual + BigInt(calls.all) : usual;
      const words: Readonly<Record<string, string>> = {
        [FACTORY_ASK]: addressWord(node.factory ?? FACTORY),
        ...{ '0x0dfe1681': addressWord(LOW), '0xd21220a7': addressWord(HIGH) },
        '0x0902f1ac': [reserve, reserve, 1n].map(uintWord).join(''),
        '0x70a08231': uintWord(to === HIGH ? (node.balance1 ?? reserve) : reserve),
        '0xe6a43905': addressWord(node.named ?? address(asked)),
      };
      const word = words[data.slice(0, 10)];
      if (data.startsWith(FACTORY_ASK)) {
        asked = to;
        calls.claim += 1;
      }
      if (word !== undefined) return `0x${word}`;
      if (!data.startsWith(PROBE_SELECTOR)) return '0x';
      calls.probe += 1;
      if (node.hasNoOverrides) return '0x';
      return answerProbe(data, node, reserve);
    },
    20_000,
  );
  const call: CallContracts = (asks) =>
    callContracts(asks, { client, multicall3: null, block: null });
  const directory: PoolDirectory = new PoolDirectory({
    ...{ deployment: DEPLOYMENT, knownPools: async () => [] },
    onUnclaimed: (swaps) => queue.add(swaps.map((swap) => toPoolId(swap.address))),
  });
  const finder = new ForkFinder(client, { ...DEPLOYMENT, multicall3: null });
  const accept: ConstructorParameters<typeof ForkQueue>[0]['accept'] = (one) =>
    directory.accept(one);
  const queue = new ForkQueue({
    ...{ finder, accept, log: SILENT, sleep: async () => undefined, isSlowed: () => false },
    forget: (pool) => directory.forget(pool),
    clock: { monotonicMs: () => nowMs },
    ...options,
  });
  t.after(() => queue.close());
  const judge = async (...pairs: readonly Address[]) => {
    directory.noteUnclaimed(pairs.map(encodeSwap));
    await queue.settled();
    return pairs.map((pair) => directory.get(toPoolId(pair)) !== undefined);
  };
  const passMs = (ms: number) => {
    nowMs += ms;
  };
  return { directory, queue, calls, call, judge, passMs };
}

function encodeSwap(pair: Address): EvmLog {
  const amounts = { in0: 5n, in1: 0n, out0: 0n, out1: 4n };
  return encodeTestLog(SWAP, pair, { sender: pair, to: pair, ...amounts });
}

async function listEvents(directory: PoolDirectory, call: CallContracts) {
  const decoded = DECODING.decode([encodeSwap(PAIR)]);
  await directory.lookUp(decoded.emitters, call);
  const { blocks } = acceptEvents(decoded, directory, { describesPools: false });
  return blocks.flatMap(({ events }) => events);
}

const HONEST: ForkNode = { feePips: 2500n, fee: 'stays' };

describe('a pair of an unlisted factory', () => {
  it('counts from its next swap on, once its fee and formula are confirmed', async (t) => {
    const { directory, queue, call } = await startQueue(t, HONEST);
    assert.deepEqual(await listEvents(directory, call), []);
    directory.noteUnclaimed([encodeSwap(PAIR)]);
    await queue.settled();
    const [created, swap] = await listEvents(directory, call);
    assert.ok(created?.kind === 'poolCreated' && swap?.kind === 'swap');
    const { venue, feePips, kind, terms } = created.description;
    assert.deepEqual([venue, kind, feePips], [`v2-like:${FACTORY}`, 'constantProduct', 2500]);
    assert.deepEqual(terms, { isFeeUnchecked: true }, 'it is never exact');
    assert.ok(isUncheckedVenue({}, venue), 'its reserves are no depth, and it is no anchor');
  });

  it('is not waited for: the blocks go on while the node is silent', async (t) => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const node: ForkNode = { ...HONEST };
    const { directory, queue, call, calls } = await startQueue(t, node);
    assert.deepEqual(await listEvents(directory, call), []);
    node.until = until;
    directory.noteUnclaimed([encodeSwap(PAIR)]);
    const order: string[] = [];
    const judged = queue.settled().then(() => order.push('judged'));
    // A block that waited for the queue would wait for ever.
    const read = listEvents(directory, call).then((events) => order.push(`${events.length} read`));
    await Promise.race([read, sleepMs(60_000, 'waits', { ref: false })]);
    assert.deepEqual(order, ['0 read']);
    assert.equal(calls.probe, 0);
    resolve();
    await judged;
    assert.ok(directory.get(toPoolId(PAIR)));
  });

  it('is not probed again if another of its factory has the same code', async (t) => {
    const { directory, queue, calls } = await startQueue(t, HONEST);
    directory.noteUnclaimed([encodeSwap(PAIR)]);
    await queue.settled();
    const { probe } = calls;
    directory.noteUnclaimed(PAIRS.map(encodeSwap));
    await queue.settled();
    assert.equal(calls.probe, probe);
    assert.ok(PAIRS.every((pair) => directory.get(toPoolId(pair)) !== undefined));
  });
});

describe('while a daily budget slows the chain down', () => {
  it('no pair is probed, and those that wait are probed afterwards', async (t) => {
    let waits = 0;
    const sleep = async () => {
      waits += 1;
      assert.equal(calls.all, 0, 'the node is asked nothing');
    };
    const { judge, calls } = await startQueue(t, HONEST, { isSlowed: () => waits < 3, sleep });
    assert.deepEqual(await judge(PAIR), [true]);
    assert.equal(waits, 3);
  });

  it('the queue can be closed', async (t) => {
    const { promise: slept, resolve } = Promise.withResolvers<void>();
    const sleep = () => slept;
    const { judge, queue, calls } = await startQueue(t, HONEST, { isSlowed: () => true, sleep });
    const judged = judge(PAIR);
    queue.close();
    resolve();
    assert.deepEqual(await judged, [false]);
    assert.equal(calls.all, 0);
  });
});

describe('a reorganisation', () => {
  it('takes back what was accepted on blocks that are gone, and only that', async (t) => {
    const { directory, queue, judge, calls } = await startQueue(t, HONEST);
    assert.deepEqual(await judge(PAIR), [true]);
    queue.forgetAbove(HEAD);
    assert.ok(directory.get(toPoolId(PAIR)), 'its block is still there');
    queue.forgetAbove(HEAD - 1);
    assert.equal(directory.get(toPoolId(PAIR)), undefined);
    const { probe } = calls;
    assert.deepEqual(await judge(PAIR), [true]);
    assert.equal(calls.probe, 2 * probe, 'the code is probed again');
  });

  it('takes back refusals, of the pair and of its factory', async (t) => {
    const node: ForkNode = { ...HONEST, feePips: 3333n };
    const { queue, judge } = await startQueue(t, node);
    assert.deepEqual(await judge(...PAIRS), [false, false, false]);
    node.feePips = HONEST.feePips;
    assert.deepEqual(await judge(...PAIRS), [false, false, false]);
    queue.forgetAbove(HEAD - 1);
    assert.deepEqual(await judge(...PAIRS), [true, true, true]);
  });

  it('ends a judgement that is under way', async (t) => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const node: ForkNode = { ...HONEST, until };
    const { directory, queue, judge } = await startQueue(t, node);
    const judged = judge(PAIR);
    queue.forgetAbove(HEAD - 1);
    resolve();
    assert.deepEqual(await judged, [false]);
    assert.equal(directory.get(toPoolId(PAIR)), undefined);
    assert.deepEqual(await judge(PAIR), [true]);
  });
});

describe('what is found out about a pair', () => {
  it('is of one block, however busy the pair is', async (t) => {
    const { judge } = await startQueue(t, { ...HONEST, isBusy: true });
    assert.deepEqual(await judge(PAIR), [true]);
  });

  it('does not refuse its factory by one result, and is found out again', async (t) => {
    const node: ForkNode = { ...HONEST, feePips: 3333n };
    const { judge, passMs } = await startQueue(t, node);
    assert.deepEqual(await judge(PAIR), [false]);
    node.feePips = HONEST.feePips;
    assert.deepEqual(await judge(PAIR), [false], 'not yet');
    assert.deepEqual(await judge(PAIRS[1] ?? assert.fail()), [true]);
    passMs(3_600_000);
    assert.deepEqual(await judge(PAIR), [true]);
  });

  it('is nothing if the node ignores state overrides', async (t) => {
    const node: ForkNode = { ...HONEST, hasNoOverrides: true };
    const { judge } = await startQueue(t, node);
    assert.deepEqual(await judge(...PAIRS), [false, false, false]);
    node.hasNoOverrides = false;
    assert.deepEqual(await judge(...PAIRS), [true, true, true]);
  });

  it('refuses its factory if another pair has the same result', async (t) => {
    const node: ForkNode = { ...HONEST, feePips: 3333n };
    const { judge, calls } = await startQueue(t, node);
    const [, second = PAIR, third = PAIR] = PAIRS;
    await judge(PAIR, second);
    const { probe } = calls;
    assert.ok(probe > 6);
    assert.deepEqual(await judge(third), [false]);
    assert.equal(calls.probe, probe);
  });
});

describe('a pair that is not accepted yet', () => {
  const NONE = address(`0x${'0'.repeat(40)}`);
  for (const [what, early] of [
    ['is thin', { reserve: 10n ** 9n - 1n }],
    ['is not named by its factory', { named: NONE }],
    ['holds less than its reserves', { balance1: RESERVE - 1n }],
  ] as const) {
    it(`${what}: it is judged again after an hour`, async (t) => {
      const node: ForkNode = { ...HONEST, ...early };
      const { judge, passMs, calls } = await startQueue(t, node);
      assert.deepEqual(await judge(PAIR), [false]);
      Object.assign(node, { reserve: RESERVE, named: undefined, balance1: undefined });
      passMs(3_599_999);
      assert.deepEqual(await judge(PAIR), [false]);
      assert.equal(calls.claim, 1);
      passMs(1);
      assert.deepEqual(await judge(PAIR), [true]);
    });
  }
});

describe('a pair that lies', () => {
  const refuse = async (t: TestContext, node: ForkNode) => {
    const { directory, queue, calls } = await startQueue(t, node);
    const pool: PoolId = toPoolId(PAIR);
    for (let count = 0; count < 3; count += 1) {
      directory.noteUnclaimed([encodeSwap(PAIR)]);
      await queue.settled();
      assert.equal(directory.get(pool), undefined);
    }
    assert.equal(calls.claim, 1, 'it is remembered');
    return calls.probe;
  };

  it('is refused and remembered', async (t) => {
    assert.ok((await refuse(t, { feePips: 3333n, fee: 'stays' })) > 0, 'no such fee exists');
    assert.ok((await refuse(t, { ...HONEST, fee: 'leaves' })) > 0);
  });

  it('is not probed if it does not hold its reserves, or a token has no code', async (t) => {
    assert.equal(await refuse(t, { ...HONEST, balance1: RESERVE - 1n }), 0);
    assert.equal(await refuse(t, { ...HONEST, tokenCode: '0x' }), 0);
  });

  it('is not probed if its factory names another, is a listed one, or it has no code', async (t) => {
    const listed = DEPLOYMENT.v2[0]?.factory ?? assert.fail();
    assert.equal(await refuse(t, { ...HONEST, named: HIGH }), 0);
    assert.equal(await refuse(t, { ...HONEST, factory: listed }), 0);
    assert.equal(await refuse(t, { ...HONEST, code: '0x' }), 0);
  });
});

describe('the fee of a pair', () => {
  const sample = (amountIn: bigint, amountOut: bigint) => ({
    ...{ zeroForOne: true, reserveIn: RESERVE, reserveOut: RESERVE, amountIn, amountOut },
  });

  it('is the one that gives every output', () => {
    for (const fee of [0n, 1500n, 3000n, 10_000n]) {
      const samples = [RESERVE, RESERVE / 1000n].map((one) => sample(one, pay(one, fee)));
      assert.equal(fitFee(samples), Number(fee));
    }
  });

  it('is unknown if outputs fit different fees, or none', () => {
    const [one, other] = [3000n, 2000n].map((fee) => sample(RESERVE, pay(RESERVE, fee)));
    assert.equal(fitFee([one ?? assert.fail(), other ?? assert.fail()]), null);
    assert.equal(fitFee([sample(RESERVE, 5n)]), null);
  });
});
