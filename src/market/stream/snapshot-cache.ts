// What streams begin with, made once for all who begin at the same commit.

import { BoundedMap } from '../../lib/bounded-map.ts';
import type { KlineInterval } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import type { ChainStates } from '../chain-states.ts';
import type { MarketChain } from '../market-parts.ts';
import type { TokenReference } from '../parse-token.ts';
import { readAt } from '../read-at.ts';
import { readSnapshot, type Snapshot } from './read-snapshot.ts';

const SNAPSHOTS_KEPT = 200;

interface Kept {
  readonly version: number;
  readonly snapshot: Promise<Snapshot | null>;
}

export class SnapshotCache {
  readonly #store: MarketStore;
  readonly #states: ChainStates;
  readonly #kept = new BoundedMap<string, Kept>(SNAPSHOTS_KEPT);

  constructor(options: { readonly store: MarketStore; readonly states: ChainStates }) {
    this.#store = options.store;
    this.#states = options.states;
  }

  /** Null where the token is not known. */
  read(
    market: MarketChain,
    reference: TokenReference,
    interval: KlineInterval,
  ): Promise<Snapshot | null> {
    const { chain, token } = reference;
    const key = `${chain} ${token} ${interval}`;
    const version = this.#states.current(chain)?.version ?? 0;
    const kept = this.#kept.get(key);
    if (kept?.version === version) return kept.snapshot;
    const snapshot = readAt(this.#store, chain, async (reader, checkpoint) =>
      checkpoint === null
        ? null
        : readSnapshot(reader, market, { reference, interval, checkpoint }),
    ).then(({ value }) => value);
    this.#kept.set(key, { version, snapshot });
    // What failed, or is not there, is looked for again by the next who asks.
    const forget = () => {
      if (this.#kept.get(key)?.snapshot === snapshot) this.#kept.delete(key);
    };
    snapshot.then((found) => found ?? forget(), forget);
    return snapshot;
  }
}
