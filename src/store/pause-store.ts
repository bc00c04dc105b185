// Paused tokens. Changes are numbered, so that pollers read only what is new.

import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';

export interface PauseChange {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly paused: boolean;
  readonly version: number;
}

export interface PauseStore {
  /** Returns whether anything changed. */
  setPaused(change: {
    readonly chain: ChainSlug;
    readonly token: Address;
    readonly paused: boolean;
    readonly nowMs: number;
  }): Promise<boolean>;
  /** Changes after a version, ascending; version 0 is before the first. */
  readChanges(afterVersion: number): Promise<PauseChange[]>;
}
