// The faults of a store, classified by what an operator must do.
//
// Every engine error becomes one of these at the store's boundary (`with-faults.ts`), so that a
// caller gets 503 with `Retry-After`, and `/ready` and the log say what to do.

import { UnavailableError } from '../errors/unavailable-error.ts';
import type { ChainSlug } from '../model/chain.ts';

// Thrown at start if this version cannot work with the store's schema.

export class StoreSchemaError extends Error {
  override readonly name = 'StoreSchemaError';
}

// Thrown if another writer has moved the checkpoint since this writer last saw it.

export class StaleWriterError extends Error {
  override readonly name = 'StaleWriterError';

  constructor(
    chain: ChainSlug,
    versions: { readonly expected: number; readonly stored: number | null },
  ) {
    super(
      `Another indexer writes ${chain}: its checkpoint is at version ${versions.stored ?? 'none'}, ` +
        `this one expected ${versions.expected}. Nothing was written.`,
    );
  }
}

// Thrown if another process has taken the right to index a chain.

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(chain: ChainSlug) {
    super(`Another process indexes ${chain} now. Nothing was written.`);
  }
}

interface FaultEntry {
  /** For `/ready` and the log; contains no paths or addresses. */
  readonly reason: string;
  readonly retryAfterSeconds: number;
  /** Whether the whole store is affected, which `/ready` reports. */
  readonly isOutage: boolean;
}

const STORE_FAULTS = {
  unreachable: {
    reason: 'The store is not responding.',
    retryAfterSeconds: 2,
    isOutage: true,
  },
  full: {
    reason: "The store's disk is full. Free some space; no restart is needed.",
    retryAfterSeconds: 10,
    isOutage: true,
  },
  readOnly: {
    reason: 'The store is read-only. Make it writable; no restart is needed.',
    retryAfterSeconds: 10,
    isOutage: true,
  },
  io: {
    reason: "The store's disk is failing. See the log; no restart is needed once it works again.",
    retryAfterSeconds: 10,
    isOutage: true,
  },
  files: {
    reason:
      "The store's files cannot be opened: too many files are open (raise ulimit -n or LimitNOFILE and restart), or its folder is missing.",
    retryAfterSeconds: 10,
    isOutage: true,
  },
  damaged: {
    reason:
      'The store is damaged. Stop the service, run PRAGMA integrity_check, restore a backup and start again: see docs/store.md.',
    retryAfterSeconds: 60,
    isOutage: true,
  },
  gone: {
    reason:
      "The store's files were deleted or replaced. Stop the service, put them or a backup back and start again: see docs/store.md.",
    retryAfterSeconds: 60,
    isOutage: true,
  },
  busy: {
    reason: 'The store is busy with other work.',
    retryAfterSeconds: 1,
    isOutage: false,
  },
  rejected: {
    reason: 'The store rejected a statement, which is a bug.',
    retryAfterSeconds: 2,
    isOutage: false,
  },
} as const satisfies Record<string, FaultEntry>;

export type StoreFault = keyof typeof STORE_FAULTS;

export class StoreError extends UnavailableError {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;

  constructor(fault: StoreFault, cause: unknown) {
    const { reason, retryAfterSeconds } = STORE_FAULTS[fault];
    const causeText = cause instanceof Error ? cause.message : String(cause);
    super('The store', cause, { message: `${reason} (${causeText})`, retryAfterSeconds });
    this.fault = fault;
  }

  get reason(): string {
    return STORE_FAULTS[this.fault].reason;
  }

  get isOutage(): boolean {
    return STORE_FAULTS[this.fault].isOutage;
  }

  /** The store's health logs it (`store-health.ts`). */
  get isLoggedOutage(): boolean {
    return this.isOutage;
  }
}
