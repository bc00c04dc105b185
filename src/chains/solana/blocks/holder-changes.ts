// How a transaction changed what owners hold, from its balance rows: over all token accounts of an
// owner, in both token programs.
//
// A row that is missing before was zero; one that is missing afterwards was closed. An account that
// changed hands is a loss of one owner and a gain of the other. What Token-2022 withholds of
// transfers counts as held by the mint.

import type { Address } from '../../../model/ids.ts';
import type { RawTokenBalance, RawTransaction } from '../data/raw-transaction.ts';
import { TOKEN_2022_PROGRAM, toSolanaAddress } from '../data/solana-ids.ts';
import { listCalls } from '../data/transaction-calls.ts';

// Fees that Token-2022 withholds at transfers. They stay in the receivers' accounts, then in the
// mint, until the mint's authority withdraws them, and no balance row has them. What the rows of a
// transaction lose and nobody burned was withheld; what they gain and nobody minted was withdrawn.
// The mint counts as the holder, so that the balances of a token add up to its supply.

/** Of instructions that change the supply: their sign, and where the mint stands. */
const SUPPLY_CALLS: ReadonlyMap<number, readonly [sign: bigint, mintAt: number]> = new Map([
  [7, [1n, 0]],
  [14, [1n, 0]],
  [8, [-1n, 1]],
  [15, [-1n, 1]],
]);
/** Those that encrypt balances, or decrypt them: what is missing then is no fee. */
const CONFIDENTIAL_CALLS: ReadonlySet<number> = new Set([27, 42]);
/** Wrapped SOL of Token-2022: its supply does not count what is wrapped. */
const WRAPPED_SOL = toSolanaAddress('9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9');

/** What was minted less what was burned; null if balances were encrypted or decrypted. */
function readSupplyChanges(raw: RawTransaction): ReadonlyMap<Address, bigint> | null {
  const changes = new Map<Address, bigint>();
  for (const call of listCalls(raw)) {
    if (call.program !== TOKEN_2022_PROGRAM || !call.data.has(0, 1)) continue;
    const kind = call.data.u8(0);
    if (CONFIDENTIAL_CALLS.has(kind)) return null;
    const [sign = 0n, mintAt = 0] = SUPPLY_CALLS.get(kind) ?? [];
    const mint = call.account(mintAt);
    if (sign === 0n || mint === null || !call.data.has(1, 8)) continue;
    changes.set(mint, (changes.get(mint) ?? 0n) + sign * call.data.u64(1));
  }
  return changes;
}

/**
 * By how much more is withheld than before, by mint. `sums` are what all balances of each mint of
 * Token-2022 gained together.
 */
function readWithheldChanges(
  raw: RawTransaction,
  sums: ReadonlyMap<Address, bigint>,
): ReadonlyMap<Address, bigint> {
  const withheld = new Map<Address, bigint>();
  const isChanged = [...sums.values()].some((sumRaw) => sumRaw !== 0n);
  const supplies = isChanged ? readSupplyChanges(raw) : null;
  if (supplies === null) return withheld;
  for (const [mint, sumRaw] of sums) {
    const deltaRaw = (supplies.get(mint) ?? 0n) - sumRaw;
    if (deltaRaw !== 0n && mint !== WRAPPED_SOL) withheld.set(mint, deltaRaw);
  }
  return withheld;
}

export interface HolderChange {
  readonly token: Address;
  readonly owner: Address;
  readonly deltaRaw: bigint;
}

/** Nothing of a transaction that failed. Changes of zero are left out. */
export function readHolderChanges(raw: RawTransaction): HolderChange[] {
  const { meta } = raw;
  if (meta === null || meta.err !== null) return [];
  const sums = new Map<string, { mint: string; owner: string; delta: bigint }>();
  const sumsOf2022 = new Map<Address, bigint>();
  const add = (mint: string, owner: string, delta: bigint) => {
    const key = `${mint} ${owner}`;
    const sum = sums.get(key) ?? { mint, owner, delta: 0n };
    sum.delta += delta;
    sums.set(key, sum);
  };
  const addRows = (rows: readonly RawTokenBalance[] | null | undefined, sign: bigint) => {
    for (const { mint, owner, programId, uiTokenAmount } of rows ?? []) {
      if (owner == null) continue;
      const delta = sign * BigInt(uiTokenAmount.amount);
      add(mint, owner, delta);
      if (programId !== TOKEN_2022_PROGRAM) continue;
      const token = toSolanaAddress(mint);
      sumsOf2022.set(token, (sumsOf2022.get(token) ?? 0n) + delta);
    }
  };
  addRows(meta.preTokenBalances, -1n);
  addRows(meta.postTokenBalances, 1n);
  for (const [mint, delta] of readWithheldChanges(raw, sumsOf2022)) add(mint, mint, delta);
  return [...sums.values()]
    .filter(({ delta }) => delta !== 0n)
    .map(({ mint, owner, delta }) => ({
      token: toSolanaAddress(mint),
      owner: toSolanaAddress(owner),
      deltaRaw: delta,
    }));
}
