// The service's Prometheus metrics, created once and passed to the parts that count.

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { DurationHistogram } from './duration-histogram.ts';

const REQUEST_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];
const STORE_BUCKETS_S = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

export interface RequestMeter {
  observe(status: number, seconds: number): void;
}

/** A plain number that is read at each scrape, so that counting is free. */
interface Tally {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
}

type ReadLabelled = () => readonly (readonly [label: string, value: number | null])[];

/** A counter made of tallies. */
class TallyCounter {
  readonly #tallies: Tally[] = [];

  constructor(
    registry: Registry,
    options: { readonly name: string; readonly help: string; readonly labelNames: string[] },
  ) {
    const tallies = this.#tallies;
    new Counter({
      ...options,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, count } of tallies) this.inc(labels, count);
      },
    });
  }

  add(labels: Tally['labels']): Tally {
    const tally = { labels, count: 0 };
    this.#tallies.push(tally);
    return tally;
  }
}

export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new TallyCounter(this.registry, {
    name: 'mintwire_http_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
  });
  readonly #durations = new DurationHistogram({
    name: 'mintwire_http_request_duration_seconds',
    help: 'Time from the end of the request headers to the last byte of the response.',
    label: 'operation',
    bucketsSeconds: REQUEST_BUCKETS_S,
  });
  readonly #limiterDecisions = new TallyCounter(this.registry, {
    name: 'mintwire_limiter_decisions_total',
    help: 'Budget decisions, by policy and outcome.',
    labelNames: ['policy', 'outcome'],
  });
  readonly #storeDurations = new DurationHistogram({
    name: 'mintwire_store_duration_seconds',
    help: 'Time taken by store operations.',
    label: 'operation',
    bucketsSeconds: STORE_BUCKETS_S,
  });

  /** Counts this process's memory, CPU, garbage collection and event-loop lag too. */
  collectProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** A meter for one operation, so that nothing is looked up per request. */
  forOperation(operation: string): RequestMeter {
    const duration = this.#durations.labeled(operation);
    const byStatus = new Map<number, Tally>();
    return {
      observe: (status, seconds) => {
        let tally = byStatus.get(status);
        if (!tally) {
          tally = this.#requests.add({ operation, status: String(status) });
          byStatus.set(status, tally);
        }
        tally.count += 1;
        duration.observe(seconds);
      },
    };
  }

  forPolicy(policy: string): { allowed(): void; refused(): void } {
    const allowed = this.#limiterDecisions.add({ policy, outcome: 'allowed' });
    const refused = this.#limiterDecisions.add({ policy, outcome: 'refused' });
    return {
      allowed: () => {
        allowed.count += 1;
      },
      refused: () => {
        refused.count += 1;
      },
    };
  }

  readonly observeStore = (operation: string, ms: number): void => {
    this.#storeDurations.labeled(operation).observe(ms / 1000);
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
  chainGauge(name: string, help: string, read: ReadLabelled): void {
    this.#labelledGauge('chain', { name, help }, read);
  }

  /** A counter for each chain and method, read at each scrape. */
  chainMethodCounter(
    name: string,
    help: string,
    read: () => Iterable<{
      readonly chain: string;
      readonly method: string;
      readonly value: number;
    }>,
  ): void {
    new Counter({
      name,
      help,
      labelNames: ['chain', 'method'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { chain, method, value } of read()) this.inc({ chain, method }, value);
      },
    });
  }

  /** The same for each token list. */
  listGauge(name: string, help: string, read: ReadLabelled): void {
    this.#labelledGauge('list', { name, help }, read);
  }

  #labelledGauge(label: string, about: { name: string; help: string }, read: ReadLabelled): void {
    new Gauge({
      ...about,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [of, value] of read()) if (value !== null) this.set({ [label]: of }, value);
      },
    });
  }

  async render(): Promise<string> {
    const counted = await this.registry.metrics();
    return `${counted}\n${this.#durations.render()}\n${this.#storeDurations.render()}`;
  }
}
