// What owners hold of tokens at a block. Nodes have the present state only; it is that of the block
// if no later transaction used the owner or its token accounts: one that was closed is not listed.

import type { Address } from '../../../model/ids.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { toSolanaAddress } from '../data/solana-ids.ts';
import { findLastUse } from '../rpc/read-accounts.ts';
import { CONFIRMED, refuseReply } from '../rpc/solana-node.ts';

const AMOUNT_OFFSET = 64;

interface OwnerKey {
  readonly token: Address;
  readonly owner: Address;
}

interface TokenAccounts {
  readonly slot: number;
  readonly accounts: readonly Address[];
  readonly amountRaw: bigint;
}

function parseTokenAccounts(endpoint: RpcEndpoint, reply: unknown): TokenAccounts {
  const { context, value } = (reply ?? {}) as {
    readonly context?: { readonly slot?: unknown };
    readonly value?: unknown;
  };
  const slot = context?.slot;
  if (typeof slot !== 'number' || !Array.isArray(value)) {
    return refuseReply(endpoint, 'token accounts are malformed');
  }
  const accounts: Address[] = [];
  let amountRaw = 0n;
  for (const row of value) {
    const { pubkey, account } = (row ?? {}) as {
      readonly pubkey?: unknown;
      readonly account?: { readonly data?: readonly unknown[] };
    };
    const text = account?.data?.[0];
    if (typeof pubkey !== 'string' || typeof text !== 'string') {
      return refuseReply(endpoint, 'a token account is malformed');
    }
    const data = new AccountBytes(Buffer.from(text, 'base64'));
    if (!data.has(AMOUNT_OFFSET, 8)) return refuseReply(endpoint, 'a token account is too short');
    accounts.push(toSolanaAddress(pubkey));
    amountRaw += data.u64(AMOUNT_OFFSET);
  }
  return { slot, accounts, amountRaw };
}

/** An owner's accounts of a token now, at or after a slot. */
export async function readTokenAccounts(
  endpoint: RpcEndpoint,
  { token, owner, minSlot }: OwnerKey & { readonly minSlot: number },
  signal?: AbortSignal,
): Promise<TokenAccounts> {
  const config = { ...CONFIRMED, encoding: 'base64', minContextSlot: minSlot };
  const params = [owner, { mint: token }, config];
  const reply = await endpoint.request({ method: 'getTokenAccountsByOwner', params }, signal);
  const held = parseTokenAccounts(endpoint, reply);
  if (held.slot >= minSlot) return held;
  return refuseReply(endpoint, `token accounts are of slot ${held.slot}, before ${minSlot}`);
}

/** Whether no transaction since the block used the owner, nor one of the accounts. */
async function isUnused(
  endpoint: RpcEndpoint,
  at: { readonly owner: Address; readonly held: TokenAccounts; readonly slot: number },
  signal?: AbortSignal,
): Promise<boolean> {
  const { slot: minSlot, accounts } = at.held;
  if (minSlot === at.slot) return true;
  const ofOwner = await findLastUse(endpoint, { address: at.owner, minSlot }, signal);
  if (ofOwner !== null && ofOwner > at.slot) return false;
  for (const address of accounts) {
    const used = await findLastUse(endpoint, { address, minSlot }, signal);
    if (used === null || used > at.slot) return false;
  }
  return true;
}

/** In the order asked; null for an owner that was used since the block, or its accounts. */
export async function readOwnerBalances(
  endpoint: RpcEndpoint,
  query: { readonly keys: readonly OwnerKey[]; readonly slot: number },
  signal?: AbortSignal,
): Promise<(bigint | null)[]> {
  const balances: (bigint | null)[] = [];
  for (const { token, owner } of query.keys) {
    // What a mint holds is withheld in the accounts of others.
    if (owner === token) {
      balances.push(null);
      continue;
    }
    const held = await readTokenAccounts(endpoint, { token, owner, minSlot: query.slot }, signal);
    const isSame = await isUnused(endpoint, { owner, held, slot: query.slot }, signal);
    balances.push(isSame ? held.amountRaw : null);
  }
  return balances;
}
