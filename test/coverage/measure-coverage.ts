// Which swaps of recorded blocks the index would store, by venue, and which it would miss.
//
// No node is asked. A pool counts as stored if its address follows from a listed factory, its
// tokens and its code, if a vault emitted the log, or if its creation is recorded. Where a
// registry or a factory must be asked, the swap counts as asked for.

import type { EvmDeployment } from '../../src/chains/evm/data/deployments/evm-deployment.ts';
import type { DecodedEvent, EvmLog } from '../../src/chains/evm/data/evm-log.ts';
import { hasWords, toTopicAddress, uintAt } from '../../src/chains/evm/data/hex-data.ts';
import { TRANSFER_TOPIC, TRANSFER_TOPICS } from '../../src/chains/evm/tokens/decode-transfer.ts';
import { EVM_DEPLOYMENTS } from '../../src/chains/evm/venues/deployments.ts';
import { createLogDecoding, type LogDecoding } from '../../src/chains/evm/venues/log-decoding.ts';
import { SWAP_PART_TOPICS, SWAP_TOPICS } from '../../src/chains/evm/venues/registry.ts';
import type { ChainSlug } from '../../src/model/chain.ts';
import { findVenue } from './derive-pools.ts';
import type { LogRecording, Recording } from './read-recordings.ts';
import { createDecimals, type MovedAmount, valueSwaps } from './swap-values.ts';

export type SwapVerdict =
  | { readonly kind: 'stored'; readonly venue: string }
  /** A registry or factory decides. */
  | { readonly kind: 'asked'; readonly venue: string }
  | { readonly kind: 'missed'; readonly reason: string }
  /** No token moved: anybody can log a swap. */
  | { readonly kind: 'madeUp' }
  /** Shares of the pool itself were bought or sold: liquidity that came or went, not a trade. */
  | { readonly kind: 'shares' };

export interface JudgedSwap {
  readonly chain: string;
  readonly file: string;
  readonly log: EvmLog;
  readonly verdict: SwapVerdict;
  /** In dollars; null where the recordings do not tell it. */
  readonly value: number | null;
}

/** Wrapping counts: a vault's swap of the coin is told by it. */
const TRANSFERS: ReadonlySet<string> = new Set(TRANSFER_TOPICS);
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
  /** The chain's contracts as text: what is in it and swaps itself needs no factory. */
  readonly listed: string;
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
  ['Liquidity Book', 'liquidity-book'],
]);

function decode(decoding: LogDecoding, logs: readonly EvmLog[]): DecodedEvent[] {
  return decoding.decode(logs).blocks.flatMap(({ events }) => events);
}

/** Balancer's pools sell and buy their own token as if it were another one's. */
function tradesOwnShares({ topics }: EvmLog): boolean {
  const pool = topics[1]?.slice(2, 42);
  return topics.length === 4 && [topics[2], topics[3]].some((topic) => topic?.slice(-40) === pool);
}

function judge(swap: EvmLog, logs: readonly EvmLog[], parts: ChainParts): SwapVerdict {
  const { deployment, decoding, created } = parts;
  const vault = listVaults(deployment).get(swap.address);
  const event = decode(decoding, [swap]).find((one) => one.kind === 'swap');
  if (vault !== undefined && event !== undefined) return { kind: 'stored', venue: vault };
  if (vault !== undefined && tradesOwnShares(swap)) return { kind: 'shares' };
  if (isMadeUp(swap, logs)) return { kind: 'madeUp' };
  if (event === undefined) return { kind: 'missed', reason: 'its log is not decoded' };
  const known = created.get(event.pool);
  if (known !== undefined) return { kind: 'stored', venue: known };
  const name = SWAP_TOPICS.get(swap.topics[0] ?? '') ?? '';
  if (event.pool !== (swap.address as string)) return { kind: 'asked', venue: 'curve' };
  const asked = ASKED_VENUES.get(name);
  if (asked !== undefined) return { kind: 'asked', venue: asked };
  const venue = parts.findVenue(swap, listMoved(swap, logs).tokens);
  if (venue !== null) return { kind: 'stored', venue };
  if (parts.listed.includes(swap.address)) return { kind: 'stored', venue: name };
  return { kind: 'missed', reason: 'its factory is not among those whose code is known' };
}

export function isTrade({ verdict }: JudgedSwap): boolean {
  return verdict.kind !== 'madeUp' && verdict.kind !== 'shares';
}

/** The numbers of a swap's log, whole words and halves of them, without their signs. */
function listNumbers({ data }: EvmLog): ReadonlySet<bigint> {
  const numbers = new Set<bigint>();
  for (let at = 2; at + 64 <= data.length; at += 64) {
    const word = data.slice(at, at + 64);
    for (const [bits, text] of [
      [256, word],
      [128, word.slice(0, 32)],
      [128, word.slice(32)],
    ] as const) {
      const signed = BigInt.asIntN(bits, BigInt(`0x${text}`));
      numbers.add(signed < 0n ? -signed : signed);
    }
  }
  return numbers;
}

/**
 * What a swap moved: the transfers of its transaction that have an amount of its log, else those of
 * its pool. A pool may swap more than once in a transaction, and vaults net what they owe.
 */
function listAmounts(swap: EvmLog, logs: readonly EvmLog[]): MovedAmount[] {
  const transfers = logs.filter(
    ({ txHash, topics, data }) =>
      txHash === swap.txHash && TRANSFERS.has(topics[0] ?? '') && hasWords(data, 1),
  );
  const toAmount = ({ address, data }: EvmLog) => ({ token: address, amount: uintAt(data, 0) });
  const numbers = listNumbers(swap);
  const named = transfers.map(toAmount).filter(({ amount }) => numbers.has(amount));
  if (named.length > 0) return named;
  const own = ({ topics }: EvmLog) =>
    [topics[1], topics[2]].some((topic) => toTopicAddress(topic) === swap.address);
  return transfers.filter(own).map(toAmount);
}

function measureChain(chain: ChainSlug, recordings: readonly LogRecording[]): JudgedSwap[] {
  const deployment = EVM_DEPLOYMENTS[chain as keyof typeof EVM_DEPLOYMENTS];
  if (deployment === undefined) return [];
  const decoding = createLogDecoding(deployment);
  const findVenueOf = createVenueFinder(deployment);
  const listed = JSON.stringify(deployment);
  const judged = recordings.flatMap(({ file, logs }) => {
    const created = new Map(
      decode(decoding, logs).flatMap((event) =>
        event.kind === 'poolCreated'
          ? [[event.description.pool as string, event.description.venue] as const]
          : [],
      ),
    );
    const parts = { deployment, decoding, created, listed, findVenue: findVenueOf };
    return logs
      .filter(({ topics }) => SWAP_TOPICS.has(topics[0] ?? ''))
      .map((log) => ({
        swap: { chain, file, log, verdict: judge(log, logs, parts) },
        amounts: listAmounts(log, logs),
      }));
  });
  const { wrapped, native, stables, chainId } = deployment;
  const values = valueSwaps(
    judged.map(({ amounts }) => amounts),
    {
      ...{ wrapped, wrappedDecimals: native.decimals, stables },
      decimalsOf: createDecimals(chainId),
    },
  );
  return judged.map(({ swap }, index) => ({ ...swap, value: values[index] ?? null }));
}

export function measureCoverage(recordings: readonly Recording[]): JudgedSwap[] {
  const ofLogs = recordings.filter((one) => one.kind === 'logs');
  return [...Map.groupBy(ofLogs, ({ chain }) => chain)].flatMap(([chain, own]) =>
    measureChain(chain as ChainSlug, own),
  );
}
