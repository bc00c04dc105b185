// Exchanges whose swaps are decoded and not computed: they count if the exchange's own contracts
// vouch for the pool.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi } from 'viem';
import { createTestContracts, decodeTestLog, encodeTestLog } from '../../../../test/evm-logs.ts';
import { address, poolId } from '../../../../test/test-ids.ts';
import type { Address } from '../../../model/ids.ts';
import { toCoinPairPool } from '../data/evm-ids.ts';
import type { DecodedEvent, EvmLog } from '../data/evm-log.ts';
import { addressWord, uintWord } from '../data/hex-data.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { EVM_DEPLOYMENTS } from '../venues/deployments.ts';
import { curve } from './curve/curve.ts';
import { dodo } from './dodo/dodo.ts';
import { eulerSwap } from './euler-swap/euler-swap.ts';
import { fluid } from './fluid/fluid.ts';
import { fourMeme, toCurveId } from './four-meme/four-meme.ts';
import { infinityBins, infinityRanges } from './infinity/infinity.ts';
import { maverick } from './maverick/maverick.ts';
import { sky } from './sky/sky.ts';
import type { VenueProtocol } from './venue-protocol.ts';
import { woofi } from './woofi/woofi.ts';

const BSC = EVM_DEPLOYMENTS.bsc ?? assert.fail();
const { infinity = assert.fail(), dodo: FACTORIES = assert.fail() } = BSC;
const { maverick: MAVERICK = assert.fail() } = BSC;
const [LOW, HIGH, POOL, OTHER] = ['1', '2', '9', '8'].map((digit) =>
  address(`0x${digit.repeat(40)}`),
) as [Address, Address, Address, Address];
const ABI = parseAbi([
  'function poolIdToPoolKey(bytes32 id)',
  'function _BASE_TOKEN_()',
  'function _QUOTE_TOKEN_()',
  'function getDODOPool(address base, address quote)',
  'function isFactoryPool(address pool)',
  'function tokenA()',
  'function tokenB()',
  'function constantsView()',
  'function getDexAddress(uint256 number)',
  'function getTokenInfo(address token)',
  'function getAssets()',
  'function getParams()',
  'function poolByEulerAccount(address account)',
  'function deployedPools(address pool)',
  'function _tokenInfos(address token)',
  'function gem()',
  'function dai()',
  'function usds()',
  'function usdc()',
  'function susds()',
  'function coins(uint256 index)',
  'function getPairInfo(address a, address b)',
  'function getThreePoolPairInfo(address a, address b)',
]);

type Answers = Parameters<typeof createTestContracts>[0];

function encodeCall(functionName: string, ...args: readonly unknown[]): string {
  return encodeFunctionData({ abi: ABI, functionName, args } as never);
}

function toWords(...words: readonly (Address | number)[]): string {
  const hex = words.map((one) => (typeof one === 'number' ? uintWord(one) : addressWord(one)));
  return `0x${hex.join('')}`;
}

async function resolve(protocol: VenueProtocol, pool: string, answers: Answers, deployment = BSC) {
  const callContracts = createTestContracts(answers);
  return await protocol.resolvePools([poolId(pool)], { deployment, callContracts });
}

const decode = (log: EvmLog, deployment = BSC) => decodeTestLog(deployment, log);

function decodeSwap(log: EvmLog, deployment = BSC) {
  const [event] = decode(log, deployment);
  assert.ok(event?.kind === 'swap');
  const { pool, amount0, amount1, change } = event;
  return { pool, amounts: [amount0, amount1], change };
}

const lastOf = (last0: bigint, last1: bigint) => ({
  ...{ poolKind: 'tradesOnly', set: { last0, last1 } },
});

const RANGES =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee, uint16 protocolFee)';
const BINS =
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint24 activeId, uint24 fee, uint16 protocolFee)';

