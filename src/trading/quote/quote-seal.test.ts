// Quote ids: sealed terms are restored, and nothing else is accepted.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { fc } from '../../../test/fast-check.ts';
import { address } from '../../../test/test-ids.ts';
import { Peppers } from '../../access/peppers.ts';
import { AppError } from '../../errors/app-error.ts';
import { openQuote, type QuoteTerms, type Sealer, sealQuote } from './quote-seal.ts';

function createSealer(...secrets: { version: number; secret: Uint8Array }[]): Sealer {
  const peppers = new Peppers(secrets);
  return {
    mark: (text) => peppers.mark('quote', text),
    isMark: (text, mark) => peppers.isMark('quote', text, mark),
  };
}

const OLD = { version: 1, secret: randomBytes(32) };
const NEW = { version: 2, secret: randomBytes(32) };
const SEALER = createSealer(OLD);

const mint = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => address(`0x${Buffer.from(bytes).toString('hex')}`));
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

const venueName = fc.stringMatching(/^[a-z0-9-]{1,40}$/);

const terms: fc.Arbitrary<QuoteTerms> = fc.record({
  request: fc.record({
    chain: fc.constantFrom('devnet', 'base', 'ethereum'),
    mint,
    side: fc.constantFrom('buy', 'sell'),
    quoteMint: mint,
    fixed: fc.constantFrom('input', 'output'),
    amountRaw: amount,
    slippageBps: fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.constant('auto' as const)),
    limits: fc.record({
      venues: fc.array(venueName, { maxLength: 8 }),
      excludeVenues: fc.array(venueName, { maxLength: 8 }),
      // Limits that limit nothing are not kept.
      directOnly: fc.constant(true),
    }),
    fee: fc.record({ bps: fc.integer({ min: 1, max: 100 }), recipient: mint }),
  }),
  limitRaw: amount,
  outPerUnit: fc.option(
    fc.record({
      numerator: fc.bigInt({ min: 0n, max: 2n ** 512n - 1n }),
      denominator: fc.bigInt({ min: 1n, max: 2n ** 512n - 1n }),
    }),
  ),
  expiresAtMs: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  permit: fc.option(
    fc.record({
      form: fc.constantFrom('permit2' as const, 'eip2612' as const, 'dai' as const),
      router: fc.string({ maxLength: 40 }),
      amountRaw: amount,
      nonce: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
      deadlineSeconds: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    }),
  ),
});

/** Generated records have no prototype. */
function toPlain(one: QuoteTerms): QuoteTerms {
  return {
    ...one,
    request: {
      ...one.request,
      ...(one.request.limits === undefined ? {} : { limits: { ...one.request.limits } }),
      ...(one.request.fee === undefined ? {} : { fee: { ...one.request.fee } }),
    },
    outPerUnit: one.outPerUnit && { ...one.outPerUnit },
    permit: one.permit && { ...one.permit },
  };
}

function isRefused(sealer: Sealer, quoteId: string): boolean {
  try {
    openQuote(sealer, quoteId);
    return false;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'INVALID_QUOTE_ID');
    return true;
  }
}

test('sealing and opening round-trip, within the length that a build accepts', () => {
  fc.assert(
    fc.property(terms, (sealed) => {
      const quoteId = sealQuote(SEALER, sealed);
      const opened = openQuote(SEALER, quoteId);
      assert.deepEqual(opened, toPlain(sealed));
      assert.ok(quoteId.length <= 2000);
    }),
  );
});

test('an id of which any character was changed is refused', () => {
  fc.assert(
    fc.property(terms, fc.nat(), fc.constantFrom('A', 'b', '0', '-', '.', '~'), (one, at, by) => {
      const quoteId = sealQuote(SEALER, one);
      const index = at % quoteId.length;
      const changed = quoteId.slice(0, index) + by + quoteId.slice(index + 1);
      if (changed === quoteId) return;
      assert.ok(isRefused(SEALER, changed));
    }),
  );
});

test('an id of another service is refused', () => {
  fc.assert(
    fc.property(terms, (one) => {
      const other = createSealer({ version: 1, secret: randomBytes(32) });
      assert.ok(isRefused(SEALER, sealQuote(other, one)));
    }),
    { numRuns: 10 },
  );
});

test('while nodes change their pepper in turn, each accepts the ids of the others', () => {
  const [sample] = fc.sample(terms, 1);
  assert.ok(sample);
  const changed = createSealer(NEW, OLD);
  const waiting = createSealer(OLD, NEW);
  assert.deepEqual(openQuote(changed, sealQuote(waiting, sample)), toPlain(sample));
  assert.deepEqual(openQuote(waiting, sealQuote(changed, sample)), toPlain(sample));
});

test('a signature made for another purpose does not open', () => {
  const peppers = new Peppers([OLD]);
  const [sample] = fc.sample(terms, 1);
  assert.ok(sample);
  const foreign: Sealer = { mark: (text) => peppers.mark('cursor', text), isMark: () => false };
  assert.ok(isRefused(SEALER, sealQuote(foreign, sample)));
});

test('arbitrary text is rejected', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String().map((text) => `mwq_${text}.x`),
      ),
      (text) => isRefused(SEALER, text),
    ),
  );
});
