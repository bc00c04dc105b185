// Random swaps in the real pools of PancakeSwap V3, Algebra V1 and Algebra Integral, as npm has
// them: what our decoders read of their logs is what our maths computes, to the unit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Abi, encodeFunctionData, type Hex, keccak256, parseAbi, zeroAddress } from 'viem';
import { CODE as CALLER_CODE } from '../../../../test/contracts/pool-caller.gen.ts';
import { createRandom } from '../../../../test/fakes/create-random.ts';
import { type NpmContract, readNpmContract, VenueChain } from '../../../../test/venue-chain.ts';
import { ConcentratedPool } from '../../../amm/concentrated/concentrated-pool.ts';
import { TickList } from '../../../amm/tick-list.ts';
import type { Address } from '../../../model/ids.ts';
import { toPoolId } from '../data/evm-ids.ts';
import type { DecodedEvent, EvmLog } from '../data/evm-log.ts';
import { decodeAddressAt } from '../data/hex-data.ts';
import { EVM_DEPLOYMENTS } from '../venues/deployments.ts';
import { createLogDecoding } from './log-decoding.ts';

const CALLER_ABI = parseAbi([
  'struct Parameters { address factory; address token0; address token1; uint24 fee; int24 tickSpacing; }',
  'function create(Parameters wanted, bytes code)',
  'function created() returns (address)',
  'function run(address target, bytes data)',
]);
const CALLER: NpmContract = { abi: CALLER_ABI, bytecode: CALLER_CODE as Hex };
const SWAP_COUNT = 300;
const SWAPS_PER_BLOCK = 50;
const BLOCK_GAP_S = 1_800;
const SWAP_GAS = 1_000_000n;
const CREATE_GAS = 8_000_000n;
const PRICE_ONE = 2n ** 96n;
const LIMITS = { down: 4295128740n, up: 1461446703485210103287273052203988822378723970341n };
const LIQUIDITY = 10n ** 21n;
/** Of one token more than of the other. */
const PAID_MAX = 2e20;
/** Widths in spacings, and liquidity in units of `LIQUIDITY`. */
const POSITIONS: readonly (readonly [lower: number, upper: number, units: bigint])[] = [
  [-200, 200, 1n],
  [-10, 10, 3n],
  [-2, 4, 5n],
  [6, 9, 4n],
];

interface NpmVenue {
  readonly chain: keyof typeof EVM_DEPLOYMENTS;
  readonly spacing: number;
  /** Absent for that of positions. */
  readonly bitmapSpacing?: number | null;
  readonly feePips: number;
  readonly poolAbi: Abi;
  /** Absent if its swaps are logged as Uniswap's are, or as nobody else's. */
  readonly swapTopic?: string;
  /** Queues all that a pool of two tokens needs. */
  open(chain: VenueChain, caller: Address, tokens: readonly [Address, Address]): Promise<Address>;
  encodeMint(caller: Address, lower: number, upper: number, liquidity: bigint): readonly unknown[];
  /** Queues what happens before a block of swaps. */
  prepare?(chain: VenueChain, pool: Address, round: number): void;
}

const PANCAKE = '@pancakeswap/v3-core/artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json';
const PANCAKE_HASH = '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2';

/** The deployer is not on npm: the caller creates the pool and answers for its parameters. */
function createPancake(): NpmVenue {
  const { abi: poolAbi, bytecode } = readNpmContract(PANCAKE);
  assert.equal(keccak256(bytecode), PANCAKE_HASH, 'the code of the chain');
  const [spacing, feePips] = [50, 2500];
  return {
    ...{ chain: 'bsc', spacing, feePips, poolAbi },
    async open(chain, caller, [token0, token1]) {
      const wanted = { factory: caller, token0, token1, fee: feePips, tickSpacing: spacing };
      const creation = { to: caller, abi: CALLER_ABI, functionName: 'create' };
      chain.call({ ...creation, args: [wanted, bytecode] }, CREATE_GAS);
      await chain.mine();
      const data = encodeFunctionData({ abi: CALLER_ABI, functionName: 'created' });
      const [answer] = await chain.callContracts([{ to: caller, data }]);
      return decodeAddressAt(answer ?? assert.fail(), 0);
    },
    encodeMint: (caller, lower, upper, liquidity) => [caller, lower, upper, liquidity, '0x'],
  };
}

