// Every decoder against viem's, with arguments from the whole range of their types.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AbiEvent,
  encodeAbiParameters,
  encodeEventTopics,
  parseAbiItem,
  toEventSelector,
} from 'viem';
import { fc } from '../../../../test/fast-check.ts';
import { address as toAddress, transactionId } from '../../../../test/test-ids.ts';
import type { Address } from '../../../model/ids.ts';
import type { DecodedEvent, EvmLog } from '../data/evm-log.ts';
import { EVM_DEPLOYMENTS } from '../venues/deployments.ts';
import { balancer } from './balancer/balancer.ts';
import { curve } from './curve/curve.ts';
import { dodo } from './dodo/dodo.ts';
import { eulerSwap } from './euler-swap/euler-swap.ts';
import { fluid } from './fluid/fluid.ts';
import { fourMeme } from './four-meme/four-meme.ts';
import { liquidityBook } from './liquidity-book/liquidity-book.ts';
import { createLogDecoding } from './log-decoding.ts';
import { maverick } from './maverick/maverick.ts';
import { sky } from './sky/sky.ts';
import { uniswapV2 } from './uniswap-v2/uniswap-v2.ts';

const DEPLOYMENT = EVM_DEPLOYMENTS.ethereum!;
const DECODING = createLogDecoding(DEPLOYMENT);
const V2 = DEPLOYMENT.v2[0]!;
const V3 = DEPLOYMENT.v3[0]!;
const INTEGRAL = DEPLOYMENT.v3.find(({ layout }) => layout === 'algebraIntegral')!;
const V4 = DEPLOYMENT.v4!;
const SOLIDLY_FORK = DEPLOYMENT.v2.find(({ layout }) => layout === 'solidlyFork')!;

