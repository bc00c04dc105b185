// Which tokens an operator has paused. Changes are counted, so that whoever looks often sees only
// what is new.

import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';

export interface PauseChange {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly paused: boolean;
  readonly version: number;
}

export interface PauseStore {
  /** Returns whether it made a difference. */
  setPaused(change: {
    readonly chain: ChainSlug;
    readonly token: Address;
    readonly paused: boolean;
    readonly nowMs: number;
  }): Promise<boolean>;
  /** Changes after a version, ascending; version 0 is before the first. */
  readChanges(afterVersion: number): Promise<PauseChange[]>;
}