function readAlgebra(name: string): NpmContract {
  return readNpmContract(`@cryptoalgebra/v1-core/artifacts/contracts/${name}.sol/${name}.json`);
}

/** With the two parts of a fee that a plugin chose, or without. */
const LONG_SWAP = '0x121cb44ee54098b1a04743c487e7460d8dd429b27f88b1f4d4767396e1a59f79';
const SWAP = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67';
const INTEGRAL_CREATED = '0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db';
const ALGEBRA_HASH = '0x6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4';

function createAlgebraVenue(): NpmVenue {
  const { abi: poolAbi, bytecode } = readAlgebra('AlgebraPool');
  assert.equal(keccak256(bytecode), ALGEBRA_HASH, 'the code of the chain');
  const [deployer, factory] = [readAlgebra('AlgebraPoolDeployer'), readAlgebra('AlgebraFactory')];
  return {
    ...{ chain: 'polygon', spacing: 60, feePips: 100, poolAbi },
    async open(chain, _, tokens) {
      const poolDeployer = chain.create(deployer);
      const maker = chain.create(factory, [poolDeployer, zeroAddress]);
      const set = { to: poolDeployer, abi: deployer.abi, functionName: 'setFactory' };
      chain.call({ ...set, args: [maker] });
      const create = { to: maker, abi: factory.abi, functionName: 'createPool' };
      chain.call({ ...create, args: tokens }, CREATE_GAS);
      const logs = await chain.mine();
      const created = logs.find(({ address, topics }) => address === maker && topics.length === 3);
      return decodeAddressAt(created?.data ?? assert.fail('no pool'), 0);
    },
    encodeMint: (caller, ...range) => [caller, caller, ...range, '0x'],
  };
}

type IntegralCore = 'integral-core' | 'integral-core-1.2.1';

function readIntegral(name: string, core: IntegralCore = 'integral-core'): NpmContract {
  const [file = name] = name.split('/').slice(-1);
  return readNpmContract(`@cryptoalgebra/${core}/artifacts/contracts/${name}.sol/${file}.json`);
}

/** Calls its plugin before each swap, and lets it choose the fee. */
const PLUGGED = 129;
/** The stored fee, or what the plugin chose: a fee of its own, and a part on top. */
const INTEGRAL_FEES = [null, 3000, [2500, 0], [700, 300], [90_000, 10_000], [1, 0]] as const;

/** The deployer and the factory name each other. Only the newest package has a plugin for tests. */
function createIntegralVenue(core: IntegralCore, swapTopic: string): NpmVenue {
  const { abi: poolAbi } = readIntegral('AlgebraPool', core);
  const deployer = readIntegral('AlgebraPoolDeployer', core);
  const factory = readIntegral('AlgebraFactory', core);
  const pluginCode = readIntegral('test/MockPoolPlugin');
  let plugin: Address | null = null;
  return {
    ...{ chain: 'base', spacing: 60, bitmapSpacing: null, feePips: 500, poolAbi, swapTopic },
    async open(chain, _, tokens) {
      const poolDeployer = chain.create(deployer, [chain.nextAddress(1)]);
      const maker = chain.create(factory, [poolDeployer]);
      const create = { to: maker, abi: factory.abi, functionName: 'createPool' };
      chain.call({ ...create, args: [...tokens, '0x'] }, CREATE_GAS);
      const logs = await chain.mine();
      const created = logs.find(({ topics }) => topics[0] === INTEGRAL_CREATED);
      return decodeAddressAt(created?.data ?? assert.fail('no pool'), 0);
    },
    encodeMint: (caller, ...range) => [caller, caller, ...range, '0x'],
    prepare(chain, pool, round) {
      const fee = INTEGRAL_FEES[round] ?? null;
      const call = (functionName: string, ...args: readonly unknown[]) =>
        chain.call({ to: pool, abi: poolAbi, functionName, args });
      if (fee === null) return;
      if (typeof fee === 'number') return call('setFee', fee);
      if (plugin === null) {
        plugin = chain.create(pluginCode, [pool]);
        call('setPlugin', plugin);
        call('setPluginConfig', PLUGGED);
      }
      const set = { to: plugin, abi: pluginCode.abi, functionName: 'setPluginFees' };
      chain.call({ ...set, args: fee });
    },
  };
}

