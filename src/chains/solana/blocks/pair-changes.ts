// What owners gained and lost in a transaction, as transfers: what one lost, others gained. What is
// left over was minted or burned.

import { minOf } from '../../../lib/bigint-bounds.ts';
import type { TransferEvent } from '../../../model/block-events.ts';
import type { Address } from '../../../model/ids.ts';
import type { HolderChange } from './holder-changes.ts';

interface OpenChange {
  readonly owner: Address;
  restRaw: bigint;
}

function listOpen(changes: readonly HolderChange[], sign: bigint): OpenChange[] {
  return changes.flatMap(({ owner, deltaRaw }) =>
    deltaRaw * sign > 0n ? [{ owner, restRaw: deltaRaw * sign }] : [],
  );
}

function pairToken(token: Address, changes: readonly HolderChange[]): TransferEvent[] {
  const [losers, gainers] = [listOpen(changes, -1n), listOpen(changes, 1n)];
  const transfers: TransferEvent[] = [];
  const move = (from: OpenChange | undefined, to: OpenChange | undefined) => {
    // One of the two is there.
    const [fromRaw, toRaw] = [
      from?.restRaw ?? to?.restRaw ?? 0n,
      to?.restRaw ?? from?.restRaw ?? 0n,
    ];
    const amountRaw = minOf(fromRaw, toRaw);
    for (const one of [from, to]) if (one !== undefined) one.restRaw -= amountRaw;
    const ends = { from: from?.owner ?? null, to: to?.owner ?? null };
    transfers.push({ kind: 'transfer', token, ...ends, amountRaw });
  };
  while (losers.length > 0 || gainers.length > 0) {
    move(losers[0], gainers[0]);
    if (losers[0]?.restRaw === 0n) losers.shift();
    if (gainers[0]?.restRaw === 0n) gainers.shift();
  }
  return transfers;
}

export function pairChanges(changes: readonly HolderChange[]): TransferEvent[] {
  const byToken = Map.groupBy(changes, ({ token }) => token);
  return [...byToken].flatMap(([token, own]) => pairToken(token, own));
}
