// The primary process's side of its workers: what they share, apart from the store.
//
// On SQLite it also stands in for what PostgreSQL does between processes: it keeps the commits and
// the reports of the worker that indexes, and passes on signals.

import { MemoryLedger } from '../access/limits/memory-ledger.ts';
import type { Clock } from '../lib/clock.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { LeaseState } from '../store/lease-store.ts';
import { KeptCommits } from './kept-commits.ts';
import type { DevnetNews } from './run-devnet.ts';
import { SegmentTurns } from './segment-turns.ts';
import type { PrimaryMessage, Question, Questions, WorkerMessage } from './worker-message.ts';

/** A worker, as the hub reaches it. */
export interface WorkerPort {
  send(message: PrimaryMessage): void;
}

interface WorkerHubOptions {
  /** For search segments that are handed over. */
  readonly segmentFolder: string;
  /** Of each policy. */
  readonly identitiesMax: number;
  readonly clock: Clock;
}

interface HeardReport {
  readonly report: string;
  readonly atMs: number;
}

export class WorkerHub {
  readonly #options: WorkerHubOptions;
  readonly #ports = new Set<WorkerPort>();
  readonly #ledger: MemoryLedger<WorkerPort>;
  readonly #commits = new KeptCommits();
  readonly #reports = new Map<ChainSlug, HeardReport>();
  readonly #segments: SegmentTurns<WorkerPort>;
  /** The last news of each embedded chain. */
  readonly #devnets = new Map<ChainSlug, DevnetNews>();

  constructor(options: WorkerHubOptions) {
    this.#options = options;
    this.#ledger = new MemoryLedger(options);
    this.#segments = new SegmentTurns({
      folder: options.segmentFolder,
      countWorkers: () => this.#ports.size,
    });
  }

  join(port: WorkerPort): void {
    this.#ports.add(port);
    for (const news of this.#devnets.values()) port.send({ type: 'devnet', news });
  }

  leave(port: WorkerPort): void {
    this.#ports.delete(port);
    this.#ledger.leave(port);
    this.#segments.leave(port);
  }

  hear(port: WorkerPort, message: WorkerMessage): void {
    if (message.type === 'ask') {
      this.#answer(port, message.question, (answer) =>
        port.send({ type: 'answer', id: message.id, answer }),
      );
    } else if (message.type === 'signal') {
      this.#tellAll(message);
    } else if (message.type === 'commit') {
      const { commit, origin } = message;
      this.#commits.add(commit);
      const { chain, version } = commit;
      this.#tellAll({ type: 'news', news: { chain, version, origin } });
    } else if (message.type === 'report') {
      const { chain, report } = message;
      this.#reports.set(chain, { report, atMs: this.#options.clock.monotonicMs() });
    } else if (message.type === 'streams') {
      this.#ledger.putStreams(port, message.counts);
    } else if (message.type === 'built') {
      this.#segments.end(message.chain, port, message.isBuilt);
    }
  }

  tellDevnet(news: DevnetNews): void {
    this.#devnets.set(news.chain, news);
    this.#tellAll({ type: 'devnet', news });
  }

  close(): void {
    this.#segments.close();
  }

  #tellAll(message: PrimaryMessage): void {
    for (const port of this.#ports) port.send(message);
  }

  #answer(port: WorkerPort, { of, ask }: Question, reply: (answer: unknown) => void): void {
    if (of === 'batches') {
      const answer: Questions['batches']['answer'] = this.#commits.read(
        ask.chain,
        ask.after,
        ask.limit,
      );
      reply(answer);
    } else if (of === 'leases') {
      reply(this.#listLeases());
    } else if (of === 'budgets') {
      reply(this.#ledger.settle(ask));
    } else if (of === 'stream') {
      reply(this.#ledger.takeStream(port, ask));
    } else {
      this.#segments.ask(ask, { port, reply });
    }
  }

  #listLeases(): readonly LeaseState[] {
    const nowMs = this.#options.clock.monotonicMs();
    return Array.from(this.#reports, ([chain, { report, atMs }]) => ({
      chain,
      holder: 'worker',
      report,
      reportAgeMs: nowMs - atMs,
      isFree: false,
    }));
  }
}
