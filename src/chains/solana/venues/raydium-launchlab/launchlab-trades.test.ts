// Recorded trades on curves of LaunchLab: what they paid, and what the index makes of them.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { address, poolId } from '../../../../../test/test-ids.ts';
import {
  LaunchCurvePool,
  launchCurveKind,
} from '../../../../amm/launch-curve/launch-curve-kind.ts';
import type { PoolDraft } from '../../../../amm/pool-kind.ts';
import { encodeBase58 } from '../../../../lib/base58.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { decodeTrades } from '../../blocks/decode-trades.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import type { RawTransaction } from '../../data/raw-transaction.ts';
import { TOKEN_PROGRAM, WRAPPED_SOL } from '../../data/solana-ids.ts';
import { findLaunchAddress } from './launchlab-accounts.ts';
import { RAYDIUM_LAUNCHLAB } from './launchlab-venue.ts';

const FOLDER = new URL('../../../../../../shared/fixtures/venues2/', import.meta.url);
const skip = existsSync(FOLDER) ? false : 'fixtures/venues2 is absent';
const PROGRAM = 'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj';
/** Of the two recorded trades: of all who share the fee. */
const FEE_PIPS: Readonly<Record<string, number>> = {
  'launchlab-trade-with-creator-fee': 13_000,
  'launchlab-trade-first-layout': 12_500,
};

interface Vector {
  readonly name: string;
  readonly hex: string;
  readonly expected: Readonly<Record<string, string>>;
}

function readVectors(): Vector[] {
  const all = JSON.parse(readFileSync(new URL('solana-vectors.json', FOLDER), 'utf8')) as Vector[];
  return all.filter(({ name }) => name in FEE_PIPS);
}

const big = (text: string | undefined) => BigInt(text ?? assert.fail());

function describeBefore({ name, expected }: Vector) {
  const [sold, paid] = [big(expected['realBaseBefore']), big(expected['realQuoteBefore'])];
  const sellTotal = big(expected['totalBaseSell']);
  const virtual0 = big(expected['virtualBase']);
  const virtual1 = big(expected['virtualQuote']);
  return {
    terms: { shape: 'product', sellTotal, virtual0, virtual1 } as const,
    state: {
      ...{ reserve0: virtual0 - sold, reserve1: virtual1 + paid, held0: sellTotal - sold },
      ...{ held1: paid, feePips: FEE_PIPS[name] ?? 0, isComplete: false, isMigrated: false },
      ...{ flags: '', transferFees: '' },
    },
  };
}

function sumFees({ expected }: Vector): bigint {
  const names = ['protocolFee', 'platformFee', 'creatorFee', 'shareFee'];
  return names.reduce((sum, name) => sum + BigInt(expected[name] ?? 0), 0n);
}

const key = (number: number) => encodeBase58(Buffer.alloc(32, number));
const [USER, COIN, BASE_VAULT, QUOTE_VAULT] = [1, 2, 3, 4].map(key) as [
  string,
  string,
  string,
  string,
];

/** As a block has it: transfers, the event as a call of the program to itself, and in the log. */
function buildTransaction({ hex, expected }: Vector): RawTransaction {
  const pool = expected['pool'] ?? assert.fail();
  const [platform, creator] = [key(5), key(6)];
  const accounts = [
    USER,
    key(10),
    key(11),
    key(12),
    pool,
    key(13),
    key(14),
    BASE_VAULT,
    QUOTE_VAULT,
  ];
  const keys = [...accounts, COIN, WRAPPED_SOL, TOKEN_PROGRAM, PROGRAM, platform, creator];
  const at = (account: string) => keys.indexOf(account);
  const transfer = (from: string, to: string, amount: bigint) => {
    const data = Buffer.alloc(9);
    data.writeUInt8(3);
    data.writeBigUInt64LE(amount, 1);
    const ends = [from, to, USER].map(at);
    return {
      programIdIndex: at(TOKEN_PROGRAM),
      accounts: ends,
      data: encodeBase58(data),
      stackHeight: 2,
    };
  };
  const [paid, got] = [big(expected['amountIn']), big(expected['amountOut'])];
  const event = { programIdIndex: at(PROGRAM), accounts: [], stackHeight: 2 };
  const call = Buffer.from('faea0d7bd59c13ec'.padEnd(64, '0'), 'hex');
  return {
    transaction: {
      signatures: [encodeBase58(Buffer.alloc(64, 9))],
      message: {
        accountKeys: keys,
        instructions: [
          {
            programIdIndex: at(PROGRAM),
            accounts: [...accounts, COIN, WRAPPED_SOL, TOKEN_PROGRAM, TOKEN_PROGRAM].map(at),
            data: encodeBase58(call),
            stackHeight: 1,
          },
        ],
      },
    },
    meta: {
      err: null,
      innerInstructions: [
        {
          index: 0,
          instructions: [
            transfer(key(14), QUOTE_VAULT, paid),
            transfer(QUOTE_VAULT, platform, big(expected['platformFee'])),
            transfer(QUOTE_VAULT, creator, BigInt(expected['creatorFee'] ?? 0)),
            transfer(BASE_VAULT, key(13), got),
            { ...event, data: encodeBase58(Buffer.from(hex, 'hex')) },
          ],
        },
      ],
      logMessages: [
        `Program ${PROGRAM} invoke [1]`,
        `Program data: ${Buffer.from(hex.slice(16), 'hex').toString('base64')}`,
        `Program ${PROGRAM} success`,
      ],
      postTokenBalances: [
        { accountIndex: at(BASE_VAULT), mint: COIN, uiTokenAmount: { amount: '5' } },
        { accountIndex: at(QUOTE_VAULT), mint: WRAPPED_SOL, uiTokenAmount: { amount: '5' } },
      ],
    },
  };
}

