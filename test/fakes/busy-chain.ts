// A recorded chain with thousands of tokens, each with a pool of one of three venues.

import {
  type AbiEvent,
  encodeAbiParameters,
  encodeEventTopics,
  keccak256,
  parseAbiItem,
} from 'viem';
import type { EvmDeployment } from '../../src/chains/evm/data/deployments/evm-deployment.ts';
import { addressWord, uintWord } from '../../src/chains/evm/data/hex-data.ts';
import {
  DECIMALS_SELECTOR,
  NAME_SELECTOR,
  SYMBOL_SELECTOR,
  TOTAL_SUPPLY_SELECTOR,
} from '../../src/chains/evm/tokens/read-token-metadata.ts';
import {
  FACTORY_SELECTOR,
  TOKEN0_SELECTOR,
  TOKEN1_SELECTOR,
} from '../../src/chains/evm/venues/factory-pools.ts';
import { GET_PAIR_SELECTOR } from '../../src/chains/evm/venues/uniswap-v2/pair-selectors.ts';
import * as v3Pool from '../../src/chains/evm/venues/uniswap-v3/pool-selectors.ts';
import { POOL_KEYS_SELECTOR } from '../../src/chains/evm/venues/uniswap-v4/uniswap-v4.ts';
import type { Address } from '../../src/model/ids.ts';
import { address, FACTORY, SCENE_DEPLOYMENT, TRADER, WETH } from './chain-scene.ts';
import { createRandom } from './create-random.ts';
import { MemoryChain, type MemoryLog, type MemoryTransaction } from './memory-chain.ts';
import { RpcFault } from './misbehaving-rpc.ts';

export const USDC = address(0x5d);
const ANCHOR = address(0xa9c);
const V3_FACTORY = address(0xfac3);
const POOL_MANAGER = address(0xfac4);
const OTHER = address(0xfac5);

export const BUSY_DEPLOYMENT: EvmDeployment = {
  ...SCENE_DEPLOYMENT,
  stables: [USDC],
  anchorPools: [ANCHOR as string as EvmDeployment['anchorPools'][number]],
  v3: [{ venue: 'uniswap-v3', factory: V3_FACTORY, quoter: null, universalRouter: true }],
  v4: {
    venue: 'uniswap-v4',
    poolManager: POOL_MANAGER,
    positionManager: OTHER,
    stateView: OTHER,
    quoter: OTHER,
  },
};

const EVENTS = {
  transfer: 'event Transfer(address indexed from, address indexed to, uint256 value)',
  pairCreated:
    'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 n)',
  sync: 'event Sync(uint112 reserve0, uint112 reserve1)',
  swapV2:
    'event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address indexed to)',
  poolCreated:
    'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  initializeV3: 'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  mint: 'event Mint(address sender, address indexed owner, int24 indexed lower, int24 indexed upper, uint128 amount, uint256 amount0, uint256 amount1)',
  swapV3:
    'event Swap(address indexed sender, address indexed to, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  initializeV4:
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  modify:
    'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 lower, int24 upper, int256 delta, bytes32 salt)',
  swapV4:
    'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
} as const;

const ABI = Object.fromEntries(
  Object.entries(EVENTS).map(([name, text]) => [name, parseAbiItem(text) as AbiEvent]),
) as Readonly<Record<keyof typeof EVENTS, AbiEvent>>;

/** Arguments in the order of the event. */
function log(emitter: string, name: keyof typeof EVENTS, values: readonly unknown[]): MemoryLog {
  const event = ABI[name];
  const args = Object.fromEntries(event.inputs.map((input, index) => [input.name, values[index]]));
  const plain = event.inputs.filter(({ indexed }) => indexed !== true);
  return {
    address: emitter,
    topics: encodeEventTopics({ abi: [event], eventName: event.name, args } as never) as string[],
    data: encodeAbiParameters(
      plain,
      plain.map((input) => args[input.name ?? '']),
    ),
  };
}

const E18 = 10n ** 18n;
const Q96 = 2n ** 96n;
const ZERO = address(0);

export type BusyVenue = 'v2' | 'v3' | 'v4';
const VENUES: readonly BusyVenue[] = ['v2', 'v3', 'v4'];

/** Every token has one pool against the wrapped coin, which is token 0 everywhere. */
interface BusyToken {
  readonly token: Address;
  readonly venue: BusyVenue;
  /** A contract, or an id of the pool manager. */
  readonly pool: string;
}

