// Recorded transactions of mainnet on a chain in memory, one in a block, with the accounts that
// their pools and mints would have: the recordings have none.

import assert from 'node:assert/strict';
import { TICK_TABLES } from '../../src/amm/clmm-x64/tick-prices.ts';
import { decodeTrades } from '../../src/chains/solana/blocks/decode-trades.ts';
import {
  listAccountKeys,
  type RawTransaction,
} from '../../src/chains/solana/data/raw-transaction.ts';
import { VENUES_BY_PROGRAM } from '../../src/chains/solana/venues/solana-venues.ts';
import type { VenueTrade } from '../../src/chains/solana/venues/venue-trade.ts';
import { decodeBase58, encodeBase58 } from '../../src/lib/base58.ts';
import type { PoolChange } from '../../src/model/pool.ts';
import { readSolanaFixture, readSolanaTransaction } from '../solana-fixtures.ts';
import type { MemorySolana } from './memory-solana.ts';

const SOL = 'So11111111111111111111111111111111111111112';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const CONFIG = encodeBase58(Buffer.alloc(32, 77));

export interface RecordedBlock {
  readonly file: string;
  readonly raw: RawTransaction;
  readonly blockTime: number;
}

/** In the order of the chain. */
export function readRecordedTransactions(): RecordedBlock[] {
  const { transactions } = readSolanaFixture('expected.json') as {
    transactions: { file: string; slot: number }[];
  };
  return transactions
    .filter(({ file }) => file.startsWith('transactions/'))
    .toSorted((a, b) => a.slot - b.slot)
    .map(({ file }) => {
      const { blockTime } = readSolanaFixture(file) as { blockTime: number };
      return { file, raw: readSolanaTransaction(file), blockTime };
    });
}

/** Writes fields of an account at their offsets. */
class AccountWriter {
  readonly data: Buffer;

  constructor(byteCount: number, discriminator = '') {
    this.data = Buffer.alloc(byteCount);
    this.data.write(discriminator, 'hex');
  }

  keys(places: Readonly<Record<number, string>>): this {
    for (const [at, key] of Object.entries(places)) {
      this.data.set(decodeBase58(key) ?? assert.fail(key), Number(at));
    }
    return this;
  }

  u16(places: Readonly<Record<number, number>>): this {
    for (const [at, value] of Object.entries(places)) this.data.writeUInt16LE(value, Number(at));
    return this;
  }

  i32(at: number, value: number): this {
    this.data.writeInt32LE(value, at);
    return this;
  }

  u64(places: Readonly<Record<number, bigint>>): this {
    for (const [at, value] of Object.entries(places)) this.data.writeBigUInt64LE(value, Number(at));
    return this;
  }

  u128(at: number, value: bigint): this {
    return this.u64({ [at]: value & (2n ** 64n - 1n), [at + 8]: value >> 64n });
  }
}

/** The two sides of a pool, in its order. */
interface PoolSides {
  readonly mints: readonly [string, string];
  readonly vaults: readonly [string, string];
  readonly isZeroIn: boolean;
}

function orderSides(trade: VenueTrade, isZeroIn: boolean): PoolSides {
  const [mintIn, mintOut] = [trade.mintIn ?? SOL, trade.mintOut ?? SOL];
  const { vaultIn, vaultOut } = trade;
  return isZeroIn
    ? { mints: [mintIn, mintOut], vaults: [vaultIn, vaultOut], isZeroIn }
    : { mints: [mintOut, mintIn], vaults: [vaultOut, vaultIn], isZeroIn };
}

/** The fields that a change sets. */
function readSet<Fields>(change: PoolChange | null | undefined): Fields {
  return (change as { readonly set?: Fields } | null)?.set ?? ({} as Fields);
}

const BIN_STEPS = [1, 2, 4, 5, 8, 10, 15, 16, 20, 25, 30, 50, 80, 100, 125, 160, 200, 250, 400];

function foldBins(trade: VenueTrade, binStep: number): { activeId: number; priceX64: bigint } {
  const moment = { isZeroIn: true, nowSeconds: 1 };
  return readSet(trade.fold?.({ kind: 'bins', terms: { binStep } } as never, moment));
}

/** How far the trade's own price is from that of its bin. */
function missBin(trade: VenueTrade, { isZeroIn }: PoolSides, binStep: number): number {
  const [x, y] = isZeroIn ? [trade.amountIn, trade.amountOut] : [trade.amountOut, trade.amountIn];
  const price = Number(y) / Number(x);
  return Math.abs(Math.log(Number(foldBins(trade, binStep).priceX64) / 2 ** 64 / price));
}

/** The recording tells neither the order of the tokens nor the step: they follow from the price. */
function guessBins(trade: VenueTrade): { readonly sides: PoolSides; readonly binStep: number } {
  const guesses = [true, false].flatMap((isZeroIn) =>
    BIN_STEPS.map((binStep) => ({ sides: orderSides(trade, isZeroIn), binStep })),
  );
  const missOf = ({ sides, binStep }: (typeof guesses)[number]) => missBin(trade, sides, binStep);
  return guesses.toSorted((a, b) => missOf(a) - missOf(b))[0] ?? assert.fail();
}

