// Recorded transactions of mainnet give exactly the trades that the vaults' balances show.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  readSolanaFixture,
  readSolanaTransaction,
  skipWithoutSolana as skip,
} from '../../../../test/solana-fixtures.ts';
import { decodeBase58 } from '../../../lib/base58.ts';
import { decodeBase58Data, encodeBase58Data } from '../data/base58-data.ts';
import { listAccountKeys, type RawTransaction } from '../data/raw-transaction.ts';
import { TOKEN_PROGRAMS, WRAPPED_SOL } from '../data/solana-ids.ts';
import type { VenueTrade } from '../venues/venue-trade.ts';
import { decodeTrades } from './decode-trades.ts';

interface ExpectedTrade {
  readonly program: string;
  readonly instruction: string;
  /** Absent in an extract that was not recorded whole. */
  readonly at?: readonly [number, number];
  readonly pool: string;
  readonly user?: string;
  readonly inputMint?: string;
  readonly outputMint?: string;
  readonly amountIn?: string;
  readonly amountOut?: string;
  readonly vaultIn?: string;
  readonly vaultOut?: string;
  /** Of pump's curves. */
  readonly mint?: string;
  readonly side?: 'buy' | 'sell';
  readonly tokenAmount?: string;
  readonly curveLamportsDelta?: string;
}

interface ExpectedTransaction {
  readonly file: string;
  readonly signature: string;
  readonly err: unknown;
  readonly trades: readonly ExpectedTrade[];
  readonly pumpTradeEvents?: readonly {
    readonly quoteAmount: string;
    readonly tokenAmount: string;
    readonly virtualQuoteReserves: string;
    readonly virtualTokenReserves: string;
  }[];
}

const VENUE_NAMES: Readonly<Record<string, string>> = {
  ...{ pump: 'pump', pump_amm: 'pumpswap', raydium_v4: 'raydium-v4' },
  ...{ raydium_cpmm: 'raydium-cpmm', raydium_clmm: 'raydium-clmm', whirlpool: 'orca-whirlpool' },
  ...{ dlmm: 'meteora-dlmm', damm_v2: 'meteora-damm-v2', dbc: 'meteora-dbc' },
};

function readExpected(): readonly ExpectedTransaction[] {
  const file = readSolanaFixture('expected.json') as { transactions: ExpectedTransaction[] };
  return file.transactions;
}

function describePair(trade: VenueTrade) {
  const { venue, instruction, outer, inner, pool, user, vaultIn, vaultOut } = trade;
  return {
    ...{ venue, instruction, at: [outer, inner], pool, user, vaultIn, vaultOut },
    ...{ inputMint: trade.mintIn, outputMint: trade.mintOut },
    ...{ amountIn: String(trade.amountIn), amountOut: String(trade.amountOut) },
  };
}

function describeExpectedPair(expected: ExpectedTrade, trade: VenueTrade) {
  const { at = [trade.outer, trade.inner], user = trade.user } = expected;
  const { program, instruction, pool, vaultIn, vaultOut } = expected;
  return {
    ...{ venue: VENUE_NAMES[program], instruction, at, pool, user, vaultIn, vaultOut },
    ...{ inputMint: expected.inputMint, outputMint: expected.outputMint },
    ...{ amountIn: expected.amountIn, amountOut: expected.amountOut },
  };
}

/** A curve's trade: the coin by its balance, the quote by the curve's lamports or the event. */
function assertCurveTrade(
  trade: VenueTrade,
  { expected, quoteAmount }: { expected: ExpectedTrade; quoteAmount: string | undefined },
): void {
  const isBuy = trade.mintOut === expected.mint;
  assert.equal(trade.venue, VENUE_NAMES[expected.program]);
  assert.deepEqual(
    [trade.instruction, trade.outer, trade.inner, trade.pool, trade.user],
    [expected.instruction, ...(expected.at ?? []), expected.pool, expected.user],
  );
  assert.equal(isBuy ? 'buy' : 'sell', expected.side);
  assert.equal(isBuy ? trade.mintIn : trade.mintOut, WRAPPED_SOL);
  assert.equal(isBuy ? trade.mintOut : trade.mintIn, expected.mint);
  assert.equal(String(isBuy ? trade.amountOut : trade.amountIn), expected.tokenAmount);
  const quote = String(isBuy ? trade.amountIn : trade.amountOut);
  assert.equal(quote, expected.curveLamportsDelta ?? quoteAmount);
}

/** Those that are read by their transfers alone have tests of their own. */
function listVenueTrades(raw: RawTransaction): VenueTrade[] {
  return decodeTrades(raw).trades.filter(({ sighting }) => sighting === undefined);
}