const TOKEN_BASE = 0x10_0000;
const POOL_BASE = 0x20_0000;
/** The keys of V4 pools, by the first 25 bytes of their ids. */
const poolKeys = new Map<string, string>();

function addPoolKey(token: Address): string {
  const types = ['address', 'address', 'uint24', 'int24', 'address'].map((type) => ({ type }));
  const key = encodeAbiParameters(types, [WETH, token, 3000, 60, ZERO]);
  const id = keccak256(key);
  poolKeys.set(id.slice(2, 52), key);
  return id;
}

export function buildBusyToken(index: number, venue = VENUES[index % 3] ?? 'v2'): BusyToken {
  const token = address(TOKEN_BASE + index);
  const pool = address(POOL_BASE + index);
  return { token, venue, pool: venue === 'v4' ? addPoolKey(token) : pool };
}

export function buildBusyTransfer(
  token: Address,
  {
    from,
    to,
    amountRaw,
  }: { readonly from: Address; readonly to: Address; readonly amountRaw: bigint },
): MemoryTransaction {
  return { from: TRADER, logs: [log(token, 'transfer', [from, to, amountRaw])] };
}

/** A pool with so much of the wrapped coin. */
export function createBusyPool(of: BusyToken, nativeRaw: bigint): MemoryTransaction {
  const { token, venue, pool } = of;
  const minted = log(token, 'transfer', [ZERO, TRADER, 1_000_000n * E18]);
  if (venue === 'v2') {
    const logs = [
      ...[minted, log(FACTORY, 'pairCreated', [WETH, token, pool, 1n])],
      log(token, 'transfer', [TRADER, pool, 1000n * E18]),
      log(WETH, 'transfer', [TRADER, pool, nativeRaw]),
      // The pair's own shares.
      log(pool, 'transfer', [ZERO, TRADER, E18]),
      log(pool, 'sync', [nativeRaw, 1000n * E18]),
    ];
    return { from: TRADER, logs };
  }
  // At tick 0 a position of ten spacings to each side holds about 3 % of its liquidity.
  const liquidity = (nativeRaw * 10_000n) / 295n;
  if (venue === 'v3') {
    const logs = [
      ...[minted, log(V3_FACTORY, 'poolCreated', [WETH, token, 3000, 60, pool])],
      log(pool, 'initializeV3', [Q96, 0]),
      log(WETH, 'transfer', [TRADER, pool, nativeRaw]),
      log(token, 'transfer', [TRADER, pool, nativeRaw]),
      log(pool, 'mint', [TRADER, TRADER, -600, 600, liquidity, nativeRaw, nativeRaw]),
    ];
    return { from: TRADER, logs };
  }
  const salt = `0x${uintWord(0)}`;
  const logs = [
    ...[minted, log(POOL_MANAGER, 'initializeV4', [pool, WETH, token, 3000, 60, ZERO, Q96, 0])],
    log(WETH, 'transfer', [TRADER, POOL_MANAGER, nativeRaw]),
    log(token, 'transfer', [TRADER, POOL_MANAGER, nativeRaw]),
    log(POOL_MANAGER, 'modify', [pool, TRADER, -600, 600, liquidity, salt]),
  ];
  return { from: TRADER, logs };
}

/** The logs of a purchase for so many thousandths of a coin, from a pool with so much of it. */
export function buildBusySwap(
  { token, venue, pool }: BusyToken,
  milli: number,
  nativeRaw = 20n * E18,
): MemoryLog[] {
  const paid = BigInt(milli) * 10n ** 15n;
  const got = paid * 2n;
  const vault = venue === 'v4' ? POOL_MANAGER : pool;
  const moved = [
    log(WETH, 'transfer', [TRADER, vault, paid]),
    log(token, 'transfer', [vault, TRADER, got]),
  ];
  if (venue === 'v2') {
    return [
      ...moved,
      log(pool, 'sync', [nativeRaw + paid, 1000n * E18 - got]),
      log(pool, 'swapV2', [TRADER, paid, 0n, 0n, got, TRADER]),
    ];
  }
  const price = Q96 - BigInt(milli);
  if (venue === 'v3') {
    return [...moved, log(pool, 'swapV3', [TRADER, TRADER, paid, -got, price, 500n * E18, -1])];
  }
  const values = [pool, TRADER, -paid, got, price, 500n * E18, -1, 3000];
  return [...moved, log(POOL_MANAGER, 'swapV4', values)];
}

