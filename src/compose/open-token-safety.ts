// Opens the reads that need both the market and what trading has measured of pools.

import type { Clock } from '../lib/clock.ts';
import { createGetTokenSafety } from '../market/create-get-token-safety.ts';
import type { Market } from '../market/create-market.ts';
import type { Trading } from './open-trading.ts';

interface OpenTokenSafetyOptions {
  readonly market: Pick<Market, 'parts' | 'standby'>;
  readonly trading: Pick<Trading, 'chains' | 'contracts'>;
  readonly clock: Clock;
}

export function openTokenSafety({ market, trading, clock }: OpenTokenSafetyOptions) {
  return createGetTokenSafety({
    ...market.parts,
    standby: market.standby,
    nowMs: () => clock.nowMs(),
    contracts: trading.contracts,
    findSafety: (slug) => {
      const chain = trading.chains.find(slug);
      if (chain === null) return null;
      const { book, costs } = chain;
      return {
        unitName: costs.unitName,
        find: (pool) => book.get(pool) ?? null,
        isDoubted: (pool) => book.findDoubt(pool) === 'seen',
        sum: (pools, token) => book.ofToken(pools, (one) => one === token),
        note: (token) => chain.noteAsked(token),
      };
    },
  });
}
