// Maintains balances, holders and their sum from transfer events.

import type { TransferEvent } from '../../model/block-events.ts';
import type { Address } from '../../model/ids.ts';
import type { BalanceEntry } from '../state/balance-cache.ts';
import type { MarketState, TokenEntry } from '../state/market-state.ts';
import { openTokenEntry } from '../state/token-entry.ts';

/** Balances and their sums are capped at what a contract can hold, whatever its events claim. */
const AMOUNT_MAX = 2n ** 256n - 1n;

function findBalanceEntry(state: MarketState, token: Address, owner: Address): BalanceEntry {
  const entry = state.balances.get(token, owner);
  if (entry === undefined) throw new Error(`balance of ${owner} in ${token} was not loaded`);
  return entry;
}

/** Takes at most the owner's known balance, so that a balance never goes below zero. */
function debit(state: MarketState, token: TokenEntry, owner: Address, amountRaw: bigint): void {
  const balance = findBalanceEntry(state, token.row.token, owner);
  const hadRaw = balance.row.amountRaw;
  const takenRaw = hadRaw < amountRaw ? hadRaw : amountRaw;
  if (takenRaw < amountRaw && !token.row.balancesBroken) {
    state.touchToken(token);
    token.row.balancesBroken = true;
  }
  if (takenRaw === 0n) return;
  state.touchBalance(balance);
  balance.row.amountRaw = hadRaw - takenRaw;
  state.touchToken(token);
  token.row.balanceSumRaw -= takenRaw;
  if (takenRaw === hadRaw) token.row.holders -= 1;
}

function credit(state: MarketState, token: TokenEntry, owner: Address, amountRaw: bigint): void {
  const roomRaw = AMOUNT_MAX - token.row.balanceSumRaw;
  const givenRaw = roomRaw < amountRaw ? roomRaw : amountRaw;
  state.touchToken(token);
  if (givenRaw < amountRaw) token.row.balancesBroken = true;
  if (givenRaw === 0n) return;
  const balance = findBalanceEntry(state, token.row.token, owner);
  state.touchBalance(balance);
  if (balance.row.amountRaw === 0n) token.row.holders += 1;
  balance.row.amountRaw += givenRaw;
  token.row.balanceSumRaw += givenRaw;
}

/** Minting has no sender, burning no receiver. */
export function applyTransfer(state: MarketState, event: TransferEvent): void {
  const token = openTokenEntry(state, event.token);
  if (event.amountRaw === 0n) return;
  if (event.isSample && !token.row.balancesBroken) {
    state.touchToken(token);
    token.row.balancesBroken = true;
  }
  if (event.from === null || event.to === null) {
    // The supply changed, even if our sum of balances did not: it must be read again.
    state.touchToken(token);
    token.row.supplyBalanceSumRaw = null;
  }
  if (event.from !== null) debit(state, token, event.from, event.amountRaw);
  if (event.to !== null) credit(state, token, event.to, event.amountRaw);
}