/** Raydium and Orca order tokens by their bytes. */
function orderByBytes(trade: VenueTrade): PoolSides {
  const bytesOf = (mint: string | null) => Buffer.from(decodeBase58(mint ?? SOL) ?? []);
  return orderSides(trade, bytesOf(trade.mintIn).compare(bytesOf(trade.mintOut)) < 0);
}

type AccountBuilder = (trade: VenueTrade) => Buffer;

function buildClmm(trade: VenueTrade): Buffer {
  const { mints, vaults } = orderByBytes(trade);
  const account = new AccountWriter(1544, 'f7ede3f5d7c3de46')
    .keys({ 9: CONFIG, 73: mints[0], 105: mints[1], 137: vaults[0], 169: vaults[1] })
    .u16({ 235: 1 });
  const {
    sqrtPriceX64 = 0n,
    liquidity = 0n,
    tick = 0,
  } = readSet<{
    sqrtPriceX64?: bigint;
    liquidity?: bigint;
    tick?: number;
  }>(trade.change);
  return account.u128(237, liquidity).u128(253, sqrtPriceX64).i32(269, tick).data;
}

function buildWhirlpool(trade: VenueTrade): Buffer {
  const { mints, vaults } = orderByBytes(trade);
  const { sqrtPriceX64 = 0n } = readSet<{ sqrtPriceX64?: bigint }>(trade.change);
  const tick = sqrtPriceX64 === 0n ? 0 : TICK_TABLES.orca.findTick(sqrtPriceX64);
  return new AccountWriter(653, '3f95d10ce1806309')
    .keys({ 101: mints[0], 133: vaults[0], 181: mints[1], 213: vaults[1] })
    .u16({ 41: 64, 43: 64, 45: 3000 })
    .u128(65, sqrtPriceX64)
    .i32(81, tick).data;
}

function buildDlmm(trade: VenueTrade): Buffer {
  // Without an event nothing tells the bin.
  const isTold = trade.fold !== null;
  const { sides, binStep } = isTold
    ? guessBins(trade)
    : { sides: orderSides(trade, trade.mintIn !== SOL), binStep: 1 };
  const { mints, vaults } = sides;
  return new AccountWriter(904, '210b3162b565b10d')
    .keys({ 88: mints[0], 120: mints[1], 152: vaults[0], 184: vaults[1] })
    .u16({ 8: 10_000, 80: binStep })
    .i32(76, isTold ? foldBins(trade, binStep).activeId : 0).data;
}

function buildV4(trade: VenueTrade): Buffer {
  const { mints, vaults } = orderSides(trade, trade.mintIn !== SOL);
  return new AccountWriter(752)
    .u64({ 0: 6n, 176: 25n, 184: 10_000n })
    .keys({ 336: vaults[0], 368: vaults[1], 400: mints[0], 432: mints[1] }).data;
}

/** A sale takes the base token, whichever that is. */
function buildPumpSwap(trade: VenueTrade): Buffer {
  const { mints, vaults } = orderSides(trade, trade.instruction === 'sell');
  const places = { 43: mints[0], 75: mints[1], 139: vaults[0], 171: vaults[1] };
  return new AccountWriter(270, 'f19a6d0411b16dbc').keys(places).data;
}

type Reserves = Readonly<Partial<Record<'reserve0' | 'reserve1' | 'held0' | 'held1', bigint>>>;

function buildCurve({ change }: VenueTrade): Buffer {
  const { reserve0 = 0n, reserve1 = 0n, held0 = 0n, held1 = 0n } = readSet<Reserves>(change);
  const places = { 8: reserve0, 16: reserve1, 24: held0, 32: held1, 40: 10n ** 15n };
  return new AccountWriter(151, '17b7f83760d8ac60').u64(places).data;
}

const BUILDERS: Readonly<Record<string, AccountBuilder>> = {
  'raydium-clmm': buildClmm,
  'orca-whirlpool': buildWhirlpool,
  'meteora-dlmm': buildDlmm,
  'raydium-v4': buildV4,
  pumpswap: buildPumpSwap,
  pump: buildCurve,
};

function setTokenAccount(
  chain: MemorySolana,
  address: string,
  of: { readonly mint: string; readonly owner: string; readonly amount: bigint },
): void {
  const { data } = new AccountWriter(165).keys({ 0: of.mint, 32: of.owner }).u64({ 64: of.amount });
  chain.accounts.set(address, { owner: TOKEN_PROGRAM, data });
}

