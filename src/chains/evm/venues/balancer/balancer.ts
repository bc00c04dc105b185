// Balancer V2 and V3: one vault emits the swaps of all pools, with both tokens. A pool of several
// tokens is a row for each two of them.
//
// V2: swaps of weighted pools are computed if one of Balancer's factories made the pool; of other
// pools only the trades are stored. Swaps that moved nothing are no trades (`unbacked-swaps.ts`,
// which needs the whole transaction), but they change the pool's balances like any other.
// V3: trades only. Each swap announces its row: the vault knows only pools that are registered.

import { keccak256 } from 'viem/utils';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { EvmDeployment, RouterLine } from '../../data/deployments/evm-deployment.ts';
import { evmPool } from '../../data/evm-ids.ts';
import type { EvmLog, LogDecoder } from '../../data/evm-log.ts';
import { addressWord, hasWords, toTopicAddress, uintAt } from '../../data/hex-data.ts';
import { buildUnpricedSwap, describeUnpriced, UNPRICED } from '../unpriced-pools.ts';
import type { PoolCosts, VenueProtocol } from '../venue-protocol.ts';
import {
  BALANCER_SWAP_TOPICS,
  changeBalances,
  createVaultDecoders,
  POOL_TOPICS,
  VAULT_TOPICS,
} from './decode-vault-logs.ts';
import { VAULT_ROUTER } from './encode-vault-swap.ts';
import { listVaultAsks } from './quote-vault-pools.ts';
import { readWeightedPage, readWeightedStates, resolveVaultPools } from './read-weighted-pools.ts';
import { createUnbackedFinder } from './unbacked-swaps.ts';
import { type BalancerVault, readDevnetVaults, VAULT_CONTRACTS } from './vault-contracts.ts';
import { buildRowId, findWordContract, parseRowId, VAULT_ROWS } from './vault-rows.ts';

/** Amounts in and out; V3 adds the fee's share and amount. */
const WORD_COUNTS = { 2: 2, 3: 4 } as const;
const PIPS_UNIT = 10n ** 12n;

interface VaultSwap {
  /** Names the pool. */
  readonly poolWord: string;
  readonly token0: Address;
  readonly token1: Address;
  readonly isZeroIn: boolean;
  readonly paid: bigint;
  readonly received: bigint;
}

function readSwap({ topics, data }: EvmLog, wordCount: number): VaultSwap | null {
  const [, poolWord, first, second] = topics;
  if (topics.length !== 4 || !hasWords(data, wordCount)) return null;
  const [tokenIn, tokenOut] = [toTopicAddress(first), toTopicAddress(second)];
  if (poolWord === undefined || tokenIn === null || tokenOut === null) return null;
  if (tokenIn === tokenOut) return null;
  const isZeroIn = tokenIn < tokenOut;
  const [token0, token1] = isZeroIn ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
  const amounts = { paid: uintAt(data, 0), received: uintAt(data, 1) };
  return { poolWord, token0, token1, isZeroIn, ...amounts };
}

function createV2Decoder(vaults: ReadonlySet<Address>): LogDecoder {
  return (log, out) => {
    const swap = vaults.has(log.address) ? readSwap(log, WORD_COUNTS[2]) : null;
    if (swap === null) return;
    const { poolWord, token0, token1, isZeroIn, paid, received } = swap;
    const contract = findWordContract(poolWord);
    const pool = buildRowId(poolWord, [token0, token1]);
    // A pool that swaps its own share: one joins or leaves it.
    if (contract === null || pool === null || contract === token0 || contract === token1) return;
    if (log.isUnbacked) {
      const [delta0, delta1] = isZeroIn ? [paid, -received] : [-received, paid];
      out.push(changeBalances(contract, { [token0]: delta0, [token1]: delta1 }));
    } else {
      out.push({ ...buildUnpricedSwap(log, pool, swap), tokens: [token0, token1] });
    }
  };
}

/** The row of two tokens of a pool of V3, whose own id is a word. */
function computeRowId({ poolWord, token0, token1 }: VaultSwap): PoolId {
  const words = `${poolWord}${addressWord(token0)}${addressWord(token1)}`;
  return evmPool(keccak256(words as `0x${string}`));
}

function createV3Decoder(vaults: readonly BalancerVault[]): LogDecoder {
  const byAddress = new Map(vaults.map((one) => [one.vault, one]));
  return (log, out) => {
    const known = byAddress.get(log.address);
    const swap = known === undefined ? null : readSwap(log, WORD_COUNTS[3]);
    if (known === undefined || swap === null) return;
    const { token0, token1 } = swap;
    const pool = computeRowId(swap);
    const feePips = Number(uintAt(log.data, 2) / PIPS_UNIT);
    const place = { pool, venue: known.venue, vault: log.address, token0, token1, feePips };
    out.push({ kind: 'poolCreated', description: describeUnpriced(place), complete: false });
    out.push(buildUnpricedSwap(log, pool, swap));
  };
}

