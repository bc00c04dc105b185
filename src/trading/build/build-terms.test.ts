// A quote binds until it runs out, to its own trade, and only ever tightens.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PricedTrade, TradeRequest } from '../quote/priced-trade.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';
import { assertFits, tighten } from './build-terms.ts';

const REQUEST: TradeRequest = {
  chain: 'devnet',
  mint: `0x${'11'.repeat(20)}`,
  side: 'buy',
  quoteMint: `0x${'00'.repeat(20)}`,
  amountInRaw: 1000n,
  slippageBps: 50,
};
const TERMS: QuoteTerms = { request: REQUEST, minAmountOutRaw: 990n, expiresAtMs: 5000 };

describe('assertFits', () => {
  it('takes the very trade until the end of its life, and not at it', () => {
    assert.doesNotThrow(() => assertFits(TERMS, { ...REQUEST }, 4999));
    assert.throws(() => assertFits(TERMS, REQUEST, 5000), { code: 'QUOTE_EXPIRED', status: 409 });
  });

  it('names every field that differs', () => {
    const others: Partial<TradeRequest>[] = [
      { chain: 'base' },
      { mint: `0x${'22'.repeat(20)}` },
      { side: 'sell' },
      { quoteMint: `0x${'22'.repeat(20)}` },
      { amountInRaw: 1001n },
      { slippageBps: 51 },
    ];
    for (const other of others) {
      const [path] = Object.keys(other);
      assert.throws(() => assertFits(TERMS, { ...REQUEST, ...other }, 0), {
        code: 'QUOTE_MISMATCH',
        errors: [{ path, message: 'differs from the quote' }],
      });
    }
  });
});

describe('tighten', () => {
  const toTrade = (amountOutRaw: bigint, minAmountOutRaw: bigint) =>
    ({ request: REQUEST, amountOutRaw, minAmountOutRaw }) as PricedTrade;

  it('keeps the higher minimum, whichever it is', () => {
    assert.equal(tighten(toTrade(1000n, 995n), TERMS).minAmountOutRaw, 995n);
    assert.equal(tighten(toTrade(991n, 986n), TERMS).minAmountOutRaw, 990n);
    assert.equal(tighten(toTrade(990n, 985n), TERMS).minAmountOutRaw, 990n);
    assert.equal(tighten(toTrade(5n, 4n), null).minAmountOutRaw, 4n);
  });

  it('refuses what pays less than the quote promised', () => {
    const error = { code: 'PRICE_MOVED', status: 409 };
    assert.throws(() => tighten(toTrade(989n, 984n), TERMS), error);
  });
});
