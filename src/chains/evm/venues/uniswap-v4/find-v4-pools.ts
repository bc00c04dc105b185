// Finds a token's V4 pools: those of the usual keys, whose ids can be computed, and those that the
// PoolManager has announced. Its storage says which of them exist.

import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription, PoolDescriptionOf } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { addressWord } from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { listPairs } from '../list-pairs.ts';
import type { CreationFilter, PoolSearch, VenueProtocol } from '../venue-protocol.ts';
import { describeV4Pool, INITIALIZE_TOPIC } from './decode-uniswap-v4.ts';
import { computeV4PoolId, DYNAMIC_FEE, hasFixedFee } from './pool-key.ts';
import type { V4Deployment } from './v4-contracts.ts';
import { BITS_128, computeStateSlot, LIQUIDITY_OFFSET, readSlots } from './v4-storage.ts';

/** Fees with their tick spacing, as interfaces offer them; anyone may choose others. */
const USUAL_TERMS = [
  { feePips: 100, tickSpacing: 1 },
  { feePips: 500, tickSpacing: 10 },
  { feePips: 3000, tickSpacing: 60 },
  { feePips: 10_000, tickSpacing: 200 },
] as const;

/** Anyone can create pools of any token: the deepest are taken. */
const POOLS_MAX = 32;
/** How many announced pools are looked at. */
const ANNOUNCED_MAX = 400;

type V4Pool = PoolDescriptionOf<'concentrated'>;

function listUsual(search: PoolSearch, v4: V4Deployment): PoolDescription[] {
  return listPairs(search, { withCoin: true }).flatMap((pair) =>
    USUAL_TERMS.map((terms) => {
      const key = { ...pair, ...terms, hooks: ZERO_ADDRESS };
      return describeV4Pool({ ...key, pool: computeV4PoolId(key) }, v4);
    }),
  );
}

/** Whether a log tells of a pool that we look for, and its id is the hash of its key. */
function isWanted(pool: PoolDescription, { token, quotes }: PoolSearch): pool is V4Pool {
  if (pool.kind !== 'concentrated' || pool.terms.custody.kind === 'own') return false;
  const { token0, token1 } = pool;
  const other = token0 === token ? token1 : token1 === token ? token0 : null;
  if (other === null || !quotes.includes(other)) return false;
  const hooks = pool.terms.custody.hooks ?? ZERO_ADDRESS;
  return hasFixedFee(pool, hooks) || hasFixedFee({ ...pool, feePips: DYNAMIC_FEE }, hooks);
}

export const findPools: VenueProtocol['findPools'] = async (search, context) => {
  const { v4 } = context.deployment;
  if (v4 === null) return [];
  const announced = search.announced.slice(-ANNOUNCED_MAX).filter((one) => isWanted(one, search));
  const all = [...listUsual(search, v4), ...announced];
  const pools = [...new Map(all.map((one) => [one.pool, one])).values()];
  const slots = pools.flatMap(({ pool }) => {
    const slot = computeStateSlot(pool);
    return [slot, slot + LIQUIDITY_OFFSET];
  });
  const values = await readSlots(v4.poolManager, slots, context.callContracts);
  if (values === null) return [];
  return pools
    .map((pool, index) => ({
      pool,
      isInitialized: values[2 * index] !== 0n,
      liquidity: (values[2 * index + 1] ?? 0n) & BITS_128,
    }))
    .filter(({ isInitialized }) => isInitialized)
    .sort((a, b) => (a.liquidity < b.liquidity ? 1 : a.liquidity > b.liquidity ? -1 : 0))
    .slice(0, POOLS_MAX)
    .map(({ pool }) => pool);
};

export function listCreationFilters(
  token: Address,
  { v4 }: EvmDeployment,
): readonly CreationFilter[] {
  if (v4 === null) return [];
  const topic = `0x${addressWord(token)}`;
  const address = v4.poolManager;
  return [
    { address, topics: [INITIALIZE_TOPIC, null, topic] },
    { address, topics: [INITIALIZE_TOPIC, null, null, topic] },
  ];
}
