// Recorded events and calls of the forks of Raydium's CLMM, by its decoder.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { skipWithoutSolana } from '../../../../../test/solana-fixtures.ts';
import {
  buildPoolRecord,
  createRecordedSwapPool,
  ofPool,
  patchPool,
  type RecordedPool,
  readPoolAt,
  readRecordedPool,
} from '../../../../../test/solana-pools.ts';
import { kindOf } from '../../../../amm/pool-kinds.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
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

describe('a pool of Byreal', { skip: skipWithoutSolana }, () => {
  const BYREAL = 'REALQqNEomY6cQGZJUGwywTBD2UmDT32rZcNnfxQ5N2';
  const [TICKS, SPARSE_TICKS, TICK_BYTES] = [44, 216, 168];

  /** Only the ticks with liquidity, from the last to the first, after Byreal's header. */
  function toSparse(array: Buffer): Buffer {
    const ticks = Array.from({ length: 60 }, (_, index) =>
      array.subarray(TICKS + index * TICK_BYTES, TICKS + (index + 1) * TICK_BYTES),
    ).filter((tick) => tick.subarray(20, 36).some((byte) => byte !== 0));
    const header = Buffer.alloc(SPARSE_TICKS);
    header.write('6a8b98247599b838', 'hex');
    header.set(array.subarray(8, 44), 8);
    header.set([ticks.length, ticks.length], 108);
    return Buffer.concat([header, ...ticks.toReversed()]);
  }

  /** A recorded pool of Raydium as Byreal keeps its accounts. */
  function build(isSparse: boolean): RecordedPool {
    const recorded = readRecordedPool('raydium-clmm-local');
    const accounts = new Map(
      Array.from(recorded.accounts, ([key, data]) => {
        if (data.toString('hex', 0, 8) !== 'c09b55cd31f9812a') return [key, data] as const;
        const start = Buffer.alloc(4);
        start.writeInt32BE(data.readInt32LE(40));
        const seeds = ['tick_array', toSeed(toSolanaAddress(recorded.pool)), start];
        const own = findProgramAddress(toSolanaAddress(BYREAL), seeds);
        return [own, isSparse ? toSparse(data) : data] as const;
      }),
    );
    return { ...recorded, program: BYREAL, accounts };
  }

  const flagsOf = (recorded: RecordedPool) => {
    const record = buildPoolRecord(readPoolAt(recorded));
    return kindOf(record).findFlags?.(record.state, record.terms);
  };
  const patchFee = (...bytes: number[]) =>
    patchPool(build(true), [{ account: ofPool, offset: 1096, bytes }]);

  it('is quoted from either form of its ticks as its twin of Raydium, and not exactly', () => {
    const twin = readPoolAt(readRecordedPool('raydium-clmm-local'));
    const byTick = (ticks: typeof twin.ticks) => ticks.toSorted((a, b) => a.tick - b.tick);
    assert.ok(twin.ticks.length > 2);
    for (const isSparse of [false, true]) {
      const pool = build(isSparse);
      assert.deepEqual(byTick(readPoolAt(pool).ticks), byTick(twin.ticks));
      assert.equal(flagsOf(pool), 'forkUnchecked');
      assert.notEqual(createRecordedSwapPool(pool), null);
    }
  });

  it('charges a fee of its own, if it has one', () => {
    const fee = Buffer.alloc(4);
    fee.writeUInt32LE(1234);
    const own = patchPool(build(true), [{ account: ofPool, offset: 393, bytes: fee }]);
    assert.equal(readPoolAt(own).feePips, 1234);
    assert.equal(flagsOf(own), 'forkUnchecked');
    assert.notEqual(readPoolAt(build(true)).feePips, 1234);
  });

  it('is not quoted while its fee falls with time, or follows prices of others', () => {
    for (const bits of [0b00001, 0b10000]) {
      const pool = patchFee(bits, 50, 10, 60);
      assert.equal(flagsOf(pool), 'forkUnchecked dynamicFee');
      assert.equal(createRecordedSwapPool(pool), null);
    }
    assert.equal(flagsOf(patchFee(0b01110, 50, 10, 60)), 'forkUnchecked', 'switched off');
  });

  it('is not quoted if an array of ticks is of a third form', () => {
    const pool = build(true);
    const accounts = new Map(
      Array.from(pool.accounts, ([key, data]) => {
        if (data.toString('hex', 0, 8) !== '6a8b98247599b838') return [key, data] as const;
        return [key, Buffer.concat([Buffer.alloc(8, 7), data.subarray(8)])] as const;
      }),
    );
    const other = { ...pool, accounts };
    assert.equal(flagsOf(other), 'forkUnchecked otherTicks');
    assert.equal(createRecordedSwapPool(other), null);
  });
});
