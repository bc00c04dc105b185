// The metrics of all workers as those of one process.

import {
  addUpCounts,
  type Metrics,
  type MetricsReading,
  renderReadings,
} from '../telemetry/metrics.ts';
import type { WorkerPort } from './worker-hub.ts';

interface Read {
  readonly id: number;
  readonly done: () => void;
}

/** A worker that does not answer by then is shown as it was last. */
const READ_MAX_MS = 2000;

export class WorkerMetrics {
  /** The primary's own. */
  readonly #own: Metrics;
  /** The last reading of each worker; null before the first. */
  readonly #last = new Map<WorkerPort, MetricsReading | null>();
  readonly #reads = new Map<WorkerPort, Read>();
  /** The counts of workers that have ended. */
  #ended: Promise<MetricsReading> = addUpCounts([]);
  #readCount = 0;

  constructor(own: Metrics) {
    this.#own = own;
  }

  join(port: WorkerPort): void {
    this.#last.set(port, null);
  }

  leave(port: WorkerPort): void {
    const last = this.#last.get(port) ?? null;
    this.#last.delete(port);
    this.#reads.get(port)?.done();
    this.#reads.delete(port);
    if (last !== null) this.#ended = this.#ended.then((ended) => addUpCounts([ended, last]));
  }

  hear(
    port: WorkerPort,
    { id, reading }: { readonly id: number; readonly reading: MetricsReading },
  ) {
    if (!this.#last.has(port)) return;
    this.#last.set(port, reading);
    const read = this.#reads.get(port);
    if (read?.id === id) read.done();
  }

  async render(): Promise<string> {
    await Promise.all(Array.from(this.#last.keys(), (port) => this.#read(port)));
    const readings = [...this.#last.values()].filter((reading) => reading !== null);
    return await renderReadings([...readings, await this.#own.read(), await this.#ended]);
  }

  #read(port: WorkerPort): Promise<void> {
    this.#readCount += 1;
    const id = this.#readCount;
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), READ_MAX_MS);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#reads.get(port)?.done();
      this.#reads.set(port, { id, done });
      port.send({ type: 'readMetrics', id });
    });
  }
}