describe('recorded transactions', { skip }, () => {
  const expected = skip === false ? readExpected() : [];

  it('are 36, with 40 trades', () => {
    assert.equal(expected.length, 36);
    assert.equal(expected.flatMap(({ trades }) => trades).length, 40);
  });

  for (const transaction of expected) {
    it(`${transaction.file} has ${transaction.trades.length} trades`, () => {
      const raw = readSolanaTransaction(transaction.file);
      const trades = listVenueTrades(raw);
      assert.equal(trades.length, transaction.trades.length);
      transaction.trades.forEach((wanted, index) => {
        const trade = trades[index] ?? assert.fail();
        assert.equal(trade.txHash, transaction.signature);
        if (wanted.mint === undefined) {
          assert.deepEqual(describePair(trade), describeExpectedPair(wanted, trade));
          return;
        }
        const [event] = transaction.pumpTradeEvents ?? [];
        assertCurveTrade(trade, { expected: wanted, quoteAmount: event?.quoteAmount });
        assert.ok(trade.change?.poolKind === 'pump');
        const { reserve0, reserve1 } = trade.change.set;
        assert.equal(String(reserve0), event?.virtualTokenReserves);
        assert.equal(String(reserve1), event?.virtualQuoteReserves);
      });
    });
  }

  it('are confirmed by transfers wherever there is an event', () => {
    const decoded = expected.flatMap(({ file }) => listVenueTrades(readSolanaTransaction(file)));
    const unverified = decoded.filter(
      ({ source, isVerified }) => source === 'event' && !isVerified,
    );
    assert.deepEqual(unverified, []);
    // Orca wrote no events before 2025; every other trade here has one, but for an extract without
    // log and inner calls.
    const silent = decoded.filter(({ source }) => source !== 'event');
    const sources = new Set(silent.map(({ venue, source }) => `${venue} ${source}`));
    assert.deepEqual([...sources].sort(), ['orca-whirlpool transfers', 'raydium-cpmm balances']);
  });

  it('give nothing if they failed, although their calls and events are there', () => {
    const [failed] = expected.filter(({ file }) => file.includes('mm-swap-failed-transaction'));
    const raw = readSolanaTransaction(failed?.file ?? assert.fail());
    assert.deepEqual(decodeTrades(raw), { trades: [], poolCalls: [], unknown: [] });
    const meta = { ...(raw.meta ?? assert.fail()), err: null };
    assert.ok(decodeTrades({ ...raw, meta }).trades.length > 0);
  });
});

