// Calls of a venue that change pools without a swap: births, deposits, changes of positions, and
// the ends of curves.

import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolChange } from '../../../model/pool.ts';
import { toSolanaPool } from '../data/solana-ids.ts';
import { TokenMoves } from '../data/token-moves.ts';
import type { CallPlace, ProgramCall } from '../data/transaction-calls.ts';
import type { VaultBalances } from '../data/vault-balances.ts';
import type { SolanaVenue } from './solana-venue.ts';

/** Of the pool's two tokens, in its order. */
type Amounts = readonly [bigint, bigint];

interface PoolBirth {
  readonly kind: 'birth';
  readonly pool: PoolId;
  /** The coin of a curve. */
  readonly mint: Address | undefined;
  /** Its first state, if the call tells it. */
  readonly change: PoolChange | null;
  /** What its vaults hold after the transaction, if it has any at first. */
  readonly heldAfter: Amounts | null;
}

interface PoolDeposit {
  readonly kind: 'deposit';
  readonly pool: PoolId;
  /** Negative for a withdrawal. */
  readonly gains: Amounts;
}

interface EndOfCurve {
  readonly kind: 'end';
  readonly pool: PoolId;
  readonly mint: Address | undefined;
}

/** A call after which the pool must be read again. */
interface PoolTouch {
  readonly kind: 'touch';
  readonly pool: PoolId;
  /** Whether the account may be no pool: then only pools that are known already count. */
  readonly isGuess: boolean;
}

export type PoolCall = CallPlace & (PoolBirth | PoolDeposit | EndOfCurve | PoolTouch);

function listTouches(call: ProgramCall, at: number | null): PoolCall[] {
  const { outer, inner } = call;
  const places =
    at === null ? Array.from({ length: call.accountCount }, (_, index) => index) : [at];
  return places.flatMap((index) => {
    const account = call.account(index);
    if (account === null) return [];
    return { kind: 'touch', pool: toSolanaPool(account), isGuess: at === null, outer, inner };
  });
}

/** For calls that are not decoded: whichever of their accounts is a pool. */
export function guessTouches(call: ProgramCall): PoolCall[] {
  return listTouches(call, null);
}

function findVaults(
  call: ProgramCall,
  places: readonly [number, number] | undefined,
): readonly [Address, Address] | null {
  if (places === undefined) return null;
  const [first, second] = [call.account(places[0]), call.account(places[1])];
  return first === null || second === null ? null : [first, second];
}

/** Null if the instruction is not known. */
export function readPoolCalls(
  venue: SolanaVenue,
  call: ProgramCall,
  readBalances: () => VaultBalances,
): PoolCall[] | null {
  const discriminator = call.data.discriminator(venue.discriminatorBytes);
  const { outer, inner } = call;
  const ends = (venue.readEnds?.(call) ?? []).map(
    ({ curve, mint }): PoolCall => ({ kind: 'end', pool: toSolanaPool(curve), mint, outer, inner }),
  );
  const creation = venue.creations[discriminator];
  const deposit = venue.deposits?.[discriminator];
  const at = creation?.pool ?? deposit?.pool;
  const pool = at === undefined ? null : call.account(at);
  const vaults = findVaults(call, creation?.vaults ?? deposit?.vaults);
  const base = pool === null ? null : { pool: toSolanaPool(pool), outer, inner };
  if (creation !== undefined && base !== null) {
    const mint =
      creation.mint === undefined ? undefined : (call.account(creation.mint) ?? undefined);
    const [first, second] = vaults?.map((vault) => readBalances().afterOf(vault)) ?? [];
    const heldAfter = first == null || second == null ? null : ([first, second] as const);
    const change = creation.readState?.(call) ?? null;
    return [...ends, { kind: 'birth', ...base, mint, change, heldAfter }];
  }
  if (deposit !== undefined && base !== null && vaults !== null) {
    const moves = new TokenMoves(call);
    const gains = [moves.gain(vaults[0]), moves.gain(vaults[1])] as const;
    return [...ends, { kind: 'deposit', ...base, gains }];
  }
  const touch = venue.touches?.[discriminator];
  if (touch !== undefined) return [...ends, ...listTouches(call, touch)];
  return ends.length > 0 || venue.others[discriminator] !== undefined ? ends : null;
}
