// Whether a list of holders is of the block it names. A node may name a later one (a cache, a proxy
// before several nodes), and the supply does not tell: transfers do not change it. Some owners are
// therefore read once more, from every node, and compared with the list and the transfers since.

import type { OwnerReading } from '../../chains/adapter.ts';
import type { Address } from '../../model/ids.ts';
import type { PlacedTransfer } from './transfer-journal.ts';

type Balances = ReadonlyMap<Address, bigint>;

/** Those that moved last: a list that is some blocks old has other amounts. */
const MOVED_MAX = 6;
/** Most trades are with pools, which are among the largest holders. */
const LARGEST_MAX = 4;

function listLargest(balances: Balances): Address[] {
  const largest: (readonly [owner: Address, amountRaw: bigint])[] = [];
  let leastRaw = 0n;
  for (const entry of balances) {
    if (entry[1] <= leastRaw) continue;
    largest.push(entry);
    if (largest.length <= LARGEST_MAX) continue;
    largest.sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
    largest.length = LARGEST_MAX;
    leastRaw = largest.at(-1)?.[1] ?? 0n;
  }
  return largest.map(([owner]) => owner);
}

/** The owners to read once more; `moved` are transfers up to the block of the list. */
export function pickWitnesses(balances: Balances, moved: readonly PlacedTransfer[]): Address[] {
  const last = new Set<Address>();
  for (const { event } of moved.toReversed()) {
    for (const owner of [event.from, event.to]) {
      if (owner !== null && last.size < MOVED_MAX) last.add(owner);
    }
    if (last.size === MOVED_MAX) break;
  }
  return [...new Set([...last, ...listLargest(balances)])];
}

/** A reading that the list and the transfers since do not explain; null if there is none. */
export function findContradiction(
  balances: Balances,
  since: readonly PlacedTransfer[],
  readings: readonly OwnerReading[],
): OwnerReading | null {
  const contradicts = ({ owner, block, amountRaw }: OwnerReading) => {
    let expectedRaw = balances.get(owner) ?? 0n;
    for (const transfer of since) {
      if (transfer.block > block) continue;
      const { from, to, amountRaw: movedRaw } = transfer.event;
      if (from === owner) expectedRaw -= movedRaw;
      if (to === owner) expectedRaw += movedRaw;
    }
    return expectedRaw !== amountRaw;
  };
  return readings.find(contradicts) ?? null;
}
