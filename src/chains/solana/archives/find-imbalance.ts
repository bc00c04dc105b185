// Whether the balances of a transaction add up. Nothing of a Solana block proves them: no hash
// holds balances, inner calls or logs. But tokens are only minted, burned or moved, and lamports
// only moved or paid as the fee, so that one balance cannot be changed alone.

import type { RawTokenBalance, RawTransaction } from '../data/raw-transaction.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAMS, WRAPPED_SOL } from '../data/solana-ids.ts';
import { listCalls, type ProgramCall } from '../data/transaction-calls.ts';

/** Instructions of the token programs that change a supply, and where the mint stands. */
const MINTS: ReadonlySet<number> = new Set([7, 14]);
const BURNS: ReadonlySet<number> = new Set([8, 15]);
/** Of Token-2022: withheld fees move between accounts and their mint, which no row has. */
const FEE_EXTENSION = 26;
/** Of Token-2022: amounts are encrypted or decrypted, and wrapped SOL. */
const CONFIDENTIAL: ReadonlySet<number> = new Set([27, 42]);

interface SupplyChanges {
  readonly byMint: ReadonlyMap<string, bigint>;
  readonly hasFees: boolean;
  readonly isConfidential: boolean;
}

function isTokenCall({ program, data }: ProgramCall): boolean {
  return TOKEN_PROGRAMS.has(program) && data.length > 0;
}

function readSupplyChanges(raw: RawTransaction): SupplyChanges {
  const byMint = new Map<string, bigint>();
  const calls = listCalls(raw).filter(isTokenCall);
  for (const call of calls) {
    const kind = call.data.u8(0);
    const sign = MINTS.has(kind) ? 1n : BURNS.has(kind) ? -1n : 0n;
    const mint = call.account(sign === 1n ? 0 : 1);
    if (sign === 0n || mint === null || !call.data.has(1, 8)) continue;
    byMint.set(mint, (byMint.get(mint) ?? 0n) + sign * call.data.u64(1));
  }
  const kinds = new Set(calls.map(({ data }) => data.u8(0)));
  return {
    byMint,
    hasFees: kinds.has(FEE_EXTENSION),
    isConfidential: [...CONFIDENTIAL].some((kind) => kinds.has(kind)),
  };
}

interface MintSum {
  sumRaw: bigint;
  is2022: boolean;
}

function sumByMint({ meta }: RawTransaction): Map<string, MintSum> {
  const sums = new Map<string, MintSum>();
  const add = (rows: readonly RawTokenBalance[] | null | undefined, sign: bigint) => {
    for (const { mint, programId, uiTokenAmount } of rows ?? []) {
      const sum = sums.get(mint) ?? { sumRaw: 0n, is2022: false };
      sum.sumRaw += sign * BigInt(uiTokenAmount.amount);
      sum.is2022 ||= programId === TOKEN_2022_PROGRAM;
      sums.set(mint, sum);
    }
  };
  add(meta?.preTokenBalances, -1n);
  add(meta?.postTokenBalances, 1n);
  return sums;
}

function movedTokens({ meta }: RawTransaction): boolean {
  const listAmounts = (rows: readonly RawTokenBalance[] | null | undefined) =>
    (rows ?? []).map((row) => `${row.accountIndex} ${row.mint} ${row.uiTokenAmount.amount}`).sort();
  return listAmounts(meta?.preTokenBalances).join() !== listAmounts(meta?.postTokenBalances).join();
}

/** What does not add up; null if all does, or cannot be known. */
export function findImbalance(raw: RawTransaction): string | null {
  const { meta } = raw;
  if (meta === null) return null;
  const signature = raw.transaction.signatures[0];
  const { fee, preBalances, postBalances } = meta;
  if (fee != null && preBalances != null && postBalances != null) {
    const sum = (all: readonly number[]) => all.reduce((total, one) => total + BigInt(one), 0n);
    // Old blocks charged rent besides, so that less may be left, and never more.
    const lost = sum(preBalances) - sum(postBalances);
    if (lost < BigInt(fee)) return `${signature}: lamports come from nowhere`;
  }
  if (meta.err !== null) {
    return movedTokens(raw) ? `${signature}: it failed, and moved tokens` : null;
  }
  const changed = [...sumByMint(raw)].filter(([, { sumRaw }]) => sumRaw !== 0n);
  if (changed.length === 0) return null;
  const supplies = readSupplyChanges(raw);
  for (const [mint, { sumRaw, is2022 }] of changed) {
    // SOL is wrapped and unwrapped without a mint.
    if (mint === WRAPPED_SOL) continue;
    const missing = (supplies.byMint.get(mint) ?? 0n) - sumRaw;
    if (missing === 0n) continue;
    const isWithheld = is2022 && (missing > 0n || supplies.hasFees || supplies.isConfidential);
    if (!isWithheld) return `${signature}: balances of ${mint} do not add up`;
  }
  return null;
}
