// Amounts to choose instead of typing: round ones of a coin, parts of what is held.

import { formatUnits } from '../../../format/token-units.ts';

const WORTHS_USD = [25, 100, 500] as const;
/** Where the coin has no price. */
const PLAIN = ['0.1', '0.5', '1'] as const;
const PARTS_PCT = [25, 50, 75] as const;

interface QuickAmount {
  readonly text: string;
  readonly amount: string;
}

/** One digit that says something: about 25, 100 and 500 USD of the coin. */
export function pickCoinAmounts(priceUsd: string | null): QuickAmount[] {
  const price = Number(priceUsd ?? 0);
  if (!(price > 0)) return PLAIN.map((amount) => ({ text: amount, amount }));
  return WORTHS_USD.map((worth) => {
    const step = 10 ** Math.floor(Math.log10(worth / price));
    const count = Math.max(1, Math.round(worth / price / step));
    const digits = Math.max(0, -Math.round(Math.log10(step)));
    const amount = (count * step).toFixed(digits);
    return { text: amount, amount };
  });
}

/** Rounded down: never more than is held. */
export function pickParts(balanceRaw: string, decimals: number): QuickAmount[] {
  return PARTS_PCT.map((pct) => {
    const raw = (BigInt(balanceRaw) * BigInt(pct)) / 100n;
    return { text: `${pct}%`, amount: formatUnits(String(raw), decimals) ?? '' };
  });
}
