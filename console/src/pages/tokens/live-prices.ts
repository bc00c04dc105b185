// Prices of the visible rows, by one stream whose set of tokens follows the scroll position.

import { type Signal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { StreamEvents } from '../../api/contract-types.ts';
import { openEventStream } from '../../api/event-stream.ts';

type LivePrice = Pick<
  StreamEvents['price'],
  | 'priceUsd'
  | 'liquidityUsd'
  | 'marketCapUsd'
  | 'priceChange24hPct'
  | 'volume24hUsd'
  | 'trades24h'
  | 'block'
>;

/** Scrolling through a list must not open a stream for every row. */
const SETTLE_MS = 700;

const prices = new Map<string, Signal<LivePrice | null>>();

/** The live price of a token; null if none has arrived. */
export function findLivePrice(key: string): Signal<LivePrice | null> {
  const found = prices.get(key) ?? signal<LivePrice | null>(null);
  prices.set(key, found);
  return found;
}

function putPrice({ chain, mint }: Named, price: LivePrice): void {
  if (chain === undefined || mint === undefined) return;
  findLivePrice(`${chain}:${mint}`).value = price;
}

type Named = { readonly chain?: string; readonly mint?: string };

/** A stream of these tokens, `chain:mint` each. */
function openPrices(keys: readonly string[]): () => void {
  return openEventStream({
    input: { mint: keys, events: ['price'] },
    handlers: {
      price: (data) => putPrice(data, data),
      snapshot: (data) => {
        if ('token' in data) putPrice(data, { ...data.token, block: data.asOf.block });
      },
    },
  });
}

/** Keeps a stream of these tokens, whatever their order; the old one stays until the new opens. */
export function useLivePrices(keys: readonly string[]): void {
  const set = keys.toSorted().join(',');
  const close = useRef<(() => void) | null>(null);
  useEffect(() => {
    if (set === '') return undefined;
    const replace = () => {
      close.current?.();
      close.current = openPrices(set.split(','));
    };
    const timer = setTimeout(replace, close.current === null ? 0 : SETTLE_MS);
    return () => clearTimeout(timer);
  }, [set]);
  useEffect(() => () => close.current?.(), []);
}
