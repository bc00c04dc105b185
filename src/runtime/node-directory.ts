// The processes on one store: each reports itself every few seconds, and reads the others when an
// operator asks. A process that is alone on its store has nobody to tell.

import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { startPolling } from '../lib/start-polling.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { AccessStore } from '../store/access-store.ts';

/** What a process says of itself. */
export interface NodeReport {
  readonly role: Config['node']['role'];
  readonly version: string;
  readonly startedAt: number;
  readonly indexes: readonly ChainSlug[];
  readonly streams: number;
  readonly requests: number;
  readonly memoryBytes: number;
  readonly eventLoopLagMs: number;
}

type SeenNode = NodeReport & {
  readonly id: string;
  readonly seenAt: number;
  readonly self: boolean;
};

interface NodeDirectoryOptions {
  /** The name of this process. */
  readonly id: string;
  /** Null if no other process can be on the store. */
  readonly store: AccessStore | null;
  readonly describe: () => NodeReport;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const REPORT_MS = 5_000;
/** A process that is silent for longer counts as gone; clocks may differ by some seconds. */
const SILENCE_MAX_MS = 30_000;

export class NodeDirectory {
  readonly #options: NodeDirectoryOptions;
  readonly #stopReporting: (() => Promise<void>) | null;

  constructor(options: NodeDirectoryOptions) {
    this.#options = options;
    const { store, onError } = options;
    this.#stopReporting =
      store === null
        ? null
        : startPolling(() => this.#report(store), { everyMs: REPORT_MS, onError });
  }

  /** This process comes first. */
  async list(): Promise<readonly SeenNode[]> {
    const { id, store, describe, clock } = this.#options;
    const nowMs = clock.nowMs();
    const own: SeenNode = { ...describe(), id, seenAt: nowMs, self: true };
    const stored = (await store?.readNodes(nowMs - SILENCE_MAX_MS)) ?? [];
    const others = stored
      .filter((one) => one.id !== id)
      .map((one): SeenNode => {
        const report = JSON.parse(one.report) as NodeReport;
        return { ...report, id: one.id, seenAt: one.seenAtMs, self: false };
      });
    return [own, ...others];
  }

  async stop(): Promise<void> {
    await this.#stopReporting?.();
    const { id, store, clock } = this.#options;
    const seenBeforeMs = clock.nowMs() - SILENCE_MAX_MS;
    // A store that is gone must not keep the process from ending; others see the silence.
    await store?.removeNode(id, { seenBeforeMs }).catch(() => undefined);
  }

  async #report(store: AccessStore): Promise<void> {
    const { id, describe, clock } = this.#options;
    await store.reportNode({ id, report: JSON.stringify(describe()), seenAtMs: clock.nowMs() });
  }
}
