// Stand-ins of Curve on a test chain (CurveStandIns.sol): four StableSwap NG pools that are
// computed, a crypto pool and an old pool of the native coin that are called.

import { type Address as Account, encodeFunctionData, type Hex, maxUint256, parseAbi } from 'viem';
import { MAKER } from '../devnet/accounts.ts';
import { CURVE_AMP, CURVE_OFFPEG, encodeCurveCreation } from '../devnet/deploy-curve.ts';
import { ERC20_ABI } from '../devnet/dex-abi.ts';
import { CURVE_POOL_ABI, CURVE_REGISTRY_ABI } from '../devnet/other-abi.ts';
import type { TestChain } from '../devnet/test-chain.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { COIN_AS_TOKEN } from '../src/chains/evm/venues/native-coin.ts';
import { listSwapRouters } from '../src/chains/evm/venues/swap-routers.ts';
import { startIndexedDevnet } from './indexed-devnet.ts';
import { act, type RoutedScene } from './router-scene.ts';
import { setBalance } from './trade-wallet.ts';
import { readVenueGraph } from './venue-graph.ts';

const CRYPTO_ABI = parseAbi([
  'function exchange(uint256 i, uint256 j, uint256 amount, uint256 least) payable returns (uint256)',
]);
const FEE = 4_000_000n;
/** Of coins that are worth something, enough for a pool to be called. */
const TRADED = 10n;

type PoolKind = 'stable' | 'old' | 'crypto';

export interface CurvePoolSpec {
  readonly kind: PoolKind;
  /** By whole coins that the pool begins with. */
  readonly coins: Readonly<Record<string, bigint>>;
  /** In whole coins, for each first trade. */
  readonly traded?: bigint;
}

const POOLS: readonly CurvePoolSpec[] = [
  { kind: 'stable', coins: { usdc: 900_000n, wire: 1_100_000n, 'twin-a': 800_000n } },
  { kind: 'stable', coins: { weth: 60_000n, wire: 50_000n } },
  { kind: 'stable', coins: { 'twin-a': 70_000n, kin: 90_000n } },
  { kind: 'stable', coins: { kin: 40_000n, wbit: 40_000n } },
];
/** Between tokens that have no other market. */
const CALLED_POOLS: readonly CurvePoolSpec[] = [
  { kind: 'crypto', coins: { lone: 2_000n, usdc: 6_000_000n } },
  { kind: 'old', coins: { eth: 20_000n, lone: 20_000n } },
];
/** Of the pools that are computed: three rows and three times one. */
const ROW_COUNT = 6;

interface Coin {
  readonly address: Account;
  readonly decimals: number;
}

function findCoin({ deployment }: TestChain, key: string): Coin {
  if (key === 'eth') return { address: COIN_AS_TOKEN as Account, decimals: 18 };
  if (key === 'weth') return { address: deployment.contracts.weth, decimals: 18 };
  const found = deployment.tokens.find((one) => one.key === key);
  if (found === undefined) throw new Error(`no token ${key}`);
  return found;
}

function encodePool(kind: PoolKind, coins: readonly Account[]): Hex {
  if (kind === 'crypto') return encodeCurveCreation('CurveCryptoStandIn', [coins]);
  return encodeCurveCreation('CurvePoolStandIn', [coins, CURVE_AMP, FEE, CURVE_OFFPEG]);
}

async function give(chain: TestChain, coin: Coin, to: { owner: Account; whole: bigint }) {
  const token = coin.address === COIN_AS_TOKEN ? ZERO_ADDRESS : coin.address;
  const amountRaw = to.whole * 10n ** BigInt(coin.decimals);
  await setBalance(chain, token, { owner: to.owner, amountRaw });
}

/** A pool is known by its swaps: each two coins are traded once. */
async function tradeFirst(
  chain: TestChain,
  pool: Account,
  { kind, coins, traded }: { kind: PoolKind; coins: readonly Coin[]; traded: bigint },
): Promise<void> {
  for (const [index, coin] of coins.entries()) {
    const isCoin = coin.address === COIN_AS_TOKEN;
    await give(chain, coin, { owner: MAKER, whole: 10n * traded });
    if (!isCoin) {
      const args = [pool, maxUint256] as const;
      const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args });
      await act(chain, { to: coin.address, data });
    }
    const amount = traded * 10n ** BigInt(coin.decimals);
    for (let other = index + 1; other < coins.length; other += 1) {
      const args = [BigInt(index), BigInt(other), amount, 1n] as const;
      const abi = kind === 'crypto' ? CRYPTO_ABI : CURVE_POOL_ABI;
      const data = encodeFunctionData({ abi, functionName: 'exchange', args } as never);
      await act(chain, { to: pool, data, value: isCoin ? amount : 0n });
    }
  }
}

async function openPool(
  chain: TestChain,
  { kind, coins: wanted, traded = TRADED }: CurvePoolSpec,
  registry: Account,
): Promise<void> {
  const coins = Object.keys(wanted).map((key) => findCoin(chain, key));
  const addresses = coins.map(({ address }) => address);
  const pool = await act(chain, { data: encodePool(kind, addresses) });
  for (const [index, whole] of Object.values(wanted).entries()) {
    const coin = coins[index];
    if (coin !== undefined) await give(chain, coin, { owner: pool, whole });
  }
  const fill = encodeFunctionData({ abi: CURVE_POOL_ABI, functionName: 'fill' });
  await act(chain, { to: pool, data: fill });
  const args = [pool, addresses] as const;
  const data = encodeFunctionData({ abi: CURVE_REGISTRY_ABI, functionName: 'register', args });
  await act(chain, { to: registry, data });
  await tradeFirst(chain, pool, { kind, coins, traded });
}

/** To be called before the chain is indexed. */
export async function openCurve(chain: TestChain): Promise<void> {
  await openCurvePools(chain, { computed: POOLS, called: CALLED_POOLS });
}

export async function openCurvePools(
  chain: TestChain,
  pools: { readonly computed: readonly CurvePoolSpec[]; readonly called: readonly CurvePoolSpec[] },
): Promise<void> {
  const registry = await act(chain, { data: encodeCurveCreation('CurveRegistryStandIn') });
  const stableFactory = await act(chain, { data: encodeCurveCreation('CurveRegistryStandIn') });
  const args = [chain.deployment.contracts.weth] as const;
  const router = await act(chain, { data: encodeCurveCreation('CurveRouterStandIn', args) });
  for (const pool of pools.computed) await openPool(chain, pool, stableFactory);
  for (const pool of pools.called) await openPool(chain, pool, registry);
  Object.assign(chain.deployment, { curve: { registry, stableFactory, router } });
}

export async function startCurveScene(): Promise<RoutedScene> {
  const devnet = await startIndexedDevnet({}, openCurve);
  const { chain, adapter } = devnet;
  return {
    devnet,
    routers: listSwapRouters(adapter.deployment).flatMap((one) =>
      one.kind === 'curve' ? [one] : [],
    ),
    tokenOf: (key) => (key === 'eth' ? ZERO_ADDRESS : findCoin(chain, key).address),
    readGraph: () => readVenueGraph(devnet, { venue: 'curve', rowCount: ROW_COUNT }),
    stop: () => devnet.stop(),
  };
}