describe('a decoded trade', { skip }, () => {
  const FILE = 'transactions/agavesim-JSON1.json';

  function changeMeta(change: Partial<NonNullable<RawTransaction['meta']>>): RawTransaction {
    const raw = readSolanaTransaction(FILE);
    return { ...raw, meta: { ...(raw.meta ?? assert.fail()), ...change } };
  }

  it('is read from its transfers when the log was cut off', () => {
    const [whole] = decodeTrades(readSolanaTransaction(FILE)).trades;
    assert.deepEqual([whole?.source, whole?.isVerified], ['event', true]);
    const [cut] = decodeTrades(changeMeta({ logMessages: ['Log truncated'] })).trades;
    assert.deepEqual([cut?.source, cut?.isVerified], ['transfers', false]);
    assert.deepEqual(
      [cut?.amountIn, cut?.amountOut, cut?.vaultIn],
      [whole?.amountIn, whole?.amountOut, whole?.vaultIn],
    );
  });

  it('does not believe an event that contradicts the transfers and the balances', () => {
    const raw = readSolanaTransaction(FILE);
    const logMessages = (raw.meta?.logMessages ?? []).map((line) => {
      if (!line.startsWith('Program data: ')) return line;
      const bytes = Buffer.from(line.slice('Program data: '.length), 'base64');
      bytes.writeBigUInt64LE(bytes.readBigUInt64LE(152) + 1n, 152);
      return `Program data: ${bytes.toString('base64')}`;
    });
    const [whole] = decodeTrades(raw).trades;
    const [forged] = decodeTrades(changeMeta({ logMessages })).trades;
    assert.deepEqual([forged?.source, forged?.change], ['transfers', null]);
    assert.equal(forged?.amountOut, whole?.amountOut);
  });

  it('of a curve is left out if no transfer of the coin confirms the event', () => {
    const curve =
      readExpected().find(({ trades }) => trades[0]?.mint !== undefined) ?? assert.fail();
    const raw = readSolanaTransaction(curve.file);
    assert.equal(decodeTrades(raw).trades.length, curve.trades.length);
    const keys = listAccountKeys(raw);
    const innerInstructions = (raw.meta?.innerInstructions ?? []).map((group) => ({
      ...group,
      instructions: group.instructions.filter(
        ({ programIdIndex }) =>
          !(TOKEN_PROGRAMS as ReadonlySet<string>).has(keys[programIdIndex] ?? ''),
      ),
    }));
    const meta = { ...(raw.meta ?? assert.fail()), innerInstructions };
    const { trades, poolCalls } = decodeTrades({ ...raw, meta });
    assert.deepEqual(trades, []);
    const pool = curve.trades[0]?.pool ?? assert.fail();
    assert.ok(poolCalls.some((call) => call.kind === 'touch' && call.pool === pool));
  });

  it('of a curve that is paid in another coin has what was paid of that', () => {
    const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const raw = readSolanaTransaction('transactions/pivox-pumpfun-buy-exact-quote-v2-cpi.json');
    const [paidInSol] = decodeTrades(raw).trades;
    assert.equal(paidInSol?.mintIn, WRAPPED_SOL);
    // The same trade as the program reports one of USDC: what is of SOL is zero.
    const renamed = JSON.parse(JSON.stringify(raw).replaceAll(WRAPPED_SOL, USDC)) as RawTransaction;
    const usdc = decodeBase58(USDC) ?? assert.fail();
    const changeEvent = (data: string) => {
      const bytes = Buffer.from(decodeBase58Data(data) ?? assert.fail());
      const event = bytes.subarray(8);
      if (event.toString('hex', 0, 8) !== 'bddb7fd34ee661ee') return data;
      for (const at of [40, 97, 113]) event.writeBigUInt64LE(0n, at);
      event.set(usdc, 317);
      [3_517_192n, 30_003_517_192n, 5_517_192n].forEach((amount, index) => {
        event.writeBigUInt64LE(amount, 349 + 8 * index);
      });
      return encodeBase58Data(bytes);
    };
    const innerInstructions = (renamed.meta?.innerInstructions ?? []).map((group) => ({
      ...group,
      instructions: group.instructions.map((one) => ({ ...one, data: changeEvent(one.data) })),
    }));
    const meta = { ...(renamed.meta ?? assert.fail()), innerInstructions };
    const [trade] = decodeTrades({ ...renamed, meta }).trades;
    assert.deepEqual([trade?.mintIn, trade?.amountIn], [USDC, 3_517_192n]);
    assert.equal(trade?.amountOut, paidInSol?.amountOut);
    assert.ok(trade?.change?.poolKind === 'pump');
    const { reserve1, held1 } = trade.change.set;
    assert.deepEqual([reserve1, held1], [30_003_517_192n, 5_517_192n]);
  });

  for (const program of ['raydium_cpmm', 'raydium_v4', 'pump_amm', 'pump']) {
    it(`of an unknown instruction of ${program} touches the pool`, () => {
      const { file, trades } =
        readExpected().find((each) => each.trades[0]?.program === program) ?? assert.fail();
      const raw = readSolanaTransaction(file);
      const { outer, inner } = decodeTrades(raw).trades[0] ?? assert.fail();
      const replace = <T extends object>(list: readonly T[], at: number) =>
        list.map((each, index) => (index === at ? { ...each, data: '5jRcjdixRUDZ' } : each));
      const { message } = raw.transaction;
      const meta = raw.meta ?? assert.fail();
      const innerInstructions = (meta.innerInstructions ?? []).map((group) => ({
        ...group,
        instructions:
          group.index === outer ? replace(group.instructions, inner) : group.instructions,
      }));
      const instructions = inner < 0 ? replace(message.instructions, outer) : message.instructions;
      const changed = {
        transaction: { ...raw.transaction, message: { ...message, instructions } },
        meta: { ...meta, innerInstructions },
      };
      const { poolCalls } = decodeTrades({ ...raw, ...changed });
      const pool = trades[0]?.pool;
      assert.ok(poolCalls.some((call) => call.kind === 'touch' && call.pool === pool));
    });
  }

  it('has the price, liquidity and tick that the event tells', () => {
    const [trade] = decodeTrades(readSolanaTransaction(FILE)).trades;
    assert.ok(trade?.change?.poolKind === 'rangeX64');
    assert.ok((trade.change.set.sqrtPriceX64 ?? 0n) > 0n);
    assert.ok((trade.change.set.liquidity ?? 0n) > 0n);
  });

  it('is counted as unknown if its instruction is not known', () => {
    const raw = readSolanaTransaction(FILE);
    const { message } = raw.transaction;
    const { unknown } = decodeTrades(raw);
    assert.deepEqual(unknown, []);
    const instructions = message.instructions.map((each, index) =>
      index === 4 ? { ...each, data: '5jRcjdixRUDZ' } : each,
    );
    const changed = {
      ...raw,
      transaction: { ...raw.transaction, message: { ...message, instructions } },
    };
    const result = decodeTrades(changed);
    assert.deepEqual(result.trades, []);
    assert.equal(result.unknown.length, 1);
    assert.deepEqual(
      [result.unknown[0]?.venue, result.unknown[0]?.outer, result.unknown[0]?.inner],
      ['raydium-clmm', 4, -1],
    );
  });
});