/** Mints and token accounts as the transaction's balance rows leave them. */
function setTokens(chain: MemorySolana, raw: RawTransaction): void {
  const keys = listAccountKeys(raw);
  for (const { accountIndex, mint, owner, uiTokenAmount } of raw.meta?.postTokenBalances ?? []) {
    const { amount, decimals } = uiTokenAmount as { amount: string; decimals?: number };
    const address = keys[accountIndex] ?? assert.fail();
    const before = raw.meta?.preTokenBalances?.find((row) => row.accountIndex === accountIndex);
    const known = chain.accounts.get(address)?.data;
    // What happened between two recordings of an account is not on this chain.
    const missing =
      known === undefined
        ? 0n
        : Buffer.from(known).readBigUInt64LE(64) - BigInt(before?.uiTokenAmount.amount ?? 0);
    const amountRaw = BigInt(amount) + missing;
    setTokenAccount(chain, address, { mint, owner: owner ?? SOL, amount: amountRaw });
    if (chain.accounts.has(mint)) continue;
    const { data } = new AccountWriter(82).u64({ 36: mint === SOL ? 0n : 10n ** 15n });
    data.writeUInt8(decimals ?? 6, 44);
    chain.accounts.set(mint, { owner: TOKEN_PROGRAM, data });
  }
}

/** Of Raydium v4, a part may be in an order book or earned by the owner: the event knows. */
function setReserves(chain: MemorySolana, trade: VenueTrade): void {
  const { before, amountIn, amountOut, vaultIn, vaultOut, mintIn, mintOut, pool } = trade;
  if (before === null || mintIn === null || mintOut === null) return;
  const [held, paid] = [before.reserveIn + amountIn, before.reserveOut - amountOut];
  setTokenAccount(chain, vaultIn, { mint: mintIn, owner: pool, amount: held });
  setTokenAccount(chain, vaultOut, { mint: mintOut, owner: pool, amount: paid });
}

/** The address of the venue's program. */
function findProgram(venue: string): string {
  const found = [...VENUES_BY_PROGRAM].find(([, { name }]) => name === venue);
  return found?.[0] ?? assert.fail(venue);
}

/** A new PumpSwap pool: its vaults are the token accounts that it owns. */
function buildBornPool(pool: string, raw: RawTransaction): Buffer {
  const rows = (raw.meta?.postTokenBalances ?? []).filter(({ owner }) => owner === pool);
  const [base, quote] = rows.toSorted((row) => (row.mint === SOL ? 1 : -1));
  const keys = listAccountKeys(raw);
  const keyOf = (row = base) => keys[row?.accountIndex ?? -1] ?? assert.fail();
  return new AccountWriter(270, 'f19a6d0411b16dbc').keys({
    ...{ 43: base?.mint ?? '', 75: quote?.mint ?? '', 139: keyOf(base), 171: keyOf(quote) },
  }).data;
}

/** A curve after its end: nothing is left in it. */
function buildEndedCurve(): Buffer {
  const { data } = new AccountWriter(151, '17b7f83760d8ac60').u64({ 40: 10n ** 15n });
  data.writeUInt8(1, 48);
  return data;
}

/** The accounts as they are after the transaction. */
export function setRecordedAccounts(chain: MemorySolana, raw: RawTransaction): void {
  chain.accounts.set(CONFIG, { owner: findProgram('raydium-clmm'), data: Buffer.alloc(117) });
  setTokens(chain, raw);
  const { trades, poolCalls } = decodeTrades(raw);
  for (const call of poolCalls) {
    if (call.kind === 'end') {
      chain.accounts.set(call.pool, { owner: findProgram('pump'), data: buildEndedCurve() });
    }
    if (call.kind === 'birth' && call.mint === undefined) {
      const data = buildBornPool(call.pool, raw);
      chain.accounts.set(call.pool, { owner: findProgram('pumpswap'), data });
    }
  }
  for (const trade of trades) {
    if (trade.sighting !== undefined) {
      const { accounts, program } = trade.sighting;
      const [own = assert.fail()] = accounts;
      chain.accounts.set(own, { owner: program, data: Buffer.alloc(8) });
      continue;
    }
    setReserves(chain, trade);
    const build = BUILDERS[trade.venue] ?? assert.fail(`no accounts of ${trade.venue}`);
    chain.accounts.set(trade.pool, { owner: findProgram(trade.venue), data: build(trade) });
  }
}

/** A mint of Token-2022 with its name in an extension. */
export function buildNamedMint(of: {
  readonly supply: bigint;
  readonly decimals: number;
  readonly name: string;
  readonly symbol: string;
}): Buffer {
  const texts = [of.name, of.symbol, ''].map((text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(text));
    return Buffer.concat([length, Buffer.from(text)]);
  });
  const content = Buffer.concat([Buffer.alloc(64), ...texts]);
  const head = Buffer.alloc(170);
  head.writeBigUInt64LE(of.supply, 36);
  head.writeUInt8(of.decimals, 44);
  head.writeUInt8(1, 165);
  head.writeUInt16LE(19, 166);
  head.writeUInt16LE(content.length, 168);
  return Buffer.concat([head, content]);
}
