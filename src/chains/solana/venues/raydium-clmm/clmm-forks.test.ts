// Recorded events and calls of the forks of Raydium's CLMM, by its decoder.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ProgramCall } from '../../data/transaction-calls.ts';
import { VENUES_BY_PROGRAM } from '../solana-venues.ts';

const FILE = new URL(
  '../../../../../../shared/fixtures/venues2/solana-vectors.json',
  import.meta.url,
);
const skip = existsSync(FILE) ? false : 'fixtures/venues2 is absent';

interface EventVector {
  readonly name: string;
  readonly program: string;
  readonly base64?: string;
  readonly hex?: string;
  readonly expected: Readonly<Record<string, string | number | boolean>>;
}

function readVectors(): EventVector[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as EventVector[];
}

const NO_CALL = new ProgramCall(
  { programIdIndex: 0, accounts: [], data: '' },
  ['11111111111111111111111111111111'],
  { outer: 0, inner: -1 },
);

describe('a fork of Raydium CLMM', { skip }, () => {
  const events = skip === false ? readVectors().filter(({ base64 }) => base64 !== undefined) : [];

  it('has two recorded events', () => {
    assert.deepEqual(
      events.map(({ program }) => VENUES_BY_PROGRAM.get(program)?.name),
      ['byreal', 'pancakeswap-clmm'],
    );
  });

  for (const { name, program, base64 = '', expected } of events) {
    it(`tells its swap: ${name}`, () => {
      const venue = VENUES_BY_PROGRAM.get(program) ?? assert.fail();
      const logged = [Buffer.from(base64, 'base64')];
      const [report, ...more] = venue.readReports({ call: NO_CALL, logged });
      assert.deepEqual(more, []);
      const [first, second] = [BigInt(expected['amount0'] ?? 0), BigInt(expected['amount1'] ?? 0)];
      const isZeroIn = expected['zeroForOne'] === true;
      assert.deepEqual(
        [report?.pool, report?.amountIn, report?.amountOut],
        [expected['pool'], isZeroIn ? first : second, isZeroIn ? second : first],
      );
      assert.deepEqual(report?.change, {
        poolKind: 'rangeX64',
        set: {
          sqrtPriceX64: BigInt(expected['sqrtPriceX64'] ?? 0),
          ...{ liquidity: BigInt(expected['liquidity'] ?? 0), tick: expected['tick'] },
        },
      });
    });
  }

  it('is called as Raydium is', () => {
    for (const { program, hex } of skip === false ? readVectors() : []) {
      const venue = VENUES_BY_PROGRAM.get(program);
      if (hex === undefined || !['byreal', 'pancakeswap-clmm'].includes(venue?.name ?? ''))
        continue;
      assert.ok(venue?.swaps[hex.slice(0, 16)], hex);
    }
  });
});