describe('PancakeSwap Infinity', () => {
  const key = encodeAbiParameters(
    ['address', 'address', 'address', 'address', 'uint24', 'bytes32'].map((type) => ({ type })),
    [LOW, HIGH, OTHER, infinity.ranges, 2500, `0x${'a'.repeat(64)}`] as never,
  );
  const id = keccak256(key);
  const state = { sqrtPriceX96: 1n, liquidity: 1n, tick: 1, fee: 1, protocolFee: 1, activeId: 1 };

  for (const [event, manager, protocol] of [
    [RANGES, infinity.ranges, infinityRanges],
    [BINS, infinity.bins, infinityBins],
  ] as const) {
    const encode = (amount0: bigint, amount1: bigint, emitter = manager) =>
      encodeTestLog(event, emitter, { id, sender: OTHER, amount0, amount1, ...state });
    const [venue = ''] = protocol.listVenues(BSC);

    it(`${venue}: what the swapper paid came into the pool`, () => {
      const forth = decodeSwap(encode(-5n, 7n));
      assert.deepEqual(forth, { pool: id, amounts: [5n, -7n], change: lastOf(5n, 7n) });
      assert.deepEqual(decodeSwap(encode(9n, -4n)).amounts, [-9n, 4n]);
      assert.deepEqual(decode(encode(-5n, 7n, OTHER)), [], 'only its manager is believed');
      assert.deepEqual(decode(encode(-5n, -7n)), [], 'a hook let it take both');
      assert.deepEqual(decode(encode(0n, 0n)), [], 'nothing moved');
    });

    it(`${venue}: the manager tells the key of a pool, whose hash is the id`, async () => {
      const call = `${manager} ${encodeCall('poolIdToPoolKey', id)}`;
      const [pool] = await resolve(protocol, id, new Map([[call, key]]));
      const { token0, token1, vault, feePips, kind } = pool ?? assert.fail();
      assert.deepEqual([token0, token1, vault, feePips], [LOW, HIGH, infinity.vault, 2500]);
      assert.equal(kind, 'tradesOnly');
      const strange = `0x${'c'.repeat(64)}` as const;
      const lie = `${manager} ${encodeCall('poolIdToPoolKey', strange)}`;
      assert.deepEqual(await resolve(protocol, strange, new Map([[lie, key]])), []);
    });
  }
});

describe('DODO V2', () => {
  const EVENT =
    'event DODOSwap(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver)';
  const encode = (fromToken: Address, toToken: Address) => {
    const amounts = { fromAmount: 5n, toAmount: 7n, trader: OTHER, receiver: OTHER };
    return encodeTestLog(EVENT, POOL, { fromToken, toToken, ...amounts });
  };
  const tokens = new Map([
    [`${POOL} ${encodeCall('_BASE_TOKEN_')}`, toWords(HIGH)],
    [`${POOL} ${encodeCall('_QUOTE_TOKEN_')}`, toWords(LOW)],
  ]);
  const list = (factory: Address) => `${factory} ${encodeCall('getDODOPool', HIGH, LOW)}`;

  it('names both tokens in the log', () => {
    const forth = decodeSwap(encode(LOW, HIGH));
    assert.deepEqual(forth, { pool: POOL, amounts: [5n, -7n], change: lastOf(5n, 7n) });
    assert.deepEqual(decodeSwap(encode(HIGH, LOW)).amounts, [-7n, 5n]);
    assert.deepEqual(decode(encode(LOW, LOW)), []);
  });

  it('has the pools that any of its factories lists for their tokens', async () => {
    for (const factory of FACTORIES) {
      const answers = new Map([...tokens, [list(factory), toWords(32, 2, OTHER, POOL)]]);
      const [pool] = await resolve(dodo, POOL, answers);
      const { token0, token1, venue } = pool ?? assert.fail();
      assert.deepEqual([token0, token1, venue], [LOW, HIGH, 'dodo-v2']);
    }
    const others = new Map([...tokens, [list(FACTORIES[0] ?? OTHER), toWords(32, 1, OTHER)]]);
    assert.deepEqual(await resolve(dodo, POOL, others), []);
    assert.deepEqual(await resolve(dodo, POOL, tokens), []);
  });
});

