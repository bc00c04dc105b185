// Batches as sent between threads and processes: common fields as plain data, the trades as bytes
// that only some listeners decode.

import type { TradeRecord } from '../model/market-record.ts';
import type { TokenNotice } from '../model/token-notice.ts';
import type { FeedBatch } from './feed.ts';

/** What an indexer publishes about a commit. */
export interface CommitToPublish
  extends Omit<FeedBatch, 'isRollback' | 'decodeSome' | 'readTrades' | 'readReverted' | 'notices'> {
  readonly reverted?: { readonly trades: readonly TradeRecord[] };
  readonly trades: readonly TradeRecord[];
  /** None by default. */
  readonly notices?: readonly TokenNotice[] | null;
}

/** Both blocks are part of it. */
type StoredBlocks = Pick<FeedBatch, 'fromBlock' | 'toBlock'>;

export interface EncodedBatch
  extends Omit<FeedBatch, 'isRollback' | 'decodeSome' | 'readTrades' | 'readReverted'> {
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

function parseTrades(text: string): TradeRecord[] {
  const plain = JSON.parse(text) as EncodedTrade[];
  return plain.map((trade) => ({
    ...trade,
    amountRaw: BigInt(trade.amountRaw),
    quoteAmountRaw: BigInt(trade.quoteAmountRaw),
  }));
}

const PART_TRADES = 200;
/** Trades are flat, and none of their texts (ids, names of venues) contains it. */
const BETWEEN = '},{"';

/** Decodes trades part by part. */
class TradeDecoder {
  readonly #bytes: Uint8Array;
  readonly #trades: TradeRecord[] = [];
  #text: string | null = null;
  /** The place in the text of the first trade that is not decoded yet. */
  #from = 1;
  #isWhole = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** False, without decoding, if what is left is at most one part. */
  decodeSome(): boolean {
    if (this.#isWhole) return false;
    this.#text ??= decoder.decode(this.#bytes);
    let to = this.#from;
    for (let count = 0; count < PART_TRADES; count += 1) {
      const end = this.#text.indexOf(BETWEEN, to);
      if (end < 0) return false;
      to = end + 2;
    }
    this.#add(`[${this.#text.slice(this.#from, to - 1)}]`);
    this.#from = to;
    return true;
  }

  readAll(): readonly TradeRecord[] {
    if (this.#isWhole) return this.#trades;
    this.#text ??= decoder.decode(this.#bytes);
    this.#add(`[${this.#text.slice(this.#from)}`);
    this.#isWhole = true;
    this.#text = null;
    return this.#trades;
  }

  #add(text: string): void {
    for (const trade of parseTrades(text)) this.#trades.push(trade);
  }
}

/** Encoded once for the store and for the listeners; trades are most of the work. */
const ENCODED = new WeakMap<CommitToPublish, EncodedBatch>();

export function encodeBatch(commit: CommitToPublish): EncodedBatch {
  let encoded = ENCODED.get(commit);
  if (encoded === undefined) {
    encoded = encode(commit);
    ENCODED.set(commit, encoded);
  }
  return encoded;
}

function encode(commit: CommitToPublish): EncodedBatch {
  return {
    ...commit,
    notices: commit.notices === undefined ? [] : commit.notices,
    trades: encodeTrades(commit.trades),
    reverted: commit.reverted === undefined ? null : encodeTrades(commit.reverted.trades),
  };
}

export function decodeBatch(encoded: EncodedBatch): FeedBatch {
  const { trades, reverted, ...rest } = encoded;
  const added = new TradeDecoder(trades);
  const removed = reverted === null ? null : new TradeDecoder(reverted);
  return {
    ...rest,
    isRollback: reverted !== null,
    decodeSome: () => added.decodeSome(),
    readTrades: () => added.readAll(),
    readReverted: () => removed?.readAll() ?? [],
  };
}

/** More trades of final blocks than this are left out: the store has them, and keeps them. */
const FINAL_TRADES_MAX = 200;

/** What the row of a commit says instead of its trades. */
interface LeftOut {
  readonly trades: number;
  readonly complete: boolean;
}

/**
 * The commit's row of the feed. A large commit of final blocks leaves out its trades, which readers
 * load from the store. Older versions do not: for them the row is incomplete, so that they load
 * everything again.
 */
export function serializeCommit(commit: CommitToPublish): string {
  const { trades, notices = [], complete, ...rest } = commit;
  const { block, finalizedBlock } = commit.checkpoint;
  if (trades.length <= FINAL_TRADES_MAX || block > finalizedBlock) {
    return serializeBatch(encodeBatch(commit));
  }
  const leftOut: LeftOut = { trades: trades.length, complete };
  return JSON.stringify({ ...rest, notices, complete: false, leftOut });
}

/** The trades stay as they are encoded, one text per line. */
function serializeBatch({ trades, reverted, ...rest }: EncodedBatch): string {
  const lines = [JSON.stringify(rest), decoder.decode(trades)];
  if (reverted !== null) lines.push(decoder.decode(reverted));
  return lines.join('\n');
}

/** `readTrades` reads those that were left out. */
export async function parseBatch(
  text: string,
  readTrades: (blocks: StoredBlocks) => Promise<readonly TradeRecord[]> | undefined,
): Promise<FeedBatch> {
  const [first = '', trades, reverted] = text.split('\n');
  const { leftOut, ...rest } = JSON.parse(first) as Omit<EncodedBatch, 'trades' | 'reverted'> & {
    readonly leftOut?: LeftOut;
  };
  if (trades === undefined || leftOut !== undefined) {
    // Trades of other tokens in these blocks were filled in by a later commit.
    const tokens = new Set(rest.tokens);
    const all = await readTrades(rest);
    if (all === undefined) throw new Error('a commit came without its trades');
    const stored = all.filter(({ token }) => tokens.has(token));
    // A later commit may have filled in trades of a token that this one has begun to follow.
    const complete = leftOut?.complete === true && stored.length === leftOut.trades;
    const parts = { decodeSome: () => false, readTrades: () => stored, readReverted: () => [] };
    return { ...rest, complete, isRollback: false, ...parts };
  }
  return decodeBatch({
    ...rest,
    trades: encoder.encode(trades),
    reverted: reverted === undefined ? null : encoder.encode(reverted),
  });
}

/** The buffers that can be transferred to another thread without a copy. */
export function listTransferables(encoded: EncodedBatch): ArrayBuffer[] {
  return encoded.reverted === null
    ? [encoded.trades.buffer]
    : [encoded.trades.buffer, encoded.reverted.buffer];
}