describe('recorded trades of LaunchLab', { skip }, () => {
  for (const vector of skip === false ? readVectors() : []) {
    const { name, expected } = vector;

    it(`${name} paid what is computed, with its fees`, () => {
      const { state } = describeBefore(vector);
      const pool = new LaunchCurvePool(state);
      const swap = pool.swapIn(false, big(expected['amountIn']));
      assert.equal(swap.amountOut, big(expected['amountOut']));
      assert.equal(swap.feeAmount, sumFees(vector));
      const after = pool.swapAndMove(false, big(expected['amountIn'])).after.toPlain();
      const sold = big(expected['realBaseAfter']);
      assert.deepEqual(after, {
        ...{ reserve0: big(expected['virtualBase']) - sold, feePips: state.feePips },
        reserve1: big(expected['virtualQuote']) + big(expected['realQuoteAfter']),
        ...{ held0: big(expected['totalBaseSell']) - sold, held1: big(expected['realQuoteAfter']) },
      });
    });

    it(`${name} is one trade, with the curve afterwards`, () => {
      const { trades, unknown } = decodeTrades(buildTransaction(vector));
      assert.deepEqual(unknown, []);
      assert.equal(trades.length, 1);
      const [trade = assert.fail()] = trades;
      const kept = BigInt(expected['platformFee'] ?? 0) + BigInt(expected['creatorFee'] ?? 0);
      assert.deepEqual(
        [trade.source, trade.isVerified, trade.pool, trade.amountIn, trade.amountOut],
        [
          'event',
          true,
          expected['pool'],
          big(expected['amountIn']) - kept,
          big(expected['amountOut']),
        ],
      );
      assert.deepEqual([trade.mintIn, trade.mintOut], [WRAPPED_SOL, COIN]);
      const { terms, state } = describeBefore(vector);
      const description = {
        ...{ pool: poolId(`0x${'1'.repeat(64)}`), kind: 'launchCurve', venue: 'raydium-launchlab' },
        ...{
          token0: address(COIN),
          token1: address(WRAPPED_SOL),
          feePips: 0,
          vault: address(USER),
        },
        terms,
      } as const satisfies PoolDescription;
      const change =
        trade.fold?.(description, { isZeroIn: false, nowSeconds: 0 }) ?? assert.fail('no change');
      assert.ok(change.poolKind === 'launchCurve');
      const follow = (feePips: number) => {
        const draft = {
          ...{ ...description, state: { ...state, feePips }, complete: true },
        } as unknown as PoolDraft<'launchCurve'>;
        launchCurveKind.apply(draft, change, { ticks: null as never, swapped: null });
        return draft;
      };
      const followed = follow(state.feePips);
      assert.equal(followed.complete, true);
      assert.equal(followed.state.held1, big(expected['realQuoteAfter']));
      assert.equal(launchCurveKind.findLaunch?.(followed), 'open');
      const other = follow(state.feePips + 1000);
      assert.deepEqual(
        [other.complete, other.state.feePips],
        [false, null],
        'another fee was charged',
      );
    });
  }

  it('have their fields where the event has them', () => {
    const [first = assert.fail()] = readVectors();
    const event = new AccountBytes(Buffer.from(first.hex, 'hex')).from(16);
    assert.equal(event.key(0), first.expected['pool']);
    assert.equal(event.length, 139);
  });
});

