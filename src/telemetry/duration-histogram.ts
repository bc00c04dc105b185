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
export type DurationReading = Readonly<
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
