// What the service counts, for Prometheus. Created once and handed to the parts that count.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const REQUEST_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];
const STORE_BUCKETS_S = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

export interface RequestMeter {
  observe(status: number, seconds: number): void;
}

export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: 'mintwire_http_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: 'mintwire_http_request_duration_seconds',
    help: 'Time from the end of the headers of a request to the last byte of its answer.',
    labelNames: ['operation'],
    buckets: REQUEST_BUCKETS_S,
    registers: [this.registry],
  });
  readonly #limiterDecisions = new Counter({
    name: 'mintwire_limiter_decisions_total',
    help: 'Budget decisions, by policy and outcome.',
    labelNames: ['policy', 'outcome'],
    registers: [this.registry],
  });
  readonly #storeDurations = new Histogram({
    name: 'mintwire_store_duration_seconds',
    help: 'Time taken by store operations.',
    labelNames: ['operation'],
    buckets: STORE_BUCKETS_S,
    registers: [this.registry],
  });

  /** Counts this process's memory, CPU, garbage collection and event-loop lag too. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A meter bound to one operation, so that nothing is looked up per request. */
  forOperation(operation: string): RequestMeter {
    const duration = this.#durations.labels(operation);
    const byStatus = new Map<number, { inc(): void }>();
    return {
      observe: (status, seconds) => {
        let counter = byStatus.get(status);
        if (!counter) {
          counter = this.#requests.labels(operation, String(status));
          byStatus.set(status, counter);
        }
        counter.inc();
        duration.observe(seconds);
      },
    };
  }

  forPolicy(policy: string): { allowed(): void; refused(): void } {
    const allowed = this.#limiterDecisions.labels(policy, 'allowed');
    const refused = this.#limiterDecisions.labels(policy, 'refused');
    return { allowed: () => allowed.inc(), refused: () => refused.inc() };
  }

  readonly observeStore = (operation: string, ms: number): void => {
    this.#storeDurations.labels(operation).observe(ms / 1000);
  };

  /** A gauge whose value is read at each scrape. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** The same for each chain; a null is left out. */
  chainGauge(
    name: string,
    help: string,
    read: () => readonly (readonly [chain: string, value: number | null])[],
  ): void {
    new Gauge({
      name,
      help,
      labelNames: ['chain'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [chain, value] of read()) if (value !== null) this.set({ chain }, value);
      },
    });
  }

  render(): Promise<string> {
    return this.registry.metrics();
  }
}
