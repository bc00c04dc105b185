// A commit whose outcome is not known yet.

import type { Checkpoint } from '../../model/market-record.ts';
import type { MarketStore } from '../../store/store.ts';
import type { CommittedEvent } from './commit-batch.ts';
import type { TouchedLog } from './touched-rows.ts';

interface PendingCommitOptions {
  readonly touched: TouchedLog;
  /** Called after each commit, in order; must not throw. */
  readonly onCommitted: (event: CommittedEvent) => void;
}

export class PendingCommit {
  readonly #options: PendingCommitOptions;
  #event: CommittedEvent | null = null;

  constructor(options: PendingCommitOptions) {
    this.#options = options;
  }

  begin(event: CommittedEvent): CommittedEvent {
    this.#event = event;
    return event;
  }

  /**
   * If the connection was lost during a commit, its outcome is unknown until the checkpoint is read
   * again: the feed must not miss it. Throws if the lease is lost: then another process may have
   * committed other rows with this version, at this block.
   */
  async settleRead(
    store: Pick<MarketStore, 'transaction'>,
    checkpoint: Checkpoint | null,
  ): Promise<void> {
    const event = this.#event;
    if (event !== null && isOf(checkpoint, event)) {
      await store.transaction(event.chain, async () => undefined);
    }
    this.settle(checkpoint);
  }

  /** Reports the last commit once it is known to have succeeded. */
  settle(checkpoint: Checkpoint | null): void {
    const event = this.#event;
    this.#event = null;
    if (event === null || checkpoint === null || !isOf(checkpoint, event)) return;
    // A pool's row may have changed and not its tokens' rows, so `listed` counts, too.
    const tokens = [...new Set([...event.tokens, ...event.listed])];
    this.#options.touched.note({ ...event, tokens }, checkpoint);
    this.#options.onCommitted(event);
  }
}

function isOf(checkpoint: Checkpoint | null, event: CommittedEvent): boolean {
  if (checkpoint?.version !== event.version) return false;
  return checkpoint.blockHash === event.checkpoint.blockHash;
}
