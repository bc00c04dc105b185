// Faults of a fake adapter.

import type { BlockHeader } from '../../src/model/block-header.ts';

/** Faults of the adapter; all can be changed while it runs. */
export interface Faults {
  /** Called before every request: throws or returns. */
  beforeRequest: (method: string) => void;
  /** How many blocks behind the chain this source is. */
  lag: number;
  /** Changes the headers that this source returns. */
  alterHeader: (header: BlockHeader) => BlockHeader;
  /** Tokens whose names this source does not know, though they have some. */
  isNameHidden: (token: string) => boolean;
  /** Whether the other endpoints agree with this one. */
  agrees: boolean;
  /** Of how many blocks it keeps the states of pools. */
  statesKept: number;
  /** Ticks that it leaves out without a word. */
  isTickHidden: (tick: number) => boolean;
}

export function createFaults(): Faults {
  return {
    beforeRequest: () => undefined,
    lag: 0,
    alterHeader: (header) => header,
    isNameHidden: () => false,
    agrees: true,
    statesKept: Number.POSITIVE_INFINITY,
    isTickHidden: () => false,
  };
}