/** A migration that opens a pool by a call under its own. */
function buildMigration(data: string, opening: { program: string; data: string; pool: number }) {
  const curve = findLaunchAddress(address(PROGRAM), address(COIN), WRAPPED_SOL);
  const [pool, vault0, vault1] = [key(20), key(21), key(22)];
  const keys = [USER, COIN, WRAPPED_SOL, pool, vault0, vault1, curve, PROGRAM, opening.program];
  const at = (account: string) => keys.indexOf(account);
  const created: string[] = Array.from({ length: 12 }, () => USER);
  created[opening.pool] = pool;
  created[10] = vault0;
  created[11] = vault1;
  const encode = (hex: string) => encodeBase58(Buffer.from(hex, 'hex'));
  const row = (account: string, mint: string, amount: string) => ({
    ...{ accountIndex: at(account), mint, uiTokenAmount: { amount } },
  });
  const own = [USER, COIN, WRAPPED_SOL, pool, curve].map(at);
  const raw: RawTransaction = {
    transaction: {
      signatures: [encodeBase58(Buffer.alloc(64, 9))],
      message: {
        accountKeys: keys,
        instructions: [
          { programIdIndex: at(PROGRAM), accounts: own, data: encode(data), stackHeight: 1 },
        ],
      },
    },
    meta: {
      err: null,
      innerInstructions: [
        {
          index: 0,
          instructions: [
            {
              ...{ programIdIndex: at(opening.program), accounts: created.map(at) },
              ...{ data: encode(opening.data), stackHeight: 2 },
            },
          ],
        },
      ],
      logMessages: [],
      postTokenBalances: [row(vault0, COIN, '700'), row(vault1, WRAPPED_SOL, '80')],
    },
  };
  return { raw, curve, pool };
}

describe('a migration of LaunchLab', () => {
  const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
  const V4 = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8';

  for (const [data, opening] of [
    ['885cc8671cda908c', { program: CPMM, data: 'afaf6d1f0d989bed', pool: 3 }],
    ['cf52c091fecf91df', { program: V4, data: '01', pool: 4 }],
  ] as const) {
    it(`by ${data} ends the curve, and brings the pool with what it holds`, () => {
      const { raw, curve, pool } = buildMigration(data, opening);
      const { poolCalls, trades, unknown } = decodeTrades(raw);
      assert.deepEqual([trades, unknown], [[], []]);
      const [end, birth] = poolCalls;
      assert.deepEqual([end?.kind, end?.pool], ['end', curve]);
      assert.ok(birth?.kind === 'birth');
      assert.deepEqual([birth.pool, birth.heldAfter], [pool, [700n, 80n]]);
    });
  }

  it('leaves nothing in the curve, and no price', () => {
    const end = RAYDIUM_LAUNCHLAB.folds?.end ?? assert.fail();
    assert.ok(end.poolKind === 'launchCurve');
    const terms = { shape: 'product', sellTotal: 100n, virtual0: 200n, virtual1: 30n } as const;
    const state = { reserve0: 100n, reserve1: 60n, held0: 0n, held1: 30n, feePips: 12_500 };
    const draft = {
      ...{ kind: 'launchCurve', terms, complete: true },
      state: { ...state, isComplete: true, isMigrated: false, flags: '', transferFees: '' },
    } as unknown as PoolDraft<'launchCurve'>;
    launchCurveKind.apply(draft, end, { ticks: null as never, swapped: null });
    assert.equal(launchCurveKind.price(draft.state), null);
    assert.deepEqual(launchCurveKind.holdings(draft.state), { amount0: 0n, amount1: 0n });
    assert.deepEqual(launchCurveKind.findProgress?.(draft), {
      ...{ progressPct: 100, isGraduated: true },
    });
  });
});

describe('a curve of LaunchLab', () => {
  const pool = new LaunchCurvePool({
    ...{ reserve0: 10n ** 15n, reserve1: 30n * 10n ** 9n, held0: 10n ** 12n, held1: 10n ** 7n },
    feePips: 12_500,
  });

  it('sells no more than it has, and pays no more', () => {
    const whole = pool.swapIn(false, 10n ** 12n);
    assert.deepEqual([whole.isFilled, whole.amountOut], [false, 10n ** 12n - 1n]);
    assert.equal(pool.swapOut(false, 10n ** 12n).isFilled, false, 'its price is not promised');
    assert.equal(pool.swapOut(false, 10n ** 12n - 1n).isFilled, true);
    assert.equal(pool.swapIn(true, 10n ** 14n).isFilled, false);
    assert.equal(pool.swapOut(true, 10n ** 7n).isFilled, false, 'the fee comes out of it, too');
  });

  it('is the same on another thread', () => {
    const revived = launchCurveKind.revive(structuredClone(pool.toPlain()), null);
    assert.deepEqual(revived.swapIn(false, 10n ** 6n), pool.swapIn(false, 10n ** 6n));
    assert.deepEqual(pool.withFees({ zeroForOne: 0, oneForZero: 0 }).feePips(), 0);
  });
});
