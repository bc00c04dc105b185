// Tokens that look like one that a token list vouches for.

import type { Lookalike } from '../../contract/safety-warnings.ts';
import { foldText } from '../../lib/fold-text.ts';
import { computeSkeleton } from '../../lib/text-skeleton.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { TokenDirectory } from './token-directory.ts';

/** A token with what it calls itself. */
export interface NamedToken {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
}

interface VouchedText extends Lookalike {
  readonly folded: string;
}

/** Shorter texts are alike by chance. */
const LENGTH_MIN = { symbol: 3, name: 4 } as const;
const FIELDS = ['symbol', 'name'] as const;

export class Lookalikes {
  readonly #directory: TokenDirectory;
  /** By field and skeleton. */
  readonly #vouched = new Map<string, VouchedText[]>();

  constructor(directory: TokenDirectory) {
    this.#directory = directory;
    for (const [chain, entries] of directory) {
      for (const [token, { symbol, name }] of entries) this.#add({ chain, token, symbol, name });
    }
  }

  /**
   * The vouched token that a token can be mistaken for, by its symbol or its name. On another chain
   * only if the text is written in other letters: otherwise it may be the same token there.
   */
  find(named: NamedToken): Lookalike | null {
    const { chain, token } = named;
    if (this.#directory.get(chain)?.has(token)) return null;
    const alike = FIELDS.flatMap((field) => {
      const folded = foldText(named[field] ?? '');
      const vouched = this.#vouched.get(buildKey(field, named[field]) ?? '') ?? [];
      return vouched.filter((one) => one.chain === chain || one.folded !== folded);
    });
    return alike.find((one) => one.chain === chain) ?? alike[0] ?? null;
  }

  #add(named: NamedToken): void {
    const { chain, token, symbol } = named;
    for (const field of FIELDS) {
      const key = buildKey(field, named[field]);
      if (key === null) continue;
      const folded = foldText(named[field] ?? '');
      this.#vouched.set(key, [...(this.#vouched.get(key) ?? []), { chain, token, symbol, folded }]);
    }
  }
}

/** Null if the text is too short. */
function buildKey(field: (typeof FIELDS)[number], text: string | null): string | null {
  const skeleton = computeSkeleton(text ?? '');
  return skeleton.length < LENGTH_MIN[field] ? null : `${field} ${skeleton}`;
}
