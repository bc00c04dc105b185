// A worker's side of the process that watches over the workers of one port.

import type { LimitLedger } from '../access/limits/limit-ledger.ts';
import type { MetricsReading } from '../telemetry/metrics.ts';
import type { PrimaryMessage, Questions, WorkerMessage, WorkerTask } from './worker-pool.ts';

/** The channel to the supervisor. */
interface PrimaryPort {
  send(message: WorkerMessage, onSent?: () => void): void;
  onMessage(listener: (message: PrimaryMessage) => void): void;
}

export class WorkerLink {
  readonly #port: PrimaryPort;
  readonly #asked = new Map<number, (answer: unknown) => void>();
  readonly #begun = Promise.withResolvers<WorkerTask>();
  readonly #stopped = Promise.withResolvers<void>();
  #askCount = 0;
  #readMetrics: ((id: number) => void) | null = null;

  /** Budgets and open streams over all workers. Without a supervisor this process ends. */
  readonly limits: LimitLedger = {
    isUp: true,
    term: 1,
    settle: (entries) => this.#ask('budgets', entries),
    takeStream: (claim) => this.#ask('stream', claim),
    putStreams: async (counts) => this.tell({ type: 'streams', counts }),
  };

  constructor(port: PrimaryPort) {
    this.#port = port;
    port.onMessage((message) => this.#onMessage(message));
  }

  /** What this worker is to do. */
  get begun(): Promise<WorkerTask> {
    return this.#begun.promise;
  }

  /** Resolves when the supervisor wants this worker to stop. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  tell(message: WorkerMessage, onSent?: () => void): void {
    this.#port.send(message, onSent);
  }

  /** Answers the supervisor when it collects the metrics. */
  serveMetrics(read: () => Promise<MetricsReading>): void {
    this.#readMetrics = (id) => {
      const tell = (reading: MetricsReading) => this.tell({ type: 'metrics', id, reading });
      // Without an answer the last reading is shown.
      void read().then(tell, () => undefined);
    };
  }

  /** Never rejects: without a supervisor this process ends. */
  #ask<Of extends keyof Questions>(
    of: Of,
    ask: Questions[Of]['ask'],
  ): Promise<Questions[Of]['answer']> {
    this.#askCount += 1;
    const id = this.#askCount;
    const question = { of, ask } as Extract<WorkerMessage, { type: 'ask' }>['question'];
    return new Promise((resolve) => {
      this.#asked.set(id, resolve as (answer: unknown) => void);
      this.tell({ type: 'ask', id, question });
    });
  }

  #onMessage(message: PrimaryMessage): void {
    if (message.type === 'answer') {
      this.#asked.get(message.id)?.(message.answer);
      this.#asked.delete(message.id);
    } else if (message.type === 'readMetrics') this.#readMetrics?.(message.id);
    else if (message.type === 'begin') this.#begun.resolve(message);
    else this.#stopped.resolve();
  }
}