describe('Maverick V2', () => {
  const EVENT =
    'event PoolSwap(address sender, address recipient, (uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params, uint256 amountIn, uint256 amountOut)';
  const encode = (tokenAIn: boolean) => {
    const params = { amount: 5n, tokenAIn, exactOutput: false, tickLimit: 3 };
    const amounts = { amountIn: 5n, amountOut: 7n };
    return encodeTestLog(EVENT, POOL, { sender: OTHER, recipient: OTHER, params, ...amounts });
  };

  it('says which token was paid', () => {
    const forth = decodeSwap(encode(true));
    assert.deepEqual(forth, { pool: POOL, amounts: [5n, -7n], change: lastOf(5n, 7n) });
    assert.deepEqual(decodeSwap(encode(false)).amounts, [-7n, 5n]);
  });

  it('has the pools that its factory calls its own', async () => {
    const answers = (isOwn: number) =>
      new Map([
        [`${MAVERICK} ${encodeCall('isFactoryPool', POOL)}`, toWords(isOwn)],
        [`${POOL} ${encodeCall('tokenA')}`, toWords(LOW)],
        [`${POOL} ${encodeCall('tokenB')}`, toWords(HIGH)],
      ]);
    const [pool] = await resolve(maverick, POOL, answers(1));
    assert.deepEqual([pool?.token0, pool?.token1, pool?.venue], [LOW, HIGH, 'maverick-v2']);
    assert.deepEqual(await resolve(maverick, POOL, answers(0)), []);
  });
});

describe('Fluid', () => {
  const { factory, liquidity } = BSC.fluid ?? assert.fail();
  const EVENT = 'event Swap(bool swap0to1, uint256 amountIn, uint256 amountOut, address to)';
  const encode = (swap0to1: boolean) =>
    encodeTestLog(EVENT, POOL, { swap0to1, amountIn: 5n, amountOut: 7n, to: OTHER });
  const answers = (told: Address, token1: Address) =>
    new Map([
      [
        `${POOL} ${encodeCall('constantsView')}`,
        toWords(
          ...[12, OTHER, factory, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, LOW, token1],
          ...[1, 2, 3, 4, 5, 6, 7],
        ),
      ],
      [`${factory} ${encodeCall('getDexAddress', 12n)}`, toWords(told)],
    ]);

  it('says which token was paid', () => {
    const forth = decodeSwap(encode(true));
    assert.deepEqual(forth, { pool: POOL, amounts: [5n, -7n], change: lastOf(5n, 7n) });
    assert.deepEqual(decodeSwap(encode(false)).amounts, [-7n, 5n]);
  });

  it('has the pools that its factory has under their numbers', async () => {
    const [pool] = await resolve(fluid, POOL, answers(POOL, HIGH));
    const { token0, token1, venue, vault } = pool ?? assert.fail();
    assert.deepEqual([token0, token1, venue, vault], [LOW, HIGH, 'fluid', POOL]);
    assert.deepEqual(fluid.listVaults?.(BSC), [liquidity]);
    assert.deepEqual(await resolve(fluid, POOL, answers(OTHER, HIGH)), []);
    assert.deepEqual(await resolve(fluid, POOL, new Map()), []);
  });

  it('writes the native coin as a token', async () => {
    const coin = address(`0x${'e'.repeat(40)}`);
    const [pool] = await resolve(fluid, POOL, answers(POOL, coin));
    assert.equal(pool?.token1, ZERO_ADDRESS);
  });
});

