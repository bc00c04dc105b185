// Batches as sent between threads and processes: common fields as plain data, the trades as bytes
// that only some listeners decode.

import type { TradeRecord } from '../model/market-record.ts';
import type { TokenNotice } from '../model/token-notice.ts';
import type { FeedBatch } from './feed.ts';

/** What an indexer publishes about a commit. */
export interface CommitToPublish
  extends Omit<FeedBatch, 'isRollback' | 'readTrades' | 'readReverted' | 'notices'> {
  readonly reverted?: { readonly trades: readonly TradeRecord[] };
  readonly trades: readonly TradeRecord[];
  /** None by default. */
  readonly notices?: readonly TokenNotice[] | null;
}

export interface EncodedBatch
  extends Omit<FeedBatch, 'isRollback' | 'readTrades' | 'readReverted'> {
  readonly trades: Uint8Array<ArrayBuffer>;
  readonly reverted: Uint8Array<ArrayBuffer> | null;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type EncodedTrade = Omit<TradeRecord, 'amountRaw' | 'quoteAmountRaw'> & {
  readonly amountRaw: string;
  readonly quoteAmountRaw: string;
};

function encodeTrades(trades: readonly TradeRecord[]): Uint8Array<ArrayBuffer> {
  const plain = trades.map(
    (trade): EncodedTrade => ({
      ...trade,
      amountRaw: trade.amountRaw.toString(),
      quoteAmountRaw: trade.quoteAmountRaw.toString(),
    }),
  );
  return encoder.encode(JSON.stringify(plain));
}

function decodeTrades(bytes: Uint8Array): TradeRecord[] {
  const plain = JSON.parse(decoder.decode(bytes)) as EncodedTrade[];
  return plain.map((trade) => ({
    ...trade,
    amountRaw: BigInt(trade.amountRaw),
    quoteAmountRaw: BigInt(trade.quoteAmountRaw),
  }));
}

export function encodeBatch(commit: CommitToPublish): EncodedBatch {
  return {
    ...commit,
    notices: commit.notices === undefined ? [] : commit.notices,
    trades: encodeTrades(commit.trades),
    reverted: commit.reverted === undefined ? null : encodeTrades(commit.reverted.trades),
  };
}

export function decodeBatch(encoded: EncodedBatch): FeedBatch {
  const { trades, reverted, ...rest } = encoded;
  let decodedTrades: readonly TradeRecord[] | null = null;
  let decodedReverted: readonly TradeRecord[] | null = null;
  return {
    ...rest,
    isRollback: reverted !== null,
    readTrades: () => {
      decodedTrades ??= decodeTrades(trades);
      return decodedTrades;
    },
    readReverted: () => {
      decodedReverted ??= reverted === null ? [] : decodeTrades(reverted);
      return decodedReverted;
    },
  };
}

/** The buffers that can be transferred to another thread without a copy. */
export function listTransferables(encoded: EncodedBatch): ArrayBuffer[] {
  return encoded.reverted === null
    ? [encoded.trades.buffer]
    : [encoded.trades.buffer, encoded.reverted.buffer];
}
