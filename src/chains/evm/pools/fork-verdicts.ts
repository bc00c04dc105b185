// What is known of the pools of factories that nobody listed, by factory and code. A single refusal
// may be due to a pool's state: a pool is refused after two refusals at different blocks, and all
// pools of a code after refusals of two of them.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Address } from '../../../model/ids.ts';

const VERDICTS_MAX = 10_000;

/** Where a code of a factory was judged. */
interface JudgedPool {
  readonly pool: Address;
  readonly block: number;
}

export class ForkVerdicts<Verdict extends { readonly kind: string }> {
  readonly #verdicts = new BoundedMap<string, { verdict: Verdict; block: number }>(VERDICTS_MAX);
  readonly #doubts = new BoundedMap<string, JudgedPool>(VERDICTS_MAX);

  find(key: string): Verdict | undefined {
    return this.#verdicts.get(key)?.verdict;
  }

  /** Whether the verdict applies to the pool: not after a first refusal. */
  keep(key: string, verdict: Verdict, { pool, block }: JudgedPool): boolean {
    const first = this.#doubts.get(key);
    if (verdict.kind === 'refused') {
      if (first === undefined) this.#doubts.set(key, { pool, block });
      if (first === undefined) return false;
      // What one pool does may be due to its state.
      if (first.pool === pool) return first.block !== block;
    }
    this.#verdicts.set(key, { verdict, block });
    return true;
  }

  /** The blocks above this one are gone, and what pools did there. */
  forgetAbove(position: number): void {
    for (const known of [this.#verdicts, this.#doubts]) {
      for (const [key, { block }] of known) if (block > position) known.delete(key);
    }
  }
}
