// A wallet's usage as a plot: a bar for each day, stacked by key.

interface UsageCount {
  readonly time: number;
  /** Null for the wallet's sessions. */
  readonly keyId: string | null;
  readonly requests: number;
  readonly cost: number;
  readonly limited: number;
  readonly errors: number;
}

export interface UsageTotal {
  readonly keyId: string | null;
  readonly requests: number;
  readonly cost: number;
  readonly limited: number;
  readonly errors: number;
}

interface UsagePart {
  /** Its place among the totals. */
  readonly series: number;
  readonly requests: number;
  /** Where the part begins, as a share of the highest bar. */
  readonly from: number;
  readonly height: number;
}

interface UsageBar {
  readonly time: number;
  readonly requests: number;
  readonly parts: readonly UsagePart[];
}

export interface UsageBars {
  /** The most used key first. */
  readonly totals: readonly UsageTotal[];
  /** Every day of the range, the oldest first, those without a request too. */
  readonly bars: readonly UsageBar[];
  readonly requestsMax: number;
}

const DAY_MS = 86_400_000;

function sumByKey(rows: readonly UsageCount[]): UsageTotal[] {
  const totals = new Map<string | null, UsageTotal>();
  for (const { keyId, requests, cost, limited, errors } of rows) {
    const old = totals.get(keyId) ?? { keyId, requests: 0, cost: 0, limited: 0, errors: 0 };
    totals.set(keyId, {
      keyId,
      requests: old.requests + requests,
      cost: old.cost + cost,
      limited: old.limited + limited,
      errors: old.errors + errors,
    });
  }
  return [...totals.values()].sort((a, b) => b.requests - a.requests);
}

/** `rows` by day; the last of the days is that of `nowMs`. */
export function buildUsageBars(
  rows: readonly UsageCount[],
  range: { readonly days: number; readonly nowMs: number },
): UsageBars {
  const totals = sumByKey(rows);
  const today = Math.floor(range.nowMs / DAY_MS) * DAY_MS;
  const days = Array.from({ length: range.days }, (_, at) => {
    const time = today - (range.days - 1 - at) * DAY_MS;
    const ofDay = sumByKey(rows.filter((row) => row.time === time));
    return { time, ofDay, requests: ofDay.reduce((sum, { requests }) => sum + requests, 0) };
  });
  const requestsMax = Math.max(1, ...days.map(({ requests }) => requests));
  const bars = days.map(({ time, requests, ofDay }) => {
    let from = 0;
    const parts = totals.flatMap(({ keyId }, series) => {
      const count = ofDay.find((one) => one.keyId === keyId)?.requests ?? 0;
      if (count === 0) return [];
      const part = { series, requests: count, from, height: count / requestsMax };
      from += part.height;
      return [part];
    });
    return { time, requests, parts };
  });
  return { totals, bars, requestsMax };
}
