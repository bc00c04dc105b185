// The service's Prometheus metrics, created once and passed to the parts that count.

import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

// A Prometheus histogram of durations with one label.
//
// Our own, because a library that looks up labels at each observation took longer than all other
// work at the end of a request.

interface DurationHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** Upper bounds, ascending. */
  readonly bucketsSeconds: readonly number[];
}

/** What was observed, by label value. */
type DurationReading = Readonly<
  Record<string, { readonly counts: readonly number[]; readonly sumSeconds: number }>
>;

/** The durations of one label value. */
class Durations {
  readonly #bounds: readonly number[];
  /** How many fell between each bound and the one before; the last entry is above all bounds. */
  readonly counts: number[];
  sumSeconds = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(seconds: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sumSeconds += seconds;
  }
}

export class DurationHistogram {
  readonly #options: DurationHistogramOptions;
  readonly #byLabel = new Map<string, Durations>();

  constructor(options: DurationHistogramOptions) {
    this.#options = options;
  }

  /**
   * Callers that observe often keep the result, to avoid the lookup. Values must be constants of
   * ours.
   */
  labeled(value: string): { observe(seconds: number): void } {
    return this.#find(value);
  }

  read(): DurationReading {
    return Object.fromEntries(
      Array.from(this.#byLabel, ([value, { counts, sumSeconds }]) => [
        value,
        { counts: [...counts], sumSeconds },
      ]),
    );
  }

  /** Adds what another process has observed. */
  add(reading: DurationReading): void {
    for (const [value, { counts, sumSeconds }] of Object.entries(reading)) {
      const durations = this.#find(value);
      for (const [bucket, count] of counts.entries()) {
        durations.counts[bucket] = (durations.counts[bucket] ?? 0) + count;
      }
      durations.sumSeconds += sumSeconds;
    }
  }

  render(): string {
    const { name, help } = this.#options;
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const [value, durations] of this.#byLabel)
      lines.push(...this.#renderLines(value, durations));
    return `${lines.join('\n')}\n`;
  }

  #find(value: string): Durations {
    let durations = this.#byLabel.get(value);
    if (durations === undefined) {
      durations = new Durations(this.#options.bucketsSeconds);
      this.#byLabel.set(value, durations);
    }
    return durations;
  }

  #renderLines(value: string, durations: Durations): string[] {
    const { name, label, bucketsSeconds } = this.#options;
    const labels = `${label}="${value}"`;
    let below = 0;
    const lines = durations.counts.map((count, bucket) => {
      below += count;
      return `${name}_bucket{le="${bucketsSeconds[bucket] ?? '+Inf'}",${labels}} ${below}`;
    });
    lines.push(
      `${name}_sum{${labels}} ${durations.sumSeconds}`,
      `${name}_count{${labels}} ${below}`,
    );
    return lines;
  }
}

const REQUEST_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];
const STORE_BUCKETS_S = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

export interface RequestMeter {
  observe(status: number, seconds: number): void;
}

/** A plain number that is read at each scrape, so that counting is free. */
interface Tally {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
}

/** How the values of several processes become one. */
type Across = 'sum' | 'min' | 'max';

type MetricReading = MetricObjectWithValues<MetricValue<string>>;

/** The metrics of one process, as plain data. */
export interface MetricsReading {
  readonly values: readonly MetricReading[];
  readonly requests: DurationReading;
  readonly store: DurationReading;
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

  get tallies(): readonly Readonly<Tally>[] {
    return this.#tallies;
  }

  add(labels: Tally['labels']): Tally {
    const tally = { labels, count: 0 };
    this.#tallies.push(tally);
    return tally;
  }
}

function createRequestDurations(): DurationHistogram {
  return new DurationHistogram({
    name: 'mintwire_http_request_duration_seconds',
    help: 'Time from the end of the request headers to the last byte of the response.',
    label: 'operation',
    bucketsSeconds: REQUEST_BUCKETS_S,
  });
}

function createStoreDurations(): DurationHistogram {
  return new DurationHistogram({
    name: 'mintwire_store_duration_seconds',
    help: 'Time taken by store operations.',
    label: 'operation',
    bucketsSeconds: STORE_BUCKETS_S,
  });
}

