// Recorded pools of Solana's venues, read from their accounts.

import assert from 'node:assert/strict';
import { kindOf } from '../src/amm/pool-kinds.ts';
import type { SwapPool } from '../src/amm/swap-pool.ts';
import type { AccountReading } from '../src/chains/solana/tokens/pool-accounts.ts';
import { VENUES_BY_PROGRAM } from '../src/chains/solana/venues/solana-venues.ts';
import type { PoolRecord } from '../src/model/pool.ts';
import { readSolanaFixture } from './solana-fixtures.ts';
import { address, poolId } from './test-ids.ts';

/** One outcome of the venue's program; fields depend on the venue. */
export interface RecordedQuote {
  readonly mode?: 'exactIn' | 'exactOut';
  readonly side?: 'buy' | 'sell';
  readonly amount: string;
  readonly amountIn?: string;
  readonly amountOut?: string;
  readonly unixTimestamp?: string;
  readonly sqrtPriceAfter?: string;
  readonly tickAfter?: number;
  readonly activeIdAfter?: number;
  readonly volatilityAccumulatorAfter?: number;
  readonly tickArrays?: readonly number[];
  readonly error?: string;
  readonly zeroForOne?: boolean;
  readonly aToB?: boolean;
  readonly xToY?: boolean;
  readonly coinToPc?: boolean;
  readonly inputMint?: string;
}

export interface RecordedPool {
  readonly folder: string;
  readonly program: string;
  readonly pool: string;
  readonly unixTimestamp?: number;
  readonly accounts: ReadonlyMap<string, Buffer>;
  readonly cases: readonly RecordedQuote[];
}

/** The folders of pools with accounts. */
export const RECORDED_POOLS: readonly string[] = [
  ...['meteora-damm-v2-jup-studio', 'meteora-damm-v2-sol-usdc', 'meteora-dbc-fee-in-both'],
  ...['meteora-dbc-fee-in-quote', 'meteora-dlmm-lia-sol', 'raydium-clmm-local'],
  ...['raydium-cpmm-sol-usdc', 'raydium-v4-made-up', 'whirlpool-adaptive-sol-usdc'],
  ...['whirlpool-samo-usdc', 'whirlpool-sol-usdc'],
];

const TIME = 1_780_000_000;
const SLOT = 400_000_000;

export function readRecordedPool(folder: string): RecordedPool {
  const file = readSolanaFixture(`pools/${folder}/quotes.json`) as RecordedPool;
  const dumped = readSolanaFixture(`pools/${folder}/accounts.json`) as Record<
    string,
    { readonly pubkey: string; readonly data: string }
  >;
  const accounts = new Map(
    Object.values(dumped).map(({ pubkey, data }) => [pubkey, Buffer.from(data, 'base64')]),
  );
  return { ...file, folder, accounts };
}

/** As the venue of the program reads it. */
export function readPoolAt(recorded: RecordedPool, nowSeconds = TIME): AccountReading {
  const venue = VENUES_BY_PROGRAM.get(recorded.program) ?? assert.fail();
  const reading = venue.readPool({
    ...{ program: address(recorded.program), pool: address(recorded.pool), nowSeconds, slot: SLOT },
    accounts: new Map(Array.from(recorded.accounts, ([key, data]) => [address(key), data])),
  });
  return reading ?? assert.fail(`${recorded.folder} was not read`);
}

/** Bytes of one of the pool's accounts, to be set. */
export interface BytePatch {
  readonly account: (recorded: RecordedPool) => string;
  readonly offset: number;
  readonly bytes: ArrayLike<number>;
}

export const ofPool = ({ pool }: RecordedPool) => pool;

/** The first account of a kind. */
export const withDiscriminator = (discriminator: string) => (recorded: RecordedPool) => {
  const found = Array.from(recorded.accounts).find(
    ([, data]) => data.toString('hex', 0, 8) === discriminator,
  );
  return found?.[0] ?? assert.fail(`no account has the discriminator ${discriminator}`);
};

export function patchPool(recorded: RecordedPool, patches: readonly BytePatch[]): RecordedPool {
  const accounts = new Map(recorded.accounts);
  for (const { account, offset, bytes } of patches) {
    const key = account(recorded);
    const data = Buffer.from(accounts.get(key) ?? assert.fail(`no account ${key}`));
    data.set(bytes, offset);
    accounts.set(key, data);
  }
  return { ...recorded, accounts };
}

export function buildPoolRecord(reading: AccountReading): PoolRecord {
  const { kind, token0, token1, feePips, terms, state } = reading;
  return {
    ...{ kind, token0, token1, feePips, terms, state, pool: poolId('pool'), venue: 'test' },
    ...{ vault: address('vault'), createdBlock: 1, createdAtMs: 1, complete: true },
    ...{ lastSwapAtMs: null, liquidityUsdE18: null },
  } as PoolRecord;
}

/** Null if the pool is not quoted. */
export function createRecordedSwapPool(recorded: RecordedPool, nowSeconds = TIME): SwapPool | null {
  const reading = readPoolAt(recorded, nowSeconds);
  const record = buildPoolRecord(reading);
  const ticks = reading.ticks.map((tick) => ({ ...tick, pool: record.pool }));
  const pool = kindOf(reading).createSwapPool(record, ticks, undefined);
  return pool?.at?.({ seconds: nowSeconds, block: SLOT }) ?? pool;
}

export function isZeroForOne(recorded: RecordedPool, quote: RecordedQuote): boolean {
  const named = quote.zeroForOne ?? quote.aToB ?? quote.xToY ?? quote.coinToPc;
  if (named !== undefined) return named;
  if (quote.side !== undefined) return quote.side === 'sell';
  return quote.inputMint === readPoolAt(recorded).token0;
}
