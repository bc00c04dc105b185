// Which swaps of recorded blocks the index would store, by venue, and which it would miss.
//
// No node is asked. A pool counts as stored if its address follows from a listed factory, its
// tokens and its code, if a vault emitted the log, or if its creation is recorded. Where a
// registry or a factory must be asked, the swap counts as asked for.

import type { EvmDeployment } from '../../src/chains/evm/data/deployments/evm-deployment.ts';
import type { DecodedEvent, EvmLog } from '../../src/chains/evm/data/evm-log.ts';
import { toTopicAddress } from '../../src/chains/evm/data/hex-data.ts';
import { TRANSFER_TOPIC } from '../../src/chains/evm/tokens/decode-transfer.ts';
import { EVM_DEPLOYMENTS } from '../../src/chains/evm/venues/deployments.ts';
import { createLogDecoding, type LogDecoding } from '../../src/chains/evm/venues/log-decoding.ts';
import { SWAP_PART_TOPICS, SWAP_TOPICS } from '../../src/chains/evm/venues/registry.ts';
import { findVenue } from './derive-pools.ts';
import type { Recording } from './read-recordings.ts';

export type SwapVerdict =
  | { readonly kind: 'stored'; readonly venue: string }
  /** A registry or factory decides. */
  | { readonly kind: 'asked'; readonly venue: string }
  | { readonly kind: 'missed'; readonly reason: string }
  /** No token moved: anybody can log a swap. */
  | { readonly kind: 'madeUp' };

export interface JudgedSwap {
  readonly chain: string;
  readonly file: string;
  readonly log: EvmLog;
  readonly verdict: SwapVerdict;
}

const PAIR_SWAPS: ReadonlySet<string> = new Set(['V2-like', 'Solidly V2']);

/** The tokens that an address received or sent in the swap's transaction. */
function listMoved(swap: EvmLog, logs: readonly EvmLog[]) {
  const transfers = logs.filter(
    ({ txHash, topics }) => txHash === swap.txHash && topics[0] === TRANSFER_TOPIC,
  );
  const own = (place: number) =>
    transfers.filter(({ topics }) => toTopicAddress(topics[place]) === swap.address);
  const [sent, received] = [own(1), own(2)];
  return {
    hasTransfers: transfers.length > 0,
    tokens: [...sent, ...received].map(({ address }) => address as string),
  };
}

function isMadeUp(swap: EvmLog, logs: readonly EvmLog[]): boolean {
  const isPair = PAIR_SWAPS.has(SWAP_TOPICS.get(swap.topics[0] ?? '') ?? '');
  const hasSync = logs.some(
    ({ txHash, address, topics }) =>
      txHash === swap.txHash && address === swap.address && SWAP_PART_TOPICS.has(topics[0] ?? ''),
  );
  if (isPair) return !hasSync;
  // One side may be the native coin, which logs nothing.
  const { hasTransfers, tokens } = listMoved(swap, logs);
  return hasTransfers && tokens.length === 0;
}

/** Where the transfers do not tell a pool's tokens, the usual ones are tried. */
function createVenueFinder(deployment: EvmDeployment) {
  const known = new Map<string, string | null>();
  const usual = [deployment.wrapped, ...deployment.stables];
  return ({ address }: EvmLog, tokens: readonly string[]): string | null => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const venue = findVenue(address, tokens, deployment) ?? findVenue(address, usual, deployment);
    known.set(address, venue);
    return venue;
  };
}

interface ChainParts {
  readonly deployment: EvmDeployment;
  readonly findVenue: ReturnType<typeof createVenueFinder>;
  readonly decoding: LogDecoding;
  /** Venues of pools whose creation is recorded. */
  readonly created: ReadonlyMap<string, string>;
}

function listVaults(deployment: EvmDeployment): ReadonlyMap<string, string> {
  const { v4, balancer = [], infinity } = deployment;
  return new Map<string, string>([
    ...balancer.map(({ vault, venue }) => [vault, venue] as const),
    ...(v4 === null ? [] : [[v4.poolManager, v4.venue] as const]),
    ...(infinity === undefined ? [] : [infinity.ranges, infinity.bins]).map(
      (one) => [one, 'pancakeswap-infinity'] as const,
    ),
  ]);
}

/** Pools that a factory or registry must be asked about. */
const ASKED_VENUES: ReadonlyMap<string, string> = new Map([
  ['DODO V2', 'dodo-v2'],
  ['Maverick V2', 'maverick-v2'],
]);

function decode(decoding: LogDecoding, logs: readonly EvmLog[]): DecodedEvent[] {
  return decoding.decode(logs).blocks.flatMap(({ events }) => events);
}

function judge(swap: EvmLog, logs: readonly EvmLog[], parts: ChainParts): SwapVerdict {
  const { deployment, decoding, created } = parts;
  const vault = listVaults(deployment).get(swap.address);
  const event = decode(decoding, [swap]).find((one) => one.kind === 'swap');
  if (vault !== undefined && event !== undefined) return { kind: 'stored', venue: vault };
  if (isMadeUp(swap, logs)) return { kind: 'madeUp' };
  if (event === undefined) return { kind: 'missed', reason: 'its log is not decoded' };
  const known = created.get(event.pool);
  if (known !== undefined) return { kind: 'stored', venue: known };
  if (event.pool !== (swap.address as string)) return { kind: 'asked', venue: 'curve' };
  const asked = ASKED_VENUES.get(SWAP_TOPICS.get(swap.topics[0] ?? '') ?? '');
  if (asked !== undefined) return { kind: 'asked', venue: asked };
  const venue = parts.findVenue(swap, listMoved(swap, logs).tokens);
  if (venue !== null) return { kind: 'stored', venue };
  return { kind: 'missed', reason: 'its factory is not among those whose code is known' };
}

export function measureCoverage(recordings: readonly Recording[]): JudgedSwap[] {
  return recordings.flatMap(({ chain, file, logs }) => {
    const deployment = EVM_DEPLOYMENTS[chain as keyof typeof EVM_DEPLOYMENTS];
    if (deployment === undefined) return [];
    const decoding = createLogDecoding(deployment);
    const created = new Map(
      decode(decoding, logs).flatMap((event) =>
        event.kind === 'poolCreated'
          ? [[event.description.pool as string, event.description.venue] as const]
          : [],
      ),
    );
    const parts = { deployment, decoding, created, findVenue: createVenueFinder(deployment) };
    return logs
      .filter(({ topics }) => SWAP_TOPICS.has(topics[0] ?? ''))
      .map((log) => ({ chain, file, log, verdict: judge(log, logs, parts) }));
  });
}
