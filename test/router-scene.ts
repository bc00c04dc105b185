// Routers of exchanges on a test chain: their own contracts where npm has them, otherwise stand-ins
// of ours in their wire format, over the devnet's pairs and pools of Uniswap.

import {
  type Address as Account,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from 'viem';
import { MAKER } from '../devnet/accounts.ts';
import { readArtifact } from '../devnet/artifacts.ts';
import type { TestChain } from '../devnet/test-chain.ts';
import type {
  RouterLine,
  VenueRouterKind,
} from '../src/chains/evm/data/deployments/evm-deployment.ts';
import { listSwapRouters, type VenueRouter } from '../src/chains/evm/venues/swap-routers.ts';
import type { V2Fork } from '../src/chains/evm/venues/uniswap-v2/v2-layouts.ts';
import { requireMarkets } from '../src/engines/chain-families.ts';
import type { PoolId } from '../src/model/ids.ts';
import type { PoolRecord } from '../src/model/pool.ts';
import { PoolGraph } from '../src/trading/graph/pool-graph.ts';
import { createGraphPool, type GraphPool } from '../src/trading/graph/pool-graph-pool.ts';
import { CODE as PAIR_CODE } from './contracts/pair-stand-in.gen.ts';
import { CODE as ROUTER_CODE } from './contracts/router-stand-in.gen.ts';
import { type IndexedDevnet, startIndexedDevnet } from './indexed-devnet.ts';
import { INTEGRAL_VENUE, IntegralPools } from './integral-pools.ts';
import { STABLE_VENUE, StablePools } from './stable-pools.ts';
import { address, poolId } from './test-ids.ts';
import { setBalance } from './trade-wallet.ts';

const STAND_IN_ABI = parseAbi([
  'constructor(address v2, address v3, address weth, uint8 mark)',
  'function register(address a, address b, bool stable, address pool)',
]);
const PAIR_ABI = parseAbi([
  'constructor(address a, address b, bool stable, uint256 fee)',
  'function sync()',
  'function getReserves() view returns (uint256, uint256, uint256)',
]);
const GAS = 8_000_000n;
const PAIRS_VENUE = 'solidly-pairs';
/** What stands between the tokens of a path, as the stand-in counts it. */
const MARKS = { algebra: 0, smart: 1, slipstream: 2, camelot: 1, solidly: 1 } as const;

interface PairSpec {
  readonly tokens: readonly [string, string];
  readonly amounts: readonly [bigint, bigint];
  readonly isStable: boolean;
  /** In 1/10000. */
  readonly fee: number;
}

const PAIRS: readonly PairSpec[] = [
  { tokens: ['weth', 'usdc'], amounts: [700n, 2_100_000n], isStable: false, fee: 30 },
  { tokens: ['weth', 'wire'], amounts: [300n, 5_000_000n], isStable: false, fee: 100 },
  { tokens: ['usdc', 'wire'], amounts: [900_000n, 1_100_000n], isStable: true, fee: 5 },
];

/** By whole coins. */
const STABLE_POOLS: readonly Readonly<Record<string, bigint>>[] = [
  { weth: 60_000n, wire: 50_000n },
  { usdc: 900_000n, wire: 1_100_000n, 'twin-a': 800_000n },
];

/** The others have scenes of their own. */
type SceneRouterKind = Exclude<
  VenueRouterKind,
  'vault' | 'curve' | 'fluid' | 'fourMeme' | 'liquidityBook' | 'skyBasket' | 'eulerSwap'
>;

/** What random trades need. */
export interface RoutedScene {
  readonly devnet: IndexedDevnet;
  readonly routers: readonly VenueRouter[];
  /** The pools that a router reaches, as of now. */
  readGraph(router: VenueRouter): Promise<PoolGraph>;
  tokenOf(key: string): string;
  stop(): Promise<void>;
}

export interface RouterScene extends RoutedScene {
  /** A volatile pair of a token and the wrapped coin, in the wire format of Aerodrome. */
  openPair(token: string): Promise<GraphPool>;
}

/** A step of a scene; returns the contract that it created. */
export async function act(
  chain: TestChain,
  call: { to?: Account; data: Hex; value?: bigint },
): Promise<Account> {
  const receipt = await chain.send({ from: MAKER, gas: GAS, ...call });
  if (receipt.status !== '0x1') throw new Error('a step of the scene failed');
  const { contractAddress } = await chain.rpc.call<{ contractAddress: Account }>(
    'eth_getTransactionReceipt',
    receipt.transactionHash,
  );
  return contractAddress;
}

interface OpenPair {
  readonly spec: PairSpec;
  readonly pair: Account;
  readonly tokens: readonly [Token, Token];
}

class SolidlyPairs {
  readonly #chain: TestChain;
  readonly #pairs: OpenPair[] = [];

  constructor(chain: TestChain) {
    this.#chain = chain;
  }

  async open(spec: PairSpec, tokens: readonly [Token, Token], router: Account): Promise<PoolId> {
    const [a, b] = tokens;
    const args = [a.address as Hex, b.address as Hex, spec.isStable, BigInt(spec.fee)] as const;
    const data = encodeDeployData({ abi: PAIR_ABI, bytecode: PAIR_CODE, args });
    const pair = await act(this.#chain, { data });
    for (const [index, { address: token, decimals }] of tokens.entries()) {
      const amountRaw = (spec.amounts[index] ?? 0n) * 10n ** BigInt(decimals);
      await setBalance(this.#chain, token, { owner: pair, amountRaw });
    }
    await act(this.#chain, {
      to: pair,
      data: encodeFunctionData({ abi: PAIR_ABI, functionName: 'sync' }),
    });
    await register(this.#chain, router, {
      a: a.address,
      b: b.address,
      isStable: spec.isStable,
      pool: pair,
    });
    this.#pairs.push({ spec, pair, tokens });
    return poolId(pair);
  }

  async readPools(): Promise<GraphPool[]> {
    const pools = await Promise.all(this.#pairs.map((one) => this.#readPool(one)));
    return pools.flatMap((pool) => pool ?? []);
  }

  async #readPool({ spec, pair, tokens }: OpenPair) {
    const data = encodeFunctionData({ abi: PAIR_ABI, functionName: 'getReserves' });
    const answer = await this.#chain.rpc.call<Hex>('eth_call', { to: pair, data }, 'latest');
    const wordAt = (index: number) => BigInt(`0x${answer.slice(2 + index * 64, 66 + index * 64)}`);
    const [one, two] = tokens.toSorted((x, y) => (x.address < y.address ? -1 : 1));
    const feePips = spec.fee * 100;
    const row: PoolRecord = {
      ...{ pool: poolId(pair), kind: 'solidlyPair', venue: PAIRS_VENUE, feePips },
      ...{ token0: address(one?.address ?? ''), token1: address(two?.address ?? '') },
      ...{ vault: address(pair), createdBlock: 1, createdAtMs: 1, complete: true },
      ...{ lastSwapAtMs: null, liquidityUsdE18: null },
      terms: {
        ...{ rounding: 'fee', loop: 'checked', reserveBits: 256 },
        ...{ feeLeavesPips: 1_000_000, stableFeeLeavesPips: 1_000_000 },
      },
      state: {
        ...{ reserve0: wordAt(0), reserve1: wordAt(1), isStable: spec.isStable },
        ...{ decimals0: one?.decimals ?? 0, decimals1: two?.decimals ?? 0 },
        ...{ fee0: feePips, fee1: feePips, flags: '', isFeeConfirmed: true },
      },
    };
    return createGraphPool(row, [], requireMarkets('devnet'));
  }
}

interface Token {
  readonly address: string;
  readonly decimals: number;
}

async function register(
  chain: TestChain,
  router: Account,
  place: { a: string; b: string; isStable: boolean; pool: string },
): Promise<void> {
  const args = [place.a as Hex, place.b as Hex, place.isStable, place.pool as Hex] as const;
  const data = encodeFunctionData({ abi: STAND_IN_ABI, functionName: 'register', args });
  await act(chain, { to: router, data });
}

/** Algebra has one pool for two tokens: the first of V3. */
async function registerPools(devnet: IndexedDevnet, router: Account): Promise<Set<string>> {
  const kept = new Map<string, GraphPool>();
  for (const pool of devnet.follower.current?.graph.pools() ?? []) {
    const key = `${pool.token0} ${pool.token1}`;
    if (pool.venue === 'uniswap-v3' && !kept.has(key)) kept.set(key, pool);
  }
  for (const { token0: a, token1: b, pool } of kept.values()) {
    await register(devnet.chain, router, { a, b, isStable: false, pool });
  }
  return new Set(Array.from(kept.values(), ({ pool }) => pool));
}

async function deployRouters(
  chain: TestChain,
): Promise<
  Readonly<Record<Exclude<SceneRouterKind, 'algebraIntegral' | 'pancakeStable'>, Account>>
> {
  const { v2Factory, v3Factory, v2Router, weth } = chain.deployment.contracts;
  const deployStandIn = async (kind: keyof typeof MARKS): Promise<Account> => {
    const args = [v2Factory, v3Factory, weth, MARKS[kind]] as const;
    return act(chain, {
      data: encodeDeployData({ abi: STAND_IN_ABI, bytecode: ROUTER_CODE, args }),
    });
  };
  const { abi, bytecode } = readArtifact('SwapRouter');
  return {
    router02: v2Router,
    swapRouter: await act(chain, {
      data: encodeDeployData({ abi, bytecode, args: [v3Factory, weth] }),
    }),
    algebra: await deployStandIn('algebra'),
    smart: await deployStandIn('smart'),
    slipstream: await deployStandIn('slipstream'),
    camelot: await deployStandIn('camelot'),
    solidly: await deployStandIn('solidly'),
  };
}

const VENUES: Readonly<Record<SceneRouterKind, readonly string[]>> = {
  router02: ['uniswap-v2'],
  camelot: ['uniswap-v2'],
  swapRouter: ['uniswap-v3'],
  slipstream: ['uniswap-v3'],
  algebra: ['uniswap-v3'],
  algebraIntegral: [INTEGRAL_VENUE],
  pancakeStable: [STABLE_VENUE],
  smart: ['uniswap-v2', 'uniswap-v3'],
  solidly: [PAIRS_VENUE],
};

function isOfScene(kind: VenueRouterKind): kind is SceneRouterKind {
  return kind in VENUES;
}

export async function startRouterScene(): Promise<RouterScene> {
  const devnet = await startIndexedDevnet();
  const { chain, adapter } = devnet;
  await devnet.settle();
  const findToken = (key: string): Token => {
    if (key === 'weth') return { address: adapter.deployment.wrapped, decimals: 18 };
    const found = chain.deployment.tokens.find((one) => one.key === key);
    if (found === undefined) throw new Error(`no token ${key}`);
    return found;
  };
  const integral = new IntegralPools(chain, act);
  const stable = new StablePools(chain, act);
  const weth = adapter.deployment.wrapped as Account;
  const deployed = {
    ...(await deployRouters(chain)),
    algebraIntegral: await integral.deploy(weth),
    pancakeStable: await stable.deploy(weth),
  };
  for (const { tokens, amounts, isStable: isCustom } of PAIRS) {
    const [a, b] = tokens.map((key, index) => {
      const { address: token, decimals } = findToken(key);
      return { address: token, amountRaw: (amounts[index] ?? 0n) * 10n ** BigInt(decimals) };
    });
    if (a !== undefined && b !== undefined) await integral.open({ tokens: [a, b], isCustom });
  }
  for (const pool of STABLE_POOLS) {
    const coins = Object.entries(pool).map(([key, whole]) => {
      const { address: token, decimals } = findToken(key);
      return { address: token, amountRaw: whole * 10n ** BigInt(decimals) };
    });
    await stable.open(coins, adapter.deployment);
  }
  const pairs = new SolidlyPairs(chain);
  for (const spec of PAIRS) {
    const [a, b] = spec.tokens;
    await pairs.open(spec, [findToken(a), findToken(b)], deployed.solidly);
  }
  const ofAlgebra = await registerPools(devnet, deployed.algebra);
  const lines = (Object.keys(VENUES) as SceneRouterKind[]).map((kind): RouterLine => {
    return {
      name: kind,
      kind,
      address: address(deployed[kind].toLowerCase()),
      venues: VENUES[kind],
    };
  });
  const solidly: V2Fork = {
    ...{ venue: PAIRS_VENUE, feePips: 0, router: null, universalRouter: false, layout: 'solidly' },
    factory: address(deployed.solidly.toLowerCase()),
  };
  const v2 = [...adapter.deployment.v2, solidly];
  const routers = listSwapRouters({ ...adapter.deployment, v2, routers: lines });
  const isReached = (kind: VenueRouterKind, { venue, pool }: GraphPool) =>
    isOfScene(kind) && VENUES[kind].includes(venue) && (kind !== 'algebra' || ofAlgebra.has(pool));
  return {
    devnet,
    routers: routers.filter((one) => one.kind !== 'universal'),
    tokenOf: (key) => (key === 'eth' ? `0x${'0'.repeat(40)}` : findToken(key).address),
    openPair: async (token) => {
      const spec = { amounts: [20n, 100_000n], isStable: false, fee: 30 } as const;
      const tokens = [findToken('weth'), { address: token, decimals: 18 }] as const;
      const id = await pairs.open({ ...spec, tokens: ['weth', token] }, tokens, deployed.solidly);
      const pool = (await pairs.readPools()).find((one) => one.pool === id);
      if (pool === undefined) throw new Error('the pair has no reserves');
      return pool;
    },
    readGraph: async ({ kind }) => {
      await devnet.settle();
      const all = [
        ...(devnet.follower.current?.graph.pools() ?? []),
        ...(await pairs.readPools()),
        ...(await integral.readPools(adapter.deployment)),
        ...(await stable.readPools(adapter.deployment)),
      ];
      const graph = new PoolGraph({
        native: { coin: adapter.assets.coin, wrapped: adapter.deployment.wrapped },
      });
      for (const pool of all) if (isReached(kind, pool)) graph.set(pool);
      return graph;
    },
    stop: () => devnet.stop(),
  };
}
