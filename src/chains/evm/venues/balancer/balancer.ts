// Balancer V2 and V3: one vault emits the swaps of all pools, with both tokens. Their trades are
// stored; the swaps are not computed. A pool of several tokens is a row for each two that are
// swapped, and every swap announces its row: the vault knows only pools that are registered. Swaps
// of V2 that moved nothing are left out by unbacked-swaps.ts, which needs the whole transaction.

import { keccak256 } from 'viem/utils';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { BalancerVault, EvmDeployment } from '../../evm-deployment.ts';
import { evmPool } from '../../evm-ids.ts';
import type { LogDecoder } from '../../evm-log.ts';
import { addressWord, hasWords, toTopicAddress, uintAt } from '../../hex-data.ts';
import { buildTradesOnlySwap, describeTradesOnly, TRADES_ONLY } from '../trades-only.ts';
import type { VenueProtocol } from '../venue-protocol.ts';

export const BALANCER_SWAP_TOPICS = {
  2: '0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b',
  3: '0x0874b2d545cb271cdbda4e093020c452328b24af12382ed62c4d00f5c26709db',
} as const;
/** Amounts in and out; V3 adds the fee's share and amount. */
const WORD_COUNTS = { 2: 2, 3: 4 } as const;
const PIPS_UNIT = 10n ** 12n;

/** The row of two tokens of a pool, whose own id is a word. */
function computeRowId(pool: string, token0: Address, token1: Address): PoolId {
  return evmPool(keccak256(`${pool}${addressWord(token0)}${addressWord(token1)}` as `0x${string}`));
}

function createSwapDecoder(vaults: readonly BalancerVault[], version: 2 | 3): LogDecoder {
  const byAddress = new Map(vaults.map((one) => [one.vault, one]));
  return (log, out) => {
    const { address, topics, data } = log;
    const known = byAddress.get(address);
    const [, pool, first, second] = topics;
    if (known === undefined || topics.length !== 4 || !hasWords(data, WORD_COUNTS[version])) return;
    const [tokenIn, tokenOut] = [toTopicAddress(first), toTopicAddress(second)];
    if (pool === undefined || tokenIn === null || tokenOut === null || tokenIn === tokenOut) return;
    // A pool of V2 that swaps its own share, whose address begins its id: one joins or leaves it.
    if ([tokenIn, tokenOut].some((token) => pool.startsWith(token))) return;
    const isZeroIn = tokenIn < tokenOut;
    const [token0, token1] = isZeroIn ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
    const id = computeRowId(pool, token0, token1);
    const feePips = version === 3 ? Number(uintAt(data, 2) / PIPS_UNIT) : 0;
    const place = { pool: id, venue: known.venue, vault: address, token0, token1, feePips };
    out.push({ kind: 'poolCreated', description: describeTradesOnly(place), complete: false });
    const amounts = { paid: uintAt(data, 0), received: uintAt(data, 1) };
    out.push(buildTradesOnlySwap(log, id, { isZeroIn, ...amounts }));
  };
}

function groupVaults({ balancer = [] }: EvmDeployment) {
  return Map.groupBy(balancer, ({ version }) => version);
}

export const balancer: VenueProtocol = {
  ...TRADES_ONLY,
  listVenues: ({ balancer: vaults = [] }) => vaults.map(({ venue }) => venue),
  createDecoders: (deployment) =>
    new Map(
      Array.from(groupVaults(deployment), ([version, vaults]) => [
        BALANCER_SWAP_TOPICS[version],
        createSwapDecoder(vaults, version),
      ]),
    ),
  describeLogs(deployment) {
    const creations = Array.from(groupVaults(deployment), ([version, vaults]) => ({
      contracts: vaults.map(({ vault }) => vault),
      topic: BALANCER_SWAP_TOPICS[version],
      tokensAt: [2, 3],
    }));
    return creations.length === 0 ? null : { creations, poolTopics: [], singleton: null };
  },
  // Each swap announces its row, so none is met without it.
  resolvePools: async () => [],
};