export class Metrics {
  readonly registry = new Registry();
  /** Of the gauges without labels. */
  readonly #readers = new Map<string, () => number>();
  readonly #requests = new TallyCounter(this.registry, {
    name: 'mintwire_http_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['operation', 'status'],
  });
  readonly #durations = createRequestDurations();
  readonly #limiterDecisions = new TallyCounter(this.registry, {
    name: 'mintwire_limiter_decisions_total',
    help: 'Budget decisions, by policy and outcome.',
    labelNames: ['policy', 'outcome'],
  });
  readonly #storeDurations = createStoreDurations();

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

  /** A gauge whose value is read at each scrape, and left out if that fails. */
  gauge(name: string, help: string, read: () => number, across: Across = 'sum'): void {
    this.#readers.set(name, read);
    new Gauge({
      name,
      help,
      aggregator: across,
      registers: [this.registry],
      collect() {
        try {
          this.set(read());
        } catch {
          this.remove();
        }
      },
    });
  }

  /**
   * The same for each chain; a null is left out. Of several workers each says the same, or one
   * says it.
   */
  chainGauge(name: string, help: string, read: ReadLabelled, across: Across = 'max'): void {
    this.#labelledGauge('chain', { name, help, aggregator: across }, read);
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
        try {
          for (const { chain, method, value } of read()) this.inc({ chain, method }, value);
        } catch {
          this.reset();
        }
      },
    });
  }

  /** The same for each venue of a chain and kind of call. */
  chainCallCounter(
    name: string,
    help: string,
    read: () => Iterable<{
      readonly chain: string;
      readonly venue: string;
      readonly instruction: string;
      readonly value: number;
    }>,
  ): void {
    new Counter({
      name,
      help,
      labelNames: ['chain', 'venue', 'instruction'],
      registers: [this.registry],
      collect() {
        this.reset();
        try {
          for (const { value, ...labels } of read()) this.inc(labels, value);
        } catch {
          this.reset();
        }
      },
    });
  }

  /** The same for each token list. */
  listGauge(name: string, help: string, read: ReadLabelled): void {
    this.#labelledGauge('list', { name, help, aggregator: 'max' }, read);
  }

  #labelledGauge(
    label: string,
    about: { name: string; help: string; aggregator: Across },
    read: ReadLabelled,
  ): void {
    new Gauge({
      ...about,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        try {
          for (const [of, value] of read()) if (value !== null) this.set({ [label]: of }, value);
        } catch {
          this.reset();
        }
      },
    });
  }

  /** The value of a gauge without labels now; 0 if this process has none of that name. */
  readGauge(name: string): number {
    return this.#readers.get(name)?.() ?? 0;
  }

  /** Answers since the start: all, those over a budget, those with a server's error. */
  countRequests(): { readonly total: number; readonly limited: number; readonly failed: number } {
    let [total, limited, failed] = [0, 0, 0];
    for (const { labels, count } of this.#requests.tallies) {
      total += count;
      if (labels['status'] === '429') limited += count;
      if (labels['status']?.startsWith('5')) failed += count;
    }
    return { total, limited, failed };
  }

  async render(): Promise<string> {
    const counted = await this.registry.metrics();
    return `${counted}\n${this.#durations.render()}\n${this.#storeDurations.render()}`;
  }

  async read(): Promise<MetricsReading> {
    const values = await this.registry.getMetricsAsJSON();
    return { values, requests: this.#durations.read(), store: this.#storeDurations.read() };
  }
}

function joinReadings(readings: readonly MetricsReading[]) {
  const registry = AggregatorRegistry.aggregate(readings.map(({ values }) => [...values]));
  const [requests, store] = [createRequestDurations(), createStoreDurations()];
  for (const reading of readings) {
    requests.add(reading.requests);
    store.add(reading.store);
  }
  return { registry, requests, store };
}

/** The metrics of several processes as those of one. */
export async function renderReadings(readings: readonly MetricsReading[]): Promise<string> {
  const { registry, requests, store } = joinReadings(readings);
  return `${await registry.metrics()}\n${requests.render()}\n${store.render()}`;
}

/** What processes that have ended leave: counts must not go back. */
export async function addUpCounts(readings: readonly MetricsReading[]): Promise<MetricsReading> {
  const { registry, requests, store } = joinReadings(readings);
  const values = await registry.getMetricsAsJSON();
  // Its type is a string in the data, whatever the library's own type says.
  const counts = values.filter(({ type }) => String(type) === 'counter');
  return { values: counts, requests: requests.read(), store: store.read() };
}