function groupVaults({ balancer = [] }: EvmDeployment) {
  const byVersion = Map.groupBy(balancer, ({ version }) => version);
  return { v2: byVersion.get(2) ?? [], v3: byVersion.get(3) ?? [] };
}

function toAddresses(vaults: readonly BalancerVault[]): Address[] {
  return vaults.map(({ vault }) => vault);
}

const COSTS: PoolCosts = {
  // The vault moves only the ends of a path: 101,000 for one pool in all.
  swap: { hop: 55_000n, hopInSameVault: 42_000n, perTick: 0n },
  // A step of a batch, with its asset and limit; a swap alone is a little shorter than the first.
  bytes: { command: 'vault', first: 740, next: 320, fixesOutput: true },
};

/** In `RoundTripProbe.sol`. */
const PROBE = 6;

const findTraded: VenueProtocol['findTraded'] = ({ kind, pool, vault }) => {
  if (kind !== 'weighted' && kind !== 'tradesOnly') return null;
  const row = parseRowId(pool);
  if (row === null) return null;
  const { poolWord, contract: hooks } = row;
  return {
    toRouterPool: () => ({ kind: 'vault', poolWord }),
    probe: { kind: PROBE, pool: vault, hooks },
    holder: null,
  };
};

export const balancer: VenueProtocol = {
  ...UNPRICED,
  contracts: VAULT_CONTRACTS,
  readDevnet: readDevnetVaults,
  swapTopics: {
    [BALANCER_SWAP_TOPICS[2]]: 'Balancer V2',
    [BALANCER_SWAP_TOPICS[3]]: 'Balancer V3',
  },
  listVaults: ({ balancer: vaults = [] }) => toAddresses(vaults),
  listTokenVaults: ({ balancer: vaults = [] }) => vaults.map(({ vault }) => [vault, 2]),
  // The vault of V2 is the router of its pools.
  listRouters: (deployment) =>
    groupVaults(deployment).v2.map(({ venue, vault }): RouterLine => {
      return { name: venue, kind: 'vault', address: vault, venues: [venue] };
    }),
  listOnChainVenues: (deployment) => groupVaults(deployment).v2.map(({ venue }) => venue),
  listAsks: listVaultAsks,
  findCosts: (pool) => (pool.kind === 'weighted' ? COSTS : (UNPRICED.findCosts?.(pool) ?? null)),
  findTraded,
  routerKinds: { vault: VAULT_ROUTER },
  rows: VAULT_ROWS,
  reverts: {
    // The vault says the same of a given input and of a given output.
    'BAL#507': 'the trade would exceed its limit',
    'BAL#508': 'the deadline has passed',
    'BAL#402': 'the pool or the vault is paused',
    'BAL#304': 'the pool takes no input that is so large for its balance',
    'BAL#305': 'the pool pays no output that is so large for its balance',
  },
  unbacked: { topic: BALANCER_SWAP_TOPICS[2], createFinder: createUnbackedFinder },
  listVenues: ({ balancer: vaults = [] }) => vaults.map(({ venue }) => venue),
  createDecoders(deployment) {
    const { v2, v3 } = groupVaults(deployment);
    const decoders = new Map<string, LogDecoder>();
    if (v2.length > 0) {
      const vaults = new Set(toAddresses(v2));
      decoders.set(BALANCER_SWAP_TOPICS[2], createV2Decoder(vaults));
      for (const [topic, decode] of createVaultDecoders(vaults)) decoders.set(topic, decode);
    }
    if (v3.length > 0) decoders.set(BALANCER_SWAP_TOPICS[3], createV3Decoder(v3));
    return decoders;
  },
  describeLogs(deployment) {
    const { v2, v3 } = groupVaults(deployment);
    const creations = [
      { contracts: toAddresses(v2), topic: BALANCER_SWAP_TOPICS[2], tokensAt: [2, 3] },
      { contracts: toAddresses(v3), topic: BALANCER_SWAP_TOPICS[3], tokensAt: [2, 3] },
    ].filter(({ contracts }) => contracts.length > 0);
    if (creations.length === 0) return null;
    if (v2.length === 0) return { creations, poolTopics: [], singleton: null };
    const byWord = { contracts: toAddresses(v2), topics: VAULT_TOPICS };
    return { creations, poolTopics: POOL_TOPICS, singleton: null, byWord };
  },
  resolvePools: resolveVaultPools,
  readPoolStates: readWeightedStates,
  readPoolPage: readWeightedPage,
};

declare module '../swap-plan.ts' {
  interface RouterPools {
    readonly vault: { readonly poolWord: string };
  }
}

declare module '../../data/deployments/evm-deployment.ts' {
  interface VenueContracts {
    /** Absent if there are none. */
    readonly balancer?: readonly BalancerVault[];
  }

  interface RouterKindNames {
    /** The vault of V2 executes swaps of its pools itself. */
    readonly vault: true;
  }
}
