// Merges the tokens of several ways to match into one list by score.
//
// Positions are in order of prominence, and a way to match has fixed points. So each list is in
// order of its scores already, and only as much of it is read as is shown.

import { isWhole, type Match } from './match-text.ts';

/** The tokens that match in one way. */
export interface MatchStream {
  readonly match: Match;
  /** Positions, ascending; some come twice. */
  readonly positions: Iterable<number>;
}

interface OpenStream {
  readonly match: Match;
  readonly iterator: Iterator<number>;
  /** Infinite at the end. */
  position: number;
  score: number;
}

interface MergedMatch {
  readonly position: number;
  readonly match: Match;
  readonly score: number;
}

export class MatchMerger {
  readonly #prominences: Float64Array;
  readonly #streams: OpenStream[];

  constructor(streams: readonly MatchStream[], prominences: Float64Array) {
    this.#prominences = prominences;
    // A stream is read first when its best possible score is due.
    this.#streams = streams.map(({ match, positions }) => ({
      match,
      iterator: positions[Symbol.iterator](),
      position: -1,
      score: match.points + (prominences[0] ?? 0),
    }));
  }

  /** The next by score; null at the end. A token comes once for each way in which it matches. */
  next(): MergedMatch | null {
    for (;;) {
      const best = this.#pickBest();
      if (best === null) return null;
      const { position, match, score } = best;
      this.#advance(best);
      if (position >= 0) return { position, match, score };
    }
  }

  /** Whether a whole match before an end is still to come; those that are gone do not count. */
  hasWholeBefore(end: number, isGone: (position: number) => boolean): boolean {
    return this.#streams.some((stream) => {
      if (!isWhole(stream.match)) return false;
      while (stream.position < end && (stream.position < 0 || isGone(stream.position))) {
        this.#advance(stream);
      }
      return stream.position < end;
    });
  }

  #pickBest(): OpenStream | null {
    let best: OpenStream | null = null;
    for (const stream of this.#streams) {
      if (stream.position === Number.POSITIVE_INFINITY) continue;
      const isBetter =
        best === null ||
        stream.score > best.score ||
        (stream.score === best.score && stream.position < best.position);
      if (isBetter) best = stream;
    }
    return best;
  }

  #advance(stream: OpenStream): void {
    const { done, value } = stream.iterator.next();
    stream.position = done ? Number.POSITIVE_INFINITY : value;
    stream.score = stream.match.points + (this.#prominences[stream.position] ?? 0);
  }
}
