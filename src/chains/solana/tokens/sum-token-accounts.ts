// What owners hold of a mint, added up over its token accounts as a node lists them.

import { setImmediate } from 'node:timers/promises';
import type { Address } from '../../../model/ids.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { EXTENSION, findExtension } from './mint-extensions.ts';

interface ListedAccount {
  readonly account: { readonly data: readonly [string, string]; readonly space?: number };
}

/** The part of each account that was asked for. */
export interface AccountSlice {
  readonly offset: number;
  readonly length: number;
}

interface AccountSums {
  /** Those above zero, by owner. */
  readonly balances: ReadonlyMap<Address, bigint>;
  readonly sumRaw: bigint;
  /** Fees of transfers that wait in the accounts for the mint's authority; in no balance. */
  readonly withheldRaw: bigint;
}

const OWNER_OFFSET = 32;
const AMOUNT_OFFSET = 64;
/** The owner's key and the amount. */
export const HELD_SLICE: AccountSlice = { offset: OWNER_OFFSET, length: 40 };
/**
 * With the extensions, of which one has the fees: their order is not fixed. All of them together
 * are shorter, except where balances are encrypted.
 */
export const LEVIED_SLICE: AccountSlice = { offset: 0, length: 256 };
const ACCOUNT_BYTES = 165;
/** The size of Token-2022's multisignature accounts, whose first bytes may equal any mint. */
const MULTISIG_BYTES = 355;
/** Rows between two turns of the event loop: some milliseconds. */
const ROWS_PER_TURN = 2_000;

function isListed(value: unknown): value is ListedAccount {
  const { account } = (value ?? {}) as { readonly account?: { readonly data?: unknown } };
  return Array.isArray(account?.data) && typeof account.data[0] === 'string';
}

function findWithheld(data: Buffer): bigint {
  const extension = findExtension(data, EXTENSION.transferFeeAmount);
  const amount = extension && new AccountBytes(extension);
  return amount?.has(0, 8) ? amount.u64(0) : 0n;
}

/** Gives way to other work now and then: there may be hundreds of thousands of accounts. */
export async function sumTokenAccounts(
  rows: readonly unknown[],
  slice: AccountSlice,
  refuse: (problem: string) => never,
): Promise<AccountSums> {
  const balances = new Map<Address, bigint>();
  const isLevied = slice === LEVIED_SLICE;
  let sumRaw = 0n;
  let withheldRaw = 0n;
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await setImmediate();
    if (!isListed(row)) return refuse('a token account is malformed');
    if (row.account.space === MULTISIG_BYTES) continue;
    const bytes = Buffer.from(row.account.data[0], 'base64');
    const isWhole = isLevied ? bytes.length >= ACCOUNT_BYTES : bytes.length === slice.length;
    if (!isWhole) return refuse('a token account has another length');
    if (isLevied) withheldRaw += findWithheld(bytes);
    const data = new AccountBytes(bytes);
    const amountRaw = data.u64(AMOUNT_OFFSET - slice.offset);
    if (amountRaw === 0n) continue;
    sumRaw += amountRaw;
    const owner = data.key(OWNER_OFFSET - slice.offset);
    balances.set(owner, (balances.get(owner) ?? 0n) + amountRaw);
  }
  return { balances, sumRaw, withheldRaw };
}