interface RandomSwap {
  readonly zeroForOne: boolean;
  /** Below zero for a given output, as the pools take it. */
  readonly amount: bigint;
}

/** From dust to what crosses ticks; what one side was paid is paid back before it is too much. */
function drawSwaps(seed: number): RandomSwap[] {
  const random = createRandom(seed);
  let paid = 0;
  return Array.from({ length: SWAP_COUNT }, () => {
    const size = random() < 0.5 ? 10 ** (random() * 19) : 10 ** (19 + random() * 1.1);
    const isBalanced = Math.abs(paid) < PAID_MAX;
    const zeroForOne = isBalanced ? random() < 0.5 : paid < 0;
    paid += zeroForOne ? size : -size;
    const isGivenOut = random() < 0.3;
    const amount = BigInt(Math.ceil(size));
    return { zeroForOne, amount: isGivenOut ? -amount : amount };
  });
}

/** Runs the swaps in the pool; returns the logs since its opening. */
async function execute(venue: NpmVenue, swaps: readonly RandomSwap[]) {
  const chain = await VenueChain.start();
  try {
    const caller = chain.create(CALLER);
    const [first, second] = chain.createTokens([18, 18], [caller]);
    const tokens = [first?.address, second?.address] as [Address, Address];
    const pool = await venue.open(chain, caller, tokens);
    const run = (functionName: string, args: readonly unknown[]) => {
      const data = encodeFunctionData({ abi: venue.poolAbi, functionName, args });
      const call = { to: caller, abi: CALLER_ABI, functionName: 'run', args: [pool, data] };
      chain.call(call, SWAP_GAS);
    };
    run('initialize', [PRICE_ONE]);
    for (const [lower, upper, units] of POSITIONS) {
      const ends = [lower * venue.spacing, upper * venue.spacing] as const;
      run('mint', venue.encodeMint(caller, ...ends, units * LIQUIDITY));
    }
    const logs: EvmLog[] = [...(await chain.mine())];
    for (let at = 0; at < swaps.length; at += SWAPS_PER_BLOCK) {
      venue.prepare?.(chain, pool, at / SWAPS_PER_BLOCK);
      for (const { zeroForOne, amount } of swaps.slice(at, at + SWAPS_PER_BLOCK)) {
        const limit = zeroForOne ? LIMITS.down : LIMITS.up;
        run('swap', [caller, zeroForOne, amount, limit, '0x']);
      }
      logs.push(...(await chain.mine(BLOCK_GAP_S)));
    }
    return { pool, logs };
  } finally {
    await chain.stop();
  }
}

/** The pool as its logs tell it. */
class FollowedPool {
  readonly #spacing: number | null;
  readonly #net = new Map<number, bigint>();
  fees: number;
  feeCount = 0;
  state = { sqrtPriceX96: PRICE_ONE, tick: 0, liquidity: 0n };

  constructor({ spacing, bitmapSpacing = spacing, feePips }: NpmVenue) {
    this.#spacing = bitmapSpacing;
    this.fees = feePips;
  }

