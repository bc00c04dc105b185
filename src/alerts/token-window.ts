// The recent past of one token for windows: values and prices by minute, and by quarter of an hour
// for the long windows. The same from stored candles as from trades, so that it does not matter
// when they were read.

import { addDecimals, type Decimal, decimalToText, textToDecimal } from '../lib/decimal.ts';
import type { AlertWindow } from '../model/alert.ts';
import type { CandleRecord, StoredInterval, TradeRecord } from '../model/market-record.ts';

const MINUTE_MS = 60_000;

interface WindowShape {
  readonly interval: Extract<StoredInterval, '1m' | '15m'>;
  /** With the current one. */
  readonly slots: number;
}

const SHAPES: Readonly<Record<AlertWindow, WindowShape>> = {
  '5m': { interval: '1m', slots: 5 },
  '15m': { interval: '1m', slots: 15 },
  '1h': { interval: '1m', slots: 60 },
  '6h': { interval: '15m', slots: 24 },
  '24h': { interval: '15m', slots: 96 },
};

const SLOT_MS = { '1m': MINUTE_MS, '15m': 15 * MINUTE_MS } as const;
/** A window, and as long before it for the price that it began with. */
const SLOTS_KEPT = { '1m': 2 * 60, '15m': 2 * 96 } as const;

interface Slot {
  readonly openMs: number;
  volumeUsd: Decimal;
  /** The last price that is no outlier's. */
  close: string | null;
}

interface WindowFigures {
  readonly volumeUsd: string;
  /** The last price before the window, at most as old as the window is long; null without one. */
  readonly before: string | null;
  /** The last price in it or before it. */
  readonly last: string | null;
}

const NOTHING: Decimal = { digits: 0n, scale: 0 };

/** The candles that a window is made of, as of a time. */
export function listWindowRanges(timestampMs: number) {
  return (['1m', '15m'] as const).map((interval) => {
    const lengthMs = SLOT_MS[interval];
    const openMs = Math.floor(timestampMs / lengthMs) * lengthMs;
    const fromMs = Math.max(0, openMs - SLOTS_KEPT[interval] * lengthMs);
    return { interval, fromMs, toMs: openMs + lengthMs };
  });
}

export class TokenWindow {
  readonly #slots = { '1m': [] as Slot[], '15m': [] as Slot[] };

  /** Of both intervals, each ascending. */
  constructor(candles: readonly CandleRecord[]) {
    for (const { interval, openTimeMs, quoteVolumeUsd, usdClean } of candles) {
      if (interval !== '1m' && interval !== '15m') continue;
      const volumeUsd = textToDecimal(quoteVolumeUsd);
      const close = usdClean?.close ?? null;
      this.#slots[interval].push({ openMs: openTimeMs, volumeUsd, close });
    }
  }

  add({ timestampMs, valueUsd, priceUsd, outlier }: TradeRecord): void {
    for (const interval of ['1m', '15m'] as const) {
      const slots = this.#slots[interval];
      const openMs = Math.floor(timestampMs / SLOT_MS[interval]) * SLOT_MS[interval];
      let slot = slots.at(-1);
      if (slot === undefined || slot.openMs < openMs) {
        slot = { openMs, volumeUsd: NOTHING, close: null };
        slots.push(slot);
        if (slots.length > SLOTS_KEPT[interval] + 1) slots.shift();
      }
      if (valueUsd !== null) slot.volumeUsd = addDecimals(slot.volumeUsd, textToDecimal(valueUsd));
      if (!outlier && priceUsd !== null) slot.close = priceUsd;
    }
  }

  read(window: AlertWindow, timestampMs: number): WindowFigures {
    const { interval, slots: count } = SHAPES[window];
    const lengthMs = SLOT_MS[interval];
    const startMs = (Math.floor(timestampMs / lengthMs) - count + 1) * lengthMs;
    let volumeUsd = NOTHING;
    let before: string | null = null;
    let last: string | null = null;
    const slots = this.#slots[interval];
    for (let at = slots.length - 1; at >= 0; at -= 1) {
      const slot = slots[at];
      if (slot === undefined || slot.openMs < startMs - count * lengthMs) break;
      last ??= slot.close;
      if (slot.openMs >= startMs) volumeUsd = addDecimals(volumeUsd, slot.volumeUsd);
      else if (slot.close !== null) {
        before = slot.close;
        break;
      }
    }
    return { volumeUsd: decimalToText(volumeUsd), before, last };
  }
}
