// Results of tools that were made before: as many as fit into a bound, the oldest forgotten first.

import type { ReadyAnswer } from '../contract/ready-answer.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { ResultText } from './encode-answer.ts';

/** The answer is held as long as its result, so it counts, too. */
function weigh(result: ResultText, answer: ReadyAnswer): number {
  return answer.bytes.length + result.members.length;
}

export class KeptResults {
  readonly #bytesMax: number;
  readonly #kept: BoundedMap<ReadyAnswer, ResultText>;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#kept = new BoundedMap(bytesMax, { weigh });
  }

  get bytes(): number {
    return this.#kept.weight;
  }

  /** Ready answers are the same object as long as they hold, and so are their results. */
  find(answer: ReadyAnswer): ResultText | undefined {
    return this.#kept.get(answer);
  }

  keep(answer: ReadyAnswer, result: ResultText): void {
    // One large result must not push everything else out.
    if (weigh(result, answer) > this.#bytesMax / 8 || this.#kept.has(answer)) return;
    this.#kept.set(answer, result);
  }
}