  createPool(): ConcentratedPool {
    const ticks = [...this.#net].sort(([a], [b]) => a - b);
    return new ConcentratedPool(this.state, {
      bitmapSpacing: this.#spacing,
      fees: { zeroForOne: this.fees, oneForZero: this.fees },
      ticks: new TickList(ticks.map(([tick, liquidityNet]) => ({ tick, liquidityNet }))),
    });
  }

  apply({ change }: Extract<DecodedEvent, { kind: 'swap' | 'poolChanged' }>): void {
    if (change?.poolKind !== 'concentrated') return;
    if (change.type === 'fees') {
      if (this.fees !== change.fees.zeroForOne) this.feeCount += 1;
      this.fees = change.fees.zeroForOne;
    }
    if (change.type === 'swapped') {
      const { sqrtPriceX96, tick, liquidity } = change;
      this.state = { sqrtPriceX96, tick, liquidity };
    }
    if (change.type !== 'position') return;
    const { tickLower, tickUpper, liquidityDelta } = change;
    this.#net.set(tickLower, (this.#net.get(tickLower) ?? 0n) + liquidityDelta);
    this.#net.set(tickUpper, (this.#net.get(tickUpper) ?? 0n) - liquidityDelta);
    const { tick, liquidity } = this.state;
    const isInside = tickLower <= tick && tick < tickUpper;
    this.state = { ...this.state, liquidity: liquidity + (isInside ? liquidityDelta : 0n) };
  }
}

/** Compares each swap with its computation; returns what was seen. */
function compare(venue: NpmVenue, swaps: readonly RandomSwap[], logs: readonly DecodedEvent[]) {
  const followed = new FollowedPool(venue);
  let [count, crossed] = [0, 0];
  for (const event of logs) {
    if (event.kind !== 'swap' && event.kind !== 'poolChanged') continue;
    const { zeroForOne, amount } = swaps[count] ?? { zeroForOne: true, amount: 1n };
    const pool = followed.createPool();
    followed.apply(event);
    if (event.kind !== 'swap') continue;
    const swap = amount > 0n ? pool.swapIn(zeroForOne, amount) : pool.swapOut(zeroForOne, -amount);
    const amounts = [swap.amountIn, -swap.amountOut];
    const what = `swap ${count}: ${amount} ${zeroForOne}`;
    assert.deepEqual(
      zeroForOne ? amounts : amounts.reverse(),
      [event.amount0, event.amount1],
      what,
    );
    assert.equal(swap.sqrtPriceX96, followed.state.sqrtPriceX96, what);
    assert.equal(swap.liquidity, followed.state.liquidity, what);
    crossed += swap.ticksCrossed;
    count += 1;
  }
  return { count, crossed, feeCount: followed.feeCount };
}

describe('300 random swaps of the contracts on npm', () => {
  for (const [name, createVenue, feeCountMin] of [
    ['PancakeSwap V3', createPancake, 0],
    ['Algebra V1', createAlgebraVenue, 3],
    ['Algebra Integral 1.2.10', () => createIntegralVenue('integral-core', SWAP), 5],
    ['Algebra Integral 1.2.1', () => createIntegralVenue('integral-core-1.2.1', LONG_SWAP), 5],
  ] as const) {
    it(`${name}: amounts, price and liquidity are computed to the unit`, async () => {
      const venue = createVenue();
      const swaps = drawSwaps(23);
      const { pool, logs } = await execute(venue, swaps);
      const decoding = createLogDecoding(EVM_DEPLOYMENTS[venue.chain] ?? assert.fail());
      const events = decoding.decode(logs).blocks.flatMap((block) => block.events);
      const own = events.filter((event) => 'pool' in event && event.pool === toPoolId(pool));
      const { count, crossed, feeCount } = compare(venue, swaps, own);
      assert.equal(count, SWAP_COUNT);
      const { swapTopic } = venue;
      const ofTopic = logs.filter(({ topics }) => topics[0] === swapTopic);
      assert.equal(ofTopic.length, swapTopic === undefined ? 0 : SWAP_COUNT);
      assert.ok(crossed > 50, `${crossed} ticks were crossed`);
      assert.ok(feeCount >= feeCountMin, `${feeCount} fees`);
    });
  }
});
