// What transactions cost: the base fee, what others pay for compute units, the rent of an account.

import type { Address } from '../../../model/ids.ts';
import type { NetworkFees } from '../../chain-nodes.ts';
import { type PaidTips, type PriorityTips, TOLD_PERCENTILES } from '../../priority.ts';
import { CONFIRMED, refuseReply, type SolanaNode } from '../rpc/solana-node.ts';
import type { LookupTables } from './lookup-tables.ts';

/** In lamports; our transactions have one signature. */
export const SIGNATURE_LAMPORTS = 5000n;
/** Prices of compute units are in millionths of a lamport. */
const MICRO_LAMPORTS = 1_000_000n;
/** The longest account that is opened: one of Token-2022 that withholds fees of transfers. */
const ACCOUNT_BYTES = 182;
/** What the chain adds to an account's length when it computes the rent. */
const OVERHEAD_BYTES = 128;
/** Blocks without congestion report zero; a little is offered anyway. */
const PRICE_MIN = 10_000n;
/** More is offered only if a price is given. */
const PRICE_MAX = 5_000_000n;
/** The most accounts that a node is asked about at once. */
const ACCOUNTS_MAX = 128;

function clampPrice(price: bigint): bigint {
  if (price < PRICE_MIN) return PRICE_MIN;
  return price > PRICE_MAX ? PRICE_MAX : price;
}

function pickShare(sorted: readonly bigint[], share: number): bigint {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0n;
}

/**
 * The least that was paid for a unit in each of the last blocks by transactions that locked one of
 * the accounts for writing, or by any if none is given; the lowest first.
 */
async function readPaidPrices(
  node: SolanaNode,
  accounts: readonly Address[],
  signal?: AbortSignal,
): Promise<bigint[]> {
  const params = [accounts.slice(0, ACCOUNTS_MAX)];
  const reply = await node.request({ method: 'getRecentPrioritizationFees', params }, signal);
  if (!Array.isArray(reply)) return refuseReply(node, 'priority fees are malformed');
  const prices = reply.map((row) => {
    const price: unknown = (row as { prioritizationFee?: unknown } | null)?.prioritizationFee;
    const isPrice = typeof price === 'number' && Number.isSafeInteger(price) && price >= 0;
    return isPrice ? BigInt(price) : refuseReply(node, 'a priority fee is malformed');
  });
  return prices.sort((a, b) => (a < b ? -1 : 1));
}

function toTips(prices: readonly bigint[]): PriorityTips {
  const [low, medium, high] = [0.25, 0.5, 0.9].map((share) => clampPrice(pickShare(prices, share)));
  return { low, medium, high } as PriorityTips;
}

/** What is offered for a unit by a transaction that locks these accounts. */
export async function readUnitPrices(
  node: SolanaNode,
  accounts: readonly Address[],
  signal?: AbortSignal,
): Promise<PriorityTips> {
  return toTips(await readPaidPrices(node, accounts, signal));
}

/** What a client is told. */
export async function readPaidTips(
  node: SolanaNode,
  locked: readonly Address[],
): Promise<PaidTips> {
  const accounts = locked.slice(0, ACCOUNTS_MAX);
  const prices = await readPaidPrices(node, accounts);
  return {
    tips: toTips(prices),
    percentiles: TOLD_PERCENTILES.map((percentile) => pickShare(prices, percentile / 100)),
    blockCount: prices.length,
    ...{ basePerUnit: null, baseRaw: SIGNATURE_LAMPORTS, accounts },
  };
}

/** What opening the longest account takes. */
export async function readRent(node: SolanaNode, signal?: AbortSignal): Promise<bigint> {
  const params = [ACCOUNT_BYTES, CONFIRMED];
  const call = { method: 'getMinimumBalanceForRentExemption', params };
  const rent = await node.request(call, signal);
  if (!Number.isSafeInteger(rent)) return refuseReply(node, 'the rent is malformed');
  return BigInt(rent as number);
}

export async function readSolanaFees(
  node: SolanaNode,
  lookups: Pick<LookupTables, 'readListed'>,
  signal?: AbortSignal,
): Promise<NetworkFees> {
  const tips = await readUnitPrices(node, [], signal);
  const accountRaw = await readRent(node, signal);
  const listed = await lookups.readListed(node, signal);
  return {
    ...{ perUnit: tips.medium, perUnitMax: tips.medium, tips, data: { kind: 'none' } },
    ...(listed === null ? {} : { listed }),
    flat: { unitsPerPrice: MICRO_LAMPORTS, baseRaw: SIGNATURE_LAMPORTS, accountRaw },
  };
}

/** What opening an account of this length takes, by that of the longest; rent is by the byte. */
export function computeRent(longestRaw: bigint, byteCount: number): bigint {
  const longest = BigInt(OVERHEAD_BYTES + ACCOUNT_BYTES);
  return (longestRaw * BigInt(OVERHEAD_BYTES + byteCount)) / longest;
}

/** Rounded up, as the chain does. */
export function computePriorityLamports(units: bigint, microLamportsPerUnit: bigint): bigint {
  return (units * microLamportsPerUnit + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}