function buildAnchorLogs(native: bigint): MemoryLog[] {
  return [log(ANCHOR, 'sync', [3000n * native, native * 10n ** 12n])];
}

function encodeText(text: string): string {
  return encodeAbiParameters([{ type: 'string' }], [text]);
}

/** The pool of a token, or the token of a pool, by their numbers. */
function shift(contract: string, by: number): Address {
  return address(Number(contract) + by);
}

/** What pools and factories answer about themselves; null for other calls. */
function describePool(to: string, data: string): string | null {
  const isAnchor = to === ANCHOR;
  const isV2 = isAnchor || (Number(to) - POOL_BASE) % 3 === 0;
  const other = data.slice(-40);
  switch (data.slice(0, 10)) {
    case FACTORY_SELECTOR:
      return `0x${addressWord(isV2 ? FACTORY : V3_FACTORY)}`;
    case TOKEN0_SELECTOR:
      return `0x${addressWord(isAnchor ? USDC : WETH)}`;
    case TOKEN1_SELECTOR:
      return `0x${addressWord(isAnchor ? WETH : shift(to, TOKEN_BASE - POOL_BASE))}`;
    case v3Pool.FEE_SELECTOR:
      return `0x${uintWord(3000)}`;
    case v3Pool.TICK_SPACING_SELECTOR:
      return `0x${uintWord(60)}`;
    case GET_PAIR_SELECTOR: {
      const pair = `0x${other}` === WETH ? ANCHOR : shift(`0x${other}`, POOL_BASE - TOKEN_BASE);
      return `0x${addressWord(pair)}`;
    }
    case v3Pool.GET_POOL_SELECTOR:
      return `0x${addressWord(shift(`0x${data.slice(98, 138)}`, POOL_BASE - TOKEN_BASE))}`;
    case POOL_KEYS_SELECTOR:
      return poolKeys.get(data.slice(10, 60)) ?? null;
    default:
      return null;
  }
}

function answerCall(to: string, data: string): string {
  const selector = data.slice(0, 10);
  const described = describePool(to, data);
  if (described !== null) return described;
  if (selector === DECIMALS_SELECTOR) return `0x${uintWord(to === USDC ? 6 : 18)}`;
  if (selector === TOTAL_SUPPLY_SELECTOR) return `0x${uintWord(1_000_000n * E18)}`;
  if (selector === SYMBOL_SELECTOR) return encodeText(`T${to.slice(-5)}`);
  if (selector === NAME_SELECTOR) return encodeText(`Token ${to.slice(-5)}`);
  throw new RpcFault(3, 'execution reverted');
}

/** An empty chain with the anchor pool: 3,000 USD for a coin. */
export function startBusyChain(): MemoryChain {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true, call: answerCall });
  const created = log(FACTORY, 'pairCreated', [USDC, WETH, ANCHOR, 1n]);
  chain.add([{ from: TRADER, logs: [created, ...buildAnchorLogs(10n ** 9n)] }]);
  return chain;
}

/** Blocks in which tokens are bought at random, in most transactions one, in some two. */
export class BusyTraders {
  readonly #chain: MemoryChain;
  readonly #tokens: readonly BusyToken[];
  readonly #random: () => number;

  constructor(chain: MemoryChain, tokens: readonly BusyToken[], seed: number) {
    this.#chain = chain;
    this.#tokens = tokens;
    this.#random = createRandom(seed);
  }

  mine(blocks: number, swapsPerBlock: number, branch = 'main'): void {
    for (let at = 0; at < blocks; at += 1) {
      const transactions = Array.from({ length: swapsPerBlock }, (_, index): MemoryTransaction => {
        const hops = index % 5 === 0 ? 2 : 1;
        const logs = Array.from({ length: hops }, () =>
          buildBusySwap(this.#pick(), this.#roll(900)),
        );
        return { from: address(0x7000 + index), logs: logs.flat() };
      });
      const anchor = { from: TRADER, logs: buildAnchorLogs(10n ** 9n + BigInt(this.#roll(999))) };
      this.#chain.add([anchor, ...transactions], branch);
    }
  }

  #roll(max: number): number {
    return 1 + Math.floor(this.#random() * max);
  }

  #pick(): BusyToken {
    return this.#tokens[Math.floor(this.#random() * this.#tokens.length)] ?? buildBusyToken(0);
  }
}
