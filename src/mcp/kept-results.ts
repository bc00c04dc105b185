// Results of tools that were made before: as many as fit into a bound, the oldest forgotten first.

import type { ReadyAnswer } from '../contract/ready-answer.ts';
import type { ResultText } from './encode-answer.ts';

export class KeptResults {
  readonly #bytesMax: number;
  readonly #kept = new Map<ReadyAnswer, { readonly result: ResultText; readonly bytes: number }>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Ready answers are the same object as long as they hold, and so are their results. */
  find(answer: ReadyAnswer): ResultText | undefined {
    return this.#kept.get(answer)?.result;
  }

  keep(answer: ReadyAnswer, result: ResultText): void {
    // The answer is held as long as its result, so it counts, too.
    const bytes = answer.bytes.length + result.members.length;
    // One large result must not push everything else out.
    if (bytes > this.#bytesMax / 8 || this.#kept.has(answer)) return;
    this.#kept.set(answer, { result, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#kept) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#kept.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}