describe('EulerSwap', () => {
  const [first, second] = (BSC.eulerSwap ?? []).map(({ factory }) => factory);
  if (first === undefined || second === undefined) throw new Error('no factories');
  const encode = (more: string, args: object) =>
    encodeTestLog(
      `event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, ${more}uint112 reserve0, uint112 reserve1, address indexed to)`,
      POOL,
      { sender: OTHER, to: OTHER, reserve0: 3n, reserve1: 4n, ...args },
    );
  const FEES = 'uint256 fee0, uint256 fee1, ';
  const forth = { in0: 5n, in1: 0n, out0: 0n, out1: 7n };

  it('logs the input without the fee, and in v2 the fee beside it', () => {
    const decoded = decodeSwap(encode('', forth));
    assert.deepEqual(decoded, { pool: POOL, amounts: [5n, -7n], change: lastOf(5n, 7n) });
    const back = { in0: 0n, in1: 90n, out0: 80n, out1: 0n, fee0: 0n, fee1: 2n };
    assert.deepEqual(decodeSwap(encode(FEES, back)).amounts, [-80n, 92n]);
    assert.deepEqual(decode(encode('', { ...forth, in1: 1n })), [], 'both tokens were paid');
    assert.deepEqual(decode(encode('', { ...forth, out0: 1n })), [], 'what was paid came back');
  });

  it('has the pools that v1 has in use, and those that v2 deployed', async () => {
    const answers = (inUse: Address, isDeployed: number) =>
      new Map([
        [`${POOL} ${encodeCall('getAssets')}`, toWords(LOW, HIGH)],
        [`${POOL} ${encodeCall('getParams')}`, toWords(LOW, HIGH, OTHER, 1, 2)],
        [`${first} ${encodeCall('poolByEulerAccount', OTHER)}`, toWords(inUse)],
        [`${second} ${encodeCall('deployedPools', POOL)}`, toWords(isDeployed)],
      ]);
    const venueOf = async (inUse: Address, isDeployed: number) => {
      const pools = await resolve(eulerSwap, POOL, answers(inUse, isDeployed));
      return pools.map(({ venue, token0, token1 }) => [venue, token0, token1]);
    };
    assert.deepEqual(await venueOf(POOL, 0), [['euler-swap', LOW, HIGH]]);
    assert.deepEqual(await venueOf(OTHER, 1), [['euler-swap-v2', LOW, HIGH]]);
    assert.deepEqual(await venueOf(OTHER, 0), []);
  });

  it('is announced by the first factory', () => {
    const created =
      'event PoolDeployed(address indexed asset0, address indexed asset1, address indexed account, address pool)';
    const args = { asset0: LOW, asset1: HIGH, account: OTHER, pool: POOL };
    const [event] = decode(encodeTestLog(created, first, args));
    assert.ok(event?.kind === 'poolCreated' && event.complete);
    assert.deepEqual(
      [event.description.pool, event.description.venue, event.description.token1],
      [POOL, 'euler-swap', HIGH],
    );
    assert.deepEqual(decode(encodeTestLog(created, OTHER, args)), []);
  });
});

describe('four.meme', () => {
  const { manager, helper } = BSC.fourMeme ?? assert.fail();
  const fields =
    'address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds';
  const encode = (name: string, emitter = manager) =>
    encodeTestLog(`event ${name}(${fields})`, emitter, {
      ...{ token: LOW, account: OTHER, price: 3n, amount: 700n, cost: 5n, fee: 1n },
      ...{ offers: 9n, funds: 9n },
    });

  it('sells a coin for what it costs without the fee, and buys it back', () => {
    const bought = decodeSwap(encode('TokenPurchase'));
    const pool = toCurveId(LOW);
    assert.deepEqual(bought, { pool, amounts: [-700n, 5n], change: lastOf(700n, 5n) });
    assert.deepEqual(decodeSwap(encode('TokenSale')).amounts, [700n, -5n]);
    assert.deepEqual(decode(encode('TokenSale', OTHER)), [], 'only its manager is believed');
  });

  it('has the coins that the manager sells, each for its own quote coin', async () => {
    const call = `${helper} ${encodeCall('getTokenInfo', LOW)}`;
    const own = `${manager} ${encodeCall('_tokenInfos', LOW)}`;
    const facts = (of: Address, quote: Address, template = 0x2000) =>
      new Map([
        [call, toWords(2, of, quote, ...[1, 100, 1, 1, 1, 1, 1, 1, 1])],
        [own, toWords(LOW, quote, template, ...[1, 1, 1, 1, 1, 1, 1, 1, 1, 1])],
      ]);
    const [pool] = await resolve(fourMeme, toCurveId(LOW), facts(manager, HIGH));
    const { token0, token1, vault, venue, feePips } = pool ?? assert.fail();
    assert.deepEqual([token0, token1, vault], [LOW, HIGH, manager]);
    assert.deepEqual([venue, feePips], ['four-meme', 10_000]);
    const [exclusive] = await resolve(fourMeme, toCurveId(LOW), facts(manager, HIGH, 0x12000));
    assert.equal(exclusive?.venue, 'four-meme-x-mode');
    const [paidInCoin] = await resolve(fourMeme, toCurveId(LOW), facts(manager, ZERO_ADDRESS));
    assert.equal(paidInCoin?.token1, ZERO_ADDRESS);
    assert.deepEqual(await resolve(fourMeme, toCurveId(LOW), facts(OTHER, HIGH)), []);
    assert.deepEqual(await resolve(fourMeme, POOL, facts(manager, HIGH)), []);
    assert.equal(fourMeme.rows?.parse(toCurveId(LOW))?.contract, manager);
  });
});

