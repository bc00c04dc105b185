// Counts actions and errors by kind, with the first text of each error.

const SAMPLES_MAX = 3;

export interface Trouble {
  count: number;
  readonly samples: string[];
}

export class Tally {
  readonly done = new Map<string, number>();
  readonly troubles = new Map<string, Trouble>();

  add(kind: string, count = 1): void {
    this.done.set(kind, (this.done.get(kind) ?? 0) + count);
  }

  fail(kind: string, detail: string): void {
    const trouble = this.troubles.get(kind) ?? { count: 0, samples: [] };
    trouble.count += 1;
    if (trouble.samples.length < SAMPLES_MAX) trouble.samples.push(detail.slice(0, 300));
    this.troubles.set(kind, trouble);
  }

  /** Counts a response; an unexpected status is an error. */
  async check(kind: string, response: Response, meant: readonly number[] = [200]): Promise<string> {
    const text = await response.text();
    if (meant.includes(response.status)) this.add(`${kind} ${response.status}`);
    else this.fail(`${kind} ${response.status}`, text);
    return text;
  }
}
