// The followed chains for pricing.

import { isDeepStrictEqual } from 'node:util';
import type { ChainSlug } from '../../model/chain.ts';
import { RunningTradeChain, type TradeChainsOptions } from './running-trade-chain.ts';
import type { TradeChains } from './trade-chain.ts';

/** A devnet's node is known only once it runs. */
const LOOK_MS = 250;

interface RunningTradeChains extends TradeChains {
  start(): void;
  stop(): Promise<void>;
}

export function createTradeChains(options: TradeChainsOptions): RunningTradeChains {
  const { chains, feed, states, findAddresses } = options;
  const running = new Map<ChainSlug, RunningTradeChain>();
  const stopping = new Set<Promise<void>>();
  const ensure = (slug: ChainSlug): RunningTradeChain | null => {
    const source = chains.findSource(slug);
    const current = running.get(slug) ?? null;
    if (source === null || current?.source === source) return current;
    if (current !== null && isDeepStrictEqual(current.source, source)) return current;
    // The devnet may restart at another port, or as another chain.
    if (current !== null) {
      const stopped = current.stop().finally(() => stopping.delete(stopped));
      stopping.add(stopped);
    }
    const next = new RunningTradeChain(source, options);
    running.set(slug, next);
    next.start();
    return next;
  };
  let timer: NodeJS.Timeout | null = null;
  let unsubscribes: readonly (() => void)[] = [];
  return {
    known: chains.known,
    list: () => chains.slugs,
    findAddresses,
    canTrade: (slug) => ensure(slug)?.canTrade ?? true,
    listVenues: (slug) => ensure(slug)?.venues ?? null,
    find: (slug) => ensure(slug)?.trade ?? null,
    start: () => {
      unsubscribes = [
        feed.subscribe({
          onBatch: (batch) => ensure(batch.chain)?.onBatch(batch),
          onGap: (chain) => running.get(chain)?.onGap(),
        }),
        states.subscribe(({ chain, jump }) => {
          if (jump !== 'none') running.get(chain)?.jump(jump);
        }),
      ];
      const look = () => {
        for (const slug of chains.slugs) ensure(slug);
      };
      look();
      timer = setInterval(look, LOOK_MS);
      timer.unref();
    },
    stop: async () => {
      if (timer) clearInterval(timer);
      for (const unsubscribe of unsubscribes) unsubscribe();
      await Promise.all([...stopping, ...[...running.values()].map((one) => one.stop())]);
    },
  };
}