describe("Sky's peg modules", () => {
  const [ETHEREUM, BASE] = [EVM_DEPLOYMENTS.ethereum, EVM_DEPLOYMENTS.base];
  if (ETHEREUM === undefined || BASE === undefined) assert.fail();
  const [lite] = ETHEREUM.sky?.pairs ?? assert.fail();
  const [basket] = BASE.sky?.baskets ?? assert.fail();
  if (lite === undefined || basket === undefined) assert.fail();
  const encode = (name: string, emitter: Address, owner = OTHER) =>
    encodeTestLog(`event ${name}(address indexed owner, uint256 value, uint256 fee)`, emitter, {
      ...{ owner, value: 5_000_000n, fee: 10n ** 15n },
    });

  it('pay a gem with 18 decimals, less the fee, and cost as much more', () => {
    const sold = decodeSwap(encode('SellGem', lite.contract), ETHEREUM);
    assert.deepEqual(sold.amounts, [5_000_000n, -(5n * 10n ** 18n - 10n ** 15n)]);
    const bought = decodeSwap(encode('BuyGem', lite.contract), ETHEREUM);
    assert.deepEqual(bought.amounts, [-5_000_000n, 5n * 10n ** 18n + 10n ** 15n]);
    assert.deepEqual(decode(encode('SellGem', OTHER), ETHEREUM), []);
  });

  it('have the coins that their getters confirm', async () => {
    const [gem, dai] = lite.coins;
    const answers = (second: Address) =>
      new Map([
        [`${lite.contract} ${encodeCall('gem')}`, toWords(gem ?? OTHER)],
        [`${lite.contract} ${encodeCall('dai')}`, toWords(second)],
      ]);
    const [pool] = await resolve(sky, lite.contract, answers(dai ?? OTHER), ETHEREUM);
    assert.deepEqual([pool?.token0, pool?.token1, pool?.venue], [gem, dai, 'sky-psm']);
    assert.deepEqual(await resolve(sky, lite.contract, answers(OTHER), ETHEREUM), []);
    assert.deepEqual(await resolve(sky, POOL, answers(OTHER), ETHEREUM), []);
  });

  it('of three coins are a row for each two', async () => {
    const { contract, coins } = basket;
    const [first, second, third] = coins as [Address, Address, Address];
    const EVENT =
      'event Swap(address indexed assetIn, address indexed assetOut, address sender, address indexed receiver, uint256 amountIn, uint256 amountOut, uint256 referralCode)';
    const swap = (assetIn: Address, assetOut: Address) =>
      encodeTestLog(EVENT, contract, {
        ...{ assetIn, assetOut, sender: OTHER, receiver: OTHER },
        ...{ amountIn: 5n, amountOut: 7n, referralCode: 0n },
      });
    const pool = toCoinPairPool({ contract, lower: 0, upper: 2, isUnderlying: false });
    const back = decodeSwap(swap(third, first), BASE);
    assert.deepEqual([back.pool, back.amounts], [pool, [-7n, 5n]]);
    assert.deepEqual(decodeSwap(swap(first, second), BASE).amounts, [5n, -7n]);
    assert.deepEqual(decode(swap(first, OTHER), BASE), []);
    const answers = new Map([
      [`${contract} ${encodeCall('usdc')}`, toWords(first)],
      [`${contract} ${encodeCall('susds')}`, toWords(third)],
    ]);
    const [row] = await resolve(sky, pool, answers, BASE);
    assert.deepEqual([row?.token0, row?.token1], [first, third]);
  });
});

