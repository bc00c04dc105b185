// Accounts as a node has them now. Nodes keep no older state: that an account was the same at an
// earlier block is proved by its transactions, all of which name it.

import type { Address } from '../../../model/ids.ts';
import { toSolanaAddress } from '../data/solana-ids.ts';
import { CONFIRMED, FINALIZED, refuseReply, type SolanaNode } from './solana-node.ts';

export interface SolanaAccount {
  readonly owner: Address;
  readonly data: Buffer;
  readonly lamports: bigint;
}

/** By address; absent if the chain has none there. */
export type SolanaAccounts = ReadonlyMap<Address, SolanaAccount>;

interface AccountsReading {
  /** The newest slot that a part of it is of. */
  readonly slot: number;
  /** Absent if the chain has none there. */
  readonly accounts: ReadonlyMap<Address, SolanaAccount>;
  readonly callCount: number;
}

interface AccountsQuery {
  readonly addresses: readonly Address[];
  /** A node that is not there yet is not asked. */
  readonly minSlot: number;
  /** Whether the state must be final; otherwise it is the newest confirmed one. */
  readonly isFinalized?: boolean;
}

/** The most that nodes send at once. */
export const ACCOUNTS_PER_CALL = 100;

interface RawAccount {
  readonly owner: string;
  readonly data: readonly [string, string];
  readonly lamports: number;
}

function isAccount(value: unknown): value is RawAccount | null {
  if (value === null) return true;
  const { owner, data, lamports } = (value ?? {}) as Partial<RawAccount>;
  if (typeof owner !== 'string' || !Number.isInteger(lamports)) return false;
  return Array.isArray(data) && typeof data[0] === 'string';
}

export async function readAccounts(
  node: SolanaNode,
  { addresses, minSlot, isFinalized = false }: AccountsQuery,
  signal?: AbortSignal,
): Promise<AccountsReading> {
  const accounts = new Map<Address, SolanaAccount>();
  const commitment = isFinalized ? FINALIZED : CONFIRMED;
  const config = { ...commitment, encoding: 'base64', minContextSlot: minSlot };
  let slot = minSlot;
  let callCount = 0;
  for (let from = 0; from < addresses.length; from += ACCOUNTS_PER_CALL) {
    const part = addresses.slice(from, from + ACCOUNTS_PER_CALL);
    const call = { method: 'getMultipleAccounts', params: [part, config] };
    callCount += 1;
    const reply = (await node.request(call, signal)) as {
      readonly context?: { readonly slot?: unknown };
      readonly value?: unknown;
    } | null;
    const at = reply?.context?.slot;
    const values = reply?.value;
    if (typeof at !== 'number' || !Array.isArray(values) || values.length !== part.length) {
      return refuseReply(node, 'accounts are malformed');
    }
    if (at < minSlot) return refuseReply(node, `accounts are of slot ${at}, before ${minSlot}`);
    slot = Math.max(slot, at);
    for (const [index, value] of values.entries()) {
      const address = part[index];
      if (!isAccount(value)) return refuseReply(node, 'an account is malformed');
      if (value === null || address === undefined) continue;
      const data = Buffer.from(value.data[0], 'base64');
      const lamports = BigInt(value.lamports);
      accounts.set(address, { owner: toSolanaAddress(value.owner), data, lamports });
    }
  }
  return { slot, accounts, callCount };
}

/** The slot of the newest transaction that names an account; null if the node knows of none. */
export async function findLastUse(
  node: SolanaNode,
  { address, minSlot }: { readonly address: Address; readonly minSlot: number },
  signal?: AbortSignal,
): Promise<number | null> {
  const config = { ...CONFIRMED, limit: 1, minContextSlot: minSlot };
  const call = { method: 'getSignaturesForAddress', params: [address, config] };
  const reply = await node.request(call, signal);
  if (!Array.isArray(reply)) return refuseReply(node, 'signatures are malformed');
  const slot: unknown = (reply[0] as { slot?: unknown } | undefined)?.slot;
  if (reply.length === 0) return null;
  return typeof slot === 'number' ? slot : refuseReply(node, 'a signature has no slot');
}
