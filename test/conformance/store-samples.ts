// Plain records for the store's conformance tests.

import type { BlockHeader } from '../../src/model/block-header.ts';
import type { Address } from '../../src/model/ids.ts';
import type { Checkpoint, TokenRecord, TradeRecord } from '../../src/model/market-record.ts';
import type { MarketTransaction, Store } from '../../src/store/store.ts';
import { address, poolId, transactionId } from '../test-ids.ts';

export function write(
  store: Store,
  work: (transaction: MarketTransaction) => Promise<void>,
): Promise<void> {
  return store.market.transaction('devnet', work);
}

export const UINT256_MAX = 2n ** 256n - 1n;

/** The address that ends in `number`. */
export function toAddress(number: number): Address {
  return address(`0x${number.toString(16).padStart(40, '0')}`);
}

export function toHash(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

export function buildCheckpoint(version: number, block = version): Checkpoint {
  return {
    startBlock: 0,
    block,
    blockHash: toHash(block),
    timestampMs: 1_700_000_000_000 + block * 1000,
    finalizedBlock: Math.max(0, block - 10),
    version,
  };
}

export function buildHeader(position: number): BlockHeader {
  return {
    position,
    hash: toHash(position),
    parentPosition: position - 1,
    parentHash: toHash(position - 1),
    timestampMs: 1_700_000_000_000 + position * 1000,
  };
}

export function buildTrade(fields: Partial<TradeRecord> & { readonly block: number }): TradeRecord {
  return {
    token: toAddress(1),
    logIndex: 0,
    txHash: transactionId(toHash(fields.block)),
    index: 0,
    timestampMs: 1_700_000_000_000 + fields.block * 1000,
    side: 'buy',
    wallet: toAddress(77),
    venue: 'uniswap-v2',
    pool: poolId(toAddress(500)),
    amountRaw: 10n ** 18n,
    quoteToken: toAddress(2),
    quoteAmountRaw: 5n,
    priceNative: '0.000000000000000005',
    priceUsd: null,
    valueNative: '0.000000000000000005',
    valueUsd: null,
    outlier: false,
    ...fields,
  };
}

export function buildToken(
  fields: Partial<TokenRecord> & { readonly token: Address },
): TokenRecord {
  return {
    symbol: 'T',
    name: 'T',
    decimals: 18,
    firstSeenBlock: 1,
    firstSeenAtMs: 1_700_000_000_000,
    balanceSumRaw: 5n,
    holders: 1,
    balancesBroken: false,
    supplyRaw: 5n,
    supplyBlock: 1,
    supplyBalanceSumRaw: 5n,
    priceNative: null,
    priceUsd: null,
    lastTradeAtMs: null,
    tradeCount: 0,
    liquidityUsdE18: null,
    pairedPool: null,
    pairedUsdE18: null,
    ...fields,
  };
}
