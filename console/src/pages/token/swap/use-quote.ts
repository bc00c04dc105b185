// A quote while the user types: after a pause, again every 15 seconds, never while it is reviewed.

import { useEffect, useState } from 'preact/hooks';
import { api } from '../../../api/api-client.ts';
import type { QuoteReply } from '../../../api/contract-types.ts';
import { useResource } from '../../../api/use-resource.ts';

interface SwapTerms {
  readonly chain: string;
  readonly mint: string;
  readonly side: 'buy' | 'sell';
  readonly slippageBps: number | 'auto';
}

/** Either what is paid or what is received is given. */
export type WantedSwap = SwapTerms &
  ({ readonly amountInRaw: string } | { readonly amountOutRaw: string });

const DEBOUNCE_MS = 300;
const REFRESH_MS = 15_000;

/** Null asks for nothing. Another reader, such as another account, is quoted again. */
export function useQuote(request: WantedSwap | null, reader: string) {
  const wanted = request === null ? null : JSON.stringify([request, reader]);
  const [key, setKey] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setKey(wanted), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const quote = useResource<QuoteReply>({
    key: wanted === null ? null : key,
    load: (signal) => api.quoteTrade(JSON.parse(key ?? '[]')[0], { signal }),
    refreshMs: REFRESH_MS,
  });
  // What was quoted for another text is not shown.
  return { ...quote, value: key === wanted ? quote.value : null };
}