const TX_HASH = transactionId(`0x${'7'.repeat(64)}`);
const EMITTER = toAddress(`0x${'e'.repeat(40)}`);

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString('hex')}`);
const address = hex(20);
const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n });
const int = (bits: number) =>
  fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n });
const small = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 });
const signed = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 });

type Args = Record<string, unknown>;

interface Case {
  readonly signature: string;
  readonly emitter?: Address;
  readonly args: Record<string, fc.Arbitrary<unknown>>;
  expected(args: Args): readonly object[];
}

const origin = { txHash: TX_HASH, logIndex: 3 };

function buildPoolCreated(args: Args, rest: object) {
  const { token0, token1 } = args;
  return { kind: 'poolCreated', description: { token0, token1, ...rest }, complete: true };
}

function buildPoolChanged(pool: unknown, change: object) {
  return { kind: 'poolChanged', pool, change };
}

function buildRangeChange(pool: unknown, change: object) {
  return buildPoolChanged(pool, { poolKind: 'concentrated', ...change });
}

function buildSwapped(fields: object) {
  return { poolKind: 'concentrated', type: 'swapped', ...fields };
}

/** A fee that a plugin chose is in place of the stored one, and its part on top. */
function listChosenFee({ overrideFee, pluginFee }: Args): readonly object[] {
  if (overrideFee === 0) return [];
  const fee = Number(overrideFee) + Number(pluginFee);
  return [
    buildRangeChange(EMITTER, { type: 'fees', fees: { zeroForOne: fee, oneForZero: fee } }),
    buildRangeChange(EMITTER, { type: 'feeRule', rule: 'perSwap' }),
  ];
}

const CASES: readonly Case[] = [
  {
    signature: 'event Transfer(address indexed from, address indexed to, uint256 amountRaw)',
    args: { from: address, to: address, amountRaw: uint(256) },
    expected: (args) => [{ kind: 'transfer', token: EMITTER, ...args }],
  },
  {
    signature: 'event Deposit(address indexed to, uint256 amountRaw)',
    emitter: DEPLOYMENT.wrapped,
    args: { to: address, amountRaw: uint(256) },
    expected: (args) => [{ kind: 'transfer', token: DEPLOYMENT.wrapped, from: null, ...args }],
  },
  {
    signature: 'event Withdrawal(address indexed from, uint256 amountRaw)',
    emitter: DEPLOYMENT.wrapped,
    args: { from: address, amountRaw: uint(256) },
    expected: (args) => [{ kind: 'transfer', token: DEPLOYMENT.wrapped, to: null, ...args }],
  },
  {
    signature:
      'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
    emitter: V2.factory,
    args: { token0: address, token1: address, pair: address, count: uint(64) },
    expected: (args) => [
      buildPoolCreated(args, {
        pool: args['pair'],
        vault: args['pair'],
        venue: 'uniswap-v2',
        feePips: 3000,
        kind: 'constantProduct',
        terms: null,
      }),
    ],
  },
  {
    signature:
      'event PairCreated(address indexed token0, address indexed token1, bool stable, address pair, uint256 count)',
    emitter: SOLIDLY_FORK.factory,
    args: {
      ...{ token0: address, token1: address, stable: fc.boolean() },
      ...{ pair: address, count: uint(64) },
    },
    expected: (args) => [
      buildPoolCreated(args, {
        ...{ pool: args['pair'], vault: args['pair'], venue: SOLIDLY_FORK.venue, feePips: 0 },
        kind: 'solidlyPair',
        terms: {
          ...{ rounding: 'fee', loop: 'checked', reserveBits: 256 },
          ...{ feeLeavesPips: 1_000_000, stableFeeLeavesPips: 1_000_000 },
        },
      }),
      buildPoolChanged(args['pair'], {
        poolKind: 'solidlyPair',
        set: { isStable: args['stable'] },
      }),
    ],
  },
  ...[112, 256].map(
    (bits): Case => ({
      signature: `event Sync(uint${bits} reserve0, uint${bits} reserve1)`,
      args: { reserve0: uint(bits), reserve1: uint(bits) },
      expected: (args) => [buildPoolChanged(EMITTER, { poolKind: 'constantProduct', ...args })],
    }),
  ),
  ...['PAIRS, address indexed to', 'address indexed to, PAIRS'].map(
    (order): Case => ({
      signature: `event Swap(address indexed sender, ${order.replace(
        'PAIRS',
        'uint256 in0, uint256 in1, uint256 out0, uint256 out1',
      )})`,
      args: {
        ...{ sender: address, to: address },
        ...{ in0: uint(256), in1: uint(256), out0: uint(256), out1: uint(256) },
      },
      expected: ({ in0, in1, out0, out1 }) => [
        {
          kind: 'swap',
          ...origin,
          pool: EMITTER,
          amount0: (in0 as bigint) - (out0 as bigint),
          amount1: (in1 as bigint) - (out1 as bigint),
          change: null,
        },
      ],
    }),
  ),
  {
    signature:
      'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
    emitter: V3.factory,
    args: {
      token0: address,
      token1: address,
      fee: small(24),
      tickSpacing: signed(24),
      pool: address,
    },
    expected: (args) => [
      buildPoolCreated(args, {
        pool: args['pool'],
        vault: args['pool'],
        venue: 'uniswap-v3',
        feePips: args['fee'],
        kind: 'concentrated',
        terms: { tickSpacing: args['tickSpacing'], custody: { kind: 'own' } },
      }),
    ],
  },
  {
    signature: 'event Initialize(uint160 sqrtPriceX96, int24 tick)',
    args: { sqrtPriceX96: uint(160), tick: signed(24) },
    expected: (args) => [buildRangeChange(EMITTER, { type: 'initialized', ...args })],
  },
  {
    signature:
      'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
    args: {
      sender: address,
      owner: address,
      tickLower: signed(24),
      tickUpper: signed(24),
      amount: fc.bigInt({ min: 1n, max: 2n ** 128n - 1n }),
      amount0: uint(256),
      amount1: uint(256),
    },
    expected: ({ tickLower, tickUpper, amount }) => [
      buildRangeChange(EMITTER, { type: 'position', tickLower, tickUpper, liquidityDelta: amount }),
    ],
  },
  {
    signature:
      'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
    args: {
      owner: address,
      tickLower: signed(24),
      tickUpper: signed(24),
      amount: fc.oneof(fc.constant(0n), uint(128)),
      amount0: uint(256),
      amount1: uint(256),
    },
    expected: ({ tickLower, tickUpper, amount }) =>
      amount === 0n
        ? []
        : [
            buildRangeChange(EMITTER, {
              type: 'position',
              tickLower,
              tickUpper,
              liquidityDelta: -(amount as bigint),
            }),
          ],
  },
  {
    signature:
      'event CustomPool(address indexed deployer, address indexed token0, address indexed token1, address pool)',
    emitter: INTEGRAL.factory,
    args: { deployer: address, token0: address, token1: address, pool: address },
    expected: (args) => [
      buildPoolCreated(args, {
        ...{ pool: args['pool'], vault: args['pool'], venue: INTEGRAL.venue, feePips: 0 },
        kind: 'concentrated',
        terms: {
          ...{ tickSpacing: 1, stopsAtTicksOnly: true },
          custody: { kind: 'own', deployer: args['deployer'] },
        },
      }),
      buildRangeChange(args['pool'], { type: 'unread' }),
    ],
  },
  {
    signature: 'event Pool(address indexed token0, address indexed token1, address pool)',
    emitter: INTEGRAL.factory,
    args: { token0: address, token1: address, pool: address },
    expected: (args) => [
      buildPoolCreated(args, {
        ...{ pool: args['pool'], vault: args['pool'], venue: INTEGRAL.venue, feePips: 0 },
        kind: 'concentrated',
        terms: { tickSpacing: 1, stopsAtTicksOnly: true, custody: { kind: 'own' } },
      }),
      buildRangeChange(args['pool'], { type: 'unread' }),
    ],
  },
  {
    signature: 'event Fee(uint16 fee)',
    args: { fee: small(16) },
    expected: ({ fee }) => [
      buildRangeChange(EMITTER, { type: 'fees', fees: { zeroForOne: fee, oneForZero: fee } }),
    ],
  },
  {
    signature: 'event PluginConfig(uint8 newPluginConfig)',
    args: { newPluginConfig: small(8) },
    expected: ({ newPluginConfig }) => [
      buildRangeChange(EMITTER, {
        ...{ type: 'feeRule', rule: Number(newPluginConfig) % 2 === 1 ? 'timed' : 'stored' },
      }),
    ],
  },
  {
    signature: 'event SwapFee(address indexed sender, uint24 overrideFee, uint24 pluginFee)',
    args: { sender: address, overrideFee: small(24), pluginFee: small(24) },
    expected: listChosenFee,
  },
  {
    signature:
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick, uint24 overrideFee, uint24 pluginFee)',
    args: {
      ...{ sender: address, recipient: address, amount0: int(256), amount1: int(256) },
      ...{ price: uint(160), liquidity: uint(128), tick: signed(24) },
      ...{ overrideFee: fc.oneof(fc.constant(0), small(24)), pluginFee: small(24) },
    },
    expected: ({ amount0, amount1, price, liquidity, tick, ...fees }) => [
      ...listChosenFee(fees),
      {
        ...{ kind: 'swap', ...origin, pool: EMITTER, amount0, amount1 },
        change: buildSwapped({ sqrtPriceX96: price, liquidity, tick, feePips: null }),
      },
    ],
  },
  {
    signature:
      'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1, uint24 pluginFee)',
    args: {
      ...{ owner: address, tickLower: signed(24), tickUpper: signed(24), amount: uint(128) },
      ...{ amount0: uint(256), amount1: uint(256), pluginFee: small(24) },
    },
    expected: ({ tickLower, tickUpper, amount }) =>
      amount === 0n
        ? []
        : [
            buildRangeChange(EMITTER, {
              ...{ type: 'position', tickLower, tickUpper, liquidityDelta: -(amount as bigint) },
            }),
          ],
  },
  ...['', ', uint128 protocolFeesToken0, uint128 protocolFeesToken1'].map(
    (more): Case => ({
      signature: `event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick${more})`,
      args: {
        sender: address,
        recipient: address,
        amount0: int(256),
        amount1: int(256),
        sqrtPriceX96: uint(160),
        liquidity: uint(128),
        tick: signed(24),
        ...(more === '' ? {} : { protocolFeesToken0: uint(128), protocolFeesToken1: uint(128) }),
      },
      expected: ({ amount0, amount1, sqrtPriceX96, liquidity, tick }) => [
        {
          kind: 'swap',
          ...origin,
          pool: EMITTER,
          amount0,
          amount1,
          change: buildSwapped({ sqrtPriceX96, liquidity, tick, feePips: null }),
        },
      ],
    }),
  ),
  {
    signature:
      'event Initialize(bytes32 indexed pool, address indexed token0, address indexed token1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
    emitter: V4.poolManager,
    args: {
      pool: hex(32),
      token0: fc.oneof(address, fc.constant(`0x${'0'.repeat(40)}`)),
      token1: address,
      fee: fc.oneof(fc.constant(0x80_0000), fc.integer({ min: 0, max: 1_000_000 })),
      tickSpacing: signed(24),
      hooks: fc.oneof(address, fc.constant(`0x${'0'.repeat(40)}`)),
      sqrtPriceX96: uint(160),
      tick: signed(24),
    },
    expected: (args) => {
      const { pool, fee, hooks, tickSpacing, sqrtPriceX96, tick } = args;
      return [
        buildPoolCreated(args, {
          pool,
          vault: V4.poolManager,
          venue: 'uniswap-v4',
          feePips: fee === 0x80_0000 ? 0 : fee,
          kind: 'concentrated',
          terms: {
            tickSpacing,
            custody: { kind: 'singleton', hooks: hooks === `0x${'0'.repeat(40)}` ? null : hooks },
          },
        }),
        buildRangeChange(pool, { type: 'initialized', sqrtPriceX96, tick }),
      ];
    },
  },
  {
    signature:
      'event ModifyLiquidity(bytes32 indexed pool, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
    emitter: V4.poolManager,
    args: {
      pool: hex(32),
      sender: address,
      tickLower: signed(24),
      tickUpper: signed(24),
      liquidityDelta: fc.oneof(fc.constant(0n), int(256)),
      salt: hex(32),
    },
    expected: ({ pool, tickLower, tickUpper, liquidityDelta }) =>
      liquidityDelta === 0n
        ? []
        : [buildRangeChange(pool, { type: 'position', tickLower, tickUpper, liquidityDelta })],
  },
  {
    signature:
      'event Swap(bytes32 indexed pool, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
    emitter: V4.poolManager,
    args: {
      pool: hex(32),
      sender: address,
      amount0: int(128),
      amount1: int(128),
      sqrtPriceX96: uint(160),
      liquidity: uint(128),
      tick: signed(24),
      fee: small(24),
    },
    expected: ({ pool, amount0, amount1, sqrtPriceX96, liquidity, tick, fee }) => [
      {
        kind: 'swap',
        ...origin,
        pool,
        amount0: -(amount0 as bigint),
        amount1: -(amount1 as bigint),
        change: buildSwapped({ sqrtPriceX96, liquidity, tick, feePips: fee }),
      },
    ],
  },
  {
    signature: 'event ProtocolFeeUpdated(bytes32 indexed pool, uint24 protocolFee)',
    emitter: V4.poolManager,
    args: { pool: hex(32), protocolFee: small(24) },
    expected: ({ pool, protocolFee }) => [
      buildRangeChange(pool, { type: 'protocolFee', protocolFee }),
    ],
  },
];

function encode(one: Case, args: Args): EvmLog {
  const item = parseAbiItem(one.signature) as AbiEvent;
  const plain = item.inputs.filter((input) => input.indexed !== true);
  return {
    address: one.emitter ?? EMITTER,
    topics: encodeEventTopics({ abi: [item], args } as never) as string[],
    data: encodeAbiParameters(
      plain,
      plain.map((input) => args[input.name ?? '']),
    ),
    block: 1,
    blockHash: `0x${'1'.repeat(64)}`,
    txHash: TX_HASH,
    logIndex: 3,
    timestampMs: null,
  };
}

function decode(log: EvmLog): DecodedEvent[] {
  return DECODING.decode([log]).blocks.flatMap((block) => block.events);
}

for (const one of CASES) {
  const selector = toEventSelector(parseAbiItem(one.signature) as AbiEvent).slice(0, 10);
  const name = one.signature.replace(/^event (\w+).*/, '$1');

  test(`${name} (${selector}) is decoded as viem encodes it`, () => {
    fc.assert(
      fc.property(fc.record(one.args), (args) => {
        assert.deepEqual(decode(encode(one, args)), one.expected(args));
      }),
      { numRuns: 60 },
    );
  });

  test(`${name} (${selector}) of another shape or emitter tells nothing`, () => {
    const [args] = fc.sample(fc.record(one.args), { numRuns: 1, seed: 7 });
    const log = encode(one, args as Args);
    assert.deepEqual(decode({ ...log, data: log.data.slice(0, -2) }), []);
    assert.deepEqual(decode({ ...log, data: `${log.data}${'0'.repeat(64)}` }), []);
    assert.deepEqual(decode({ ...log, topics: [...log.topics, `0x${'0'.repeat(64)}`] }), []);
    assert.deepEqual(decode({ ...log, topics: log.topics.slice(0, -1) }), []);
    if (one.emitter !== undefined) assert.deepEqual(decode({ ...log, address: EMITTER }), []);
  });
}

test('every topic that a decoder listens to is asked for, once', () => {
  const selectors = CASES.map((one) => toEventSelector(parseAbiItem(one.signature) as AbiEvent));
  // Those of other venues have tests of their own.
  const others = [
    ...[curve, balancer, dodo, maverick, fluid, fourMeme, sky, liquidityBook],
    eulerSwap,
  ].flatMap((one) => [...one.createDecoders(DEPLOYMENT).keys()]);
  assert.deepEqual([...DECODING.topics].sort(), [...selectors, ...others].sort());
});

test('two protocols with one topic are refused', () => {
  const create = () => createLogDecoding(EVM_DEPLOYMENTS.base!, [uniswapV2, uniswapV2]);
  assert.throws(create, /two protocols decode logs of topic 0x/);
});

test('a wrapped coin that emits transfers itself is not counted twice', () => {
  const { topics } = createLogDecoding(EVM_DEPLOYMENTS.arbitrum!);
  assert.equal(topics.includes(toEventSelector('event Deposit(address, uint256)')), false);
});
