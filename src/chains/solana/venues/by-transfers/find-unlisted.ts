// Calls of programs that are in no list, and move tokens as an exchange does: an operator sees
// which ones the index misses.

import type { Address } from '../../../../model/ids.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAMS } from '../../data/solana-ids.ts';
import { ASSOCIATED_PROGRAM, MEMO_PROGRAM } from '../../data/token-instructions.ts';
import { TokenMoves } from '../../data/token-moves.ts';
import type { ProgramCall } from '../../data/transaction-calls.ts';
import type { VaultBalances } from '../../data/vault-balances.ts';
import { listFlows } from './read-exchange.ts';

/** What exchanges call. A program that calls others is a router: those have the trade. */
const HELPERS: ReadonlySet<Address> = new Set([
  ...TOKEN_PROGRAMS,
  SYSTEM_PROGRAM,
  ASSOCIATED_PROGRAM,
  MEMO_PROGRAM,
]);

/** Whether somebody paid one token to the call and got another one from it. */
function exchangesTokens(call: ProgramCall, balances: VaultBalances): boolean {
  const { nested, program } = call;
  if (nested.length < 2 || HELPERS.has(program)) return false;
  if (!nested.every((inner) => HELPERS.has(inner.program) || inner.program === program))
    return false;
  const moves = new TokenMoves(call);
  const flows = listFlows({ moves, mintOf: (account) => balances.mintOf(account) }) ?? [];
  const [first, second] = flows;
  if (first === undefined || second === undefined || flows.length > 2) return false;
  const ownerOf = (account: Address) => balances.ownerOf(account);
  const [payers, receivers] = [
    [first.from, second.from],
    [second.to, first.to],
  ].map((accounts) => accounts.map(ownerOf));
  return payers?.some((owner, index) => owner !== null && owner === receivers?.[index]) ?? false;
}

/** Anybody can send odd data to any program: such a call must not hide the trades beside it. */
export function isExchange(call: ProgramCall, balances: VaultBalances): boolean {
  try {
    return exchangesTokens(call, balances);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
