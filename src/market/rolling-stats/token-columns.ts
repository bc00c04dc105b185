// The figures of all tokens of a chain that lists sort and filter by, in typed arrays.
//
// About 100 bytes a token. A token keeps its position; one that a rollback removed is marked.

import { pow10, ratioToText, textToDecimal, toRatio, toUsdText } from '../../lib/decimal.ts';
import type { Address } from '../../model/ids.ts';
import { pickTokenLiquidity } from '../../model/market-record.ts';
import type { TokenFigures } from '../../store/market-reads.ts';
import { DecimalColumn, packDecimal } from './packed-decimal.ts';
import { PackedIds } from './packed-ids.ts';
import { ChangedPlaces } from './subject-places.ts';

/** What is true of a token. */
export const TOKEN_FLAGS = { present: 1, poolShare: 2, native: 4, verified: 8 } as const;

const CAPACITY_FIRST = 1024;

/** Price times total supply. */
export function computeMarketCap(
  token: Pick<TokenFigures, 'supplyRaw' | 'decimals'>,
  priceUsd: string | null,
): string | null {
  if (priceUsd === null || token.supplyRaw === null || token.decimals === null) return null;
  const price = toRatio(textToDecimal(priceUsd));
  return ratioToText({
    numerator: token.supplyRaw * price.numerator,
    denominator: pow10(token.decimals) * price.denominator,
  });
}

/** The chain's assets, as far as lists must know them. */
export interface ListAssets {
  readonly native: ReadonlySet<Address>;
  readonly stable: ReadonlySet<Address>;
}

function packOrNull(text: string | null) {
  return text === null ? null : packDecimal(text);
}

export class TokenColumns {
  readonly ids = new PackedIds<Address>();
  readonly liquidity = new DecimalColumn();
  readonly marketCap = new DecimalColumn();
  readonly price = new DecimalColumn();
  /** Where the doubles of prices changed. */
  readonly changedPrices = new ChangedPlaces();
  /** Replaced when the columns grow, like the next one. */
  firstSeenMs = new Float64Array(CAPACITY_FIRST);
  flags = new Uint8Array(CAPACITY_FIRST);
  /**
   * Since when its trades are indexed; NaN or absent: since the chain's are. It is shorter than the
   * others as long as that is true of all: write it by `setStart`.
   */
  startMs = new Float64Array(0);
  /** The launchpads of those that come from one. */
  readonly launchpads = new Map<number, string>();
  readonly #assets: ListAssets;

  constructor(assets: ListAssets) {
    this.#assets = assets;
  }

  /** The position of a token, which may have no row (yet). */
  place(token: Address): number {
    const position = this.ids.add(token);
    if (position >= this.flags.length) this.#grow();
    return position;
  }

  /** Writes a row; flags other than `present` and `native` stay. */
  put(figures: TokenFigures): number {
    const { token } = figures;
    const position = this.place(token);
    const { native, stable } = this.#assets;
    const priceUsd = figures.priceUsd ?? (stable.has(token) ? '1' : null);
    const before = this.price.doubles[position];
    this.price.set(position, packOrNull(priceUsd));
    if (this.price.doubles[position] !== before) this.changedPrices.note(position);
    this.liquidity.set(position, packOrNull(toUsdText(pickTokenLiquidity(figures))));
    this.marketCap.set(position, packOrNull(computeMarketCap(figures, priceUsd)));
    this.firstSeenMs[position] = figures.firstSeenAtMs;
    if (figures.launch !== undefined) this.launchpads.set(position, figures.launch.venue);
    else this.launchpads.delete(position);
    this.setFlag(position, 'present', true);
    this.setFlag(position, 'native', native.has(token));
    return position;
  }

  setStart(position: number, startMs: number): void {
    if (position >= this.startMs.length) {
      if (Number.isNaN(startMs)) return;
      const grown = new Float64Array(this.flags.length).fill(Number.NaN);
      grown.set(this.startMs);
      this.startMs = grown;
    }
    this.startMs[position] = startMs;
  }

  remove(token: Address): void {
    const position = this.ids.find(token);
    if (position !== null) this.setFlag(position, 'present', false);
  }

  isPresent(token: Address): boolean {
    const position = this.ids.find(token);
    return position !== null && this.has(position, 'present');
  }

  has(position: number, flag: keyof typeof TOKEN_FLAGS): boolean {
    return ((this.flags[position] ?? 0) & TOKEN_FLAGS[flag]) !== 0;
  }

  setFlag(position: number, flag: keyof typeof TOKEN_FLAGS, value: boolean): void {
    const flags = this.flags[position] ?? 0;
    this.flags[position] = value ? flags | TOKEN_FLAGS[flag] : flags & ~TOKEN_FLAGS[flag];
  }

  clearFlag(flag: keyof typeof TOKEN_FLAGS): void {
    for (let position = 0; position < this.ids.size; position += 1) {
      this.setFlag(position, flag, false);
    }
  }

  #grow(): void {
    const size = this.flags.length * 2;
    const firstSeenMs = new Float64Array(size);
    const flags = new Uint8Array(size);
    firstSeenMs.set(this.firstSeenMs);
    flags.set(this.flags);
    this.firstSeenMs = firstSeenMs;
    this.flags = flags;
  }
}