describe('WOOFi', () => {
  const [exchange = assert.fail()] = BSC.woofi ?? [];
  const EVENT =
    'event WooSwap(address indexed fromToken, address indexed toToken, uint256 fromAmount, uint256 toAmount, address from, address indexed to, address rebateTo, uint256 swapVol, uint256 swapFee)';
  const encode = (fromToken: Address, toToken: Address, emitter = exchange) =>
    encodeTestLog(EVENT, emitter, {
      ...{ fromToken, toToken, fromAmount: 5n, toAmount: 7n, from: OTHER, to: OTHER },
      ...{ rebateTo: ZERO_ADDRESS, swapVol: 9n, swapFee: 1n },
    });

  it('announces a row for each two tokens, the same in both directions', () => {
    const [created, swap] = decode(encode(HIGH, LOW));
    assert.ok(created?.kind === 'poolCreated' && swap?.kind === 'swap');
    const { pool, token0, token1, venue, vault } = created.description;
    assert.deepEqual([token0, token1, venue, vault], [LOW, HIGH, 'woofi-v2', exchange]);
    assert.deepEqual([swap.pool, swap.amount0, swap.amount1], [pool, -7n, 5n]);
    const back = decode(encode(LOW, HIGH))[1];
    assert.ok(back?.kind === 'swap');
    assert.deepEqual([back.pool, back.amount0, back.amount1], [pool, 5n, -7n]);
    const other = decode(encode(LOW, OTHER))[1];
    assert.ok(other?.kind === 'swap' && other.pool !== pool);
  });

  it('is believed alone: routers log the same swap again', () => {
    assert.deepEqual(decode(encode(LOW, HIGH, OTHER)), []);
    assert.deepEqual(decode(encode(LOW, LOW)), []);
    assert.deepEqual(woofi.listTokenVaults?.(BSC), [[exchange, 1]]);
  });

  it("has an earlier contract on Optimism, whose pools are others than the newest's", () => {
    const { optimism = assert.fail() } = EVM_DEPLOYMENTS;
    const [newest = assert.fail(), earlier = assert.fail()] = optimism.woofi ?? [];
    const [decoder] = woofi.createDecoders(optimism).values();
    const read = (emitter: Address) => {
      const out: DecodedEvent[] = [];
      decoder?.(encode(LOW, HIGH, emitter), out);
      return out.flatMap((one) => (one.kind === 'swap' ? one : []));
    };
    const [[one, ...more], [other]] = [read(earlier), read(newest)];
    assert.deepEqual([one?.amount0, one?.amount1, more], [5n, -7n, []]);
    assert.ok(other !== undefined && other.pool !== one?.pool);
    assert.deepEqual(decode(encode(LOW, HIGH, earlier)), [], 'BSC has no such contract');
  });
});

describe("PancakeSwap's stable pools", () => {
  const EVENT =
    'event TokenExchange(address indexed buyer, uint256 i, uint256 dx, uint256 j, uint256 dy)';
  const log = encodeTestLog(EVENT, POOL, { buyer: OTHER, i: 1n, dx: 5n, j: 0n, dy: 7n });
  const pair = toCoinPairPool({ contract: POOL, lower: 0, upper: 1, isUnderlying: false });
  const coins = (...list: readonly Address[]) =>
    list.map((coin, index): [string, string] => {
      return [`${POOL} ${encodeCall('coins', BigInt(index))}`, toWords(coin)];
    });
  const [factory] = BSC.pancakeStable ?? assert.fail();
  if (factory === undefined) assert.fail();

  it("are told from Curve's by the factory that has them for their coins", async () => {
    assert.deepEqual(decodeSwap(log), { pool: pair, amounts: [-7n, 5n], change: lastOf(7n, 5n) });
    const info = `${factory} ${encodeCall('getPairInfo', LOW, HIGH)}`;
    const told = (pool: Address) =>
      new Map([...coins(LOW, HIGH), [info, toWords(pool, LOW, HIGH)]]);
    const [found] = await resolve(curve, pair, told(POOL));
    const { venue, token0, token1, vault } = found ?? assert.fail();
    assert.deepEqual([venue, token0, token1, vault], ['pancakeswap-stable', LOW, HIGH, POOL]);
    assert.deepEqual(await resolve(curve, pair, told(OTHER)), []);
    assert.deepEqual(await resolve(curve, pair, new Map(coins(LOW, HIGH))), []);
  });

  it('may have three coins', async () => {
    const info = `${factory} ${encodeCall('getThreePoolPairInfo', LOW, HIGH)}`;
    const answers = new Map([...coins(LOW, HIGH, OTHER), [info, toWords(POOL, LOW, HIGH, OTHER)]]);
    const last = toCoinPairPool({ contract: POOL, lower: 1, upper: 2, isUnderlying: false });
    const [found] = await resolve(curve, last, answers);
    assert.deepEqual([found?.token0, found?.token1], [HIGH, OTHER]);
  });
});
