// How prominent a token is, whatever is searched for: the part of a match's score that does not
// depend on the query. docs/api/search.md explains the points.

/** What is known of a token besides its texts. */
interface TokenStanding {
  /** Whether a token list vouches for it. */
  readonly isVerified: boolean;
  /** Null if unknown. */
  readonly liquidityUsd: number | null;
  /** Of the last 24 hours. */
  readonly volumeUsd: number;
  /** Since its first event. */
  readonly ageMs: number;
}

export const VERIFIED_POINTS = 4;
/** A token with as many points is known well enough that a query for it is no typing error. */
export const ESTABLISHED_POINTS = VERIFIED_POINTS;

/** Below this amount, liquidity and volume give no points. */
export const USD_MIN = 1000;
const LIQUIDITY_POINTS_MAX = 6;
const VOLUME_POINTS_MAX = 3;
/** Points for each factor of ten above the minimum. */
const LIQUIDITY_POINTS = 1;
const VOLUME_POINTS = 0.5;

const DAY_MS = 86_400_000;
const AGE_POINTS_MAX = 0.5;
const AGE_DAYS_MAX = 365;

/** Scores are multiples of this, so that their sums are exact. */
const STEP = 1024;

function countTens(usd: number): number {
  return Math.log10(Math.max(1, usd / USD_MIN));
}

export function computeProminence(standing: TokenStanding): number {
  const liquidityUsd = standing.liquidityUsd ?? 0;
  // Volume costs little to make, so it counts only as far as there is liquidity to lose.
  const volumeUsd = Math.min(standing.volumeUsd, liquidityUsd);
  const days = Math.min(AGE_DAYS_MAX, Math.max(1, standing.ageMs / DAY_MS));
  const points =
    (standing.isVerified ? VERIFIED_POINTS : 0) +
    Math.min(LIQUIDITY_POINTS_MAX, LIQUIDITY_POINTS * countTens(liquidityUsd)) +
    Math.min(VOLUME_POINTS_MAX, VOLUME_POINTS * countTens(volumeUsd)) +
    (AGE_POINTS_MAX * Math.log(days)) / Math.log(AGE_DAYS_MAX);
  return Math.round(points * STEP) / STEP;
}
