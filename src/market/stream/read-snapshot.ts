// The start of a stream: the token, its live kline and its last trades.

import { buildTradeAnswer } from '../../contract/build-trade-answer.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { getTokenStream } from '../../contract/operations/stream-token.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import { toAsOf } from '../as-of.ts';
import type { MarketBoard } from '../board/market-board.ts';
import type { TokenDirectory } from '../lists/token-directory.ts';
import type { MarketChain } from '../market-parts.ts';
import type { TokenReference } from '../parse-token.ts';
import type { AnswerReader } from '../read-at.ts';
import { CandleReader } from '../read-candles.ts';
import { readSummaries } from '../token-summary.ts';
import { buildKlineAnswer, createTokenEvent, type TokenEvent } from './encode-events.ts';
import { readOpen } from './read-missed.ts';
import type { StreamFilter } from './stream-filter.ts';
import type { StreamName } from './stream-point.ts';

type SnapshotData = Extract<
  NonNullable<OutputOf<typeof getTokenStream>['snapshot']>,
  { readonly token: unknown }
>;

export interface Snapshot {
  readonly name: StreamName;
  readonly event: TokenEvent;
  readonly checkpoint: Checkpoint;
}

/** Null if the token is unknown. */
export async function readSnapshot(
  reader: AnswerReader,
  market: MarketChain,
  wanted: {
    readonly reference: TokenReference;
    readonly filter: StreamFilter;
    readonly tradesMax: number;
    readonly checkpoint: Checkpoint;
    readonly directory: TokenDirectory;
    readonly board: Pick<MarketBoard, 'read'>;
  },
): Promise<Snapshot | null> {
  const { reference, filter, checkpoint } = wanted;
  const { interval, pool } = filter;
  const { chain, token, addresses } = reference;
  const summaries = await readSummaries(reader, market, { ...wanted, tokens: [token] });
  const found = summaries.get(token);
  const epoch = (await reader.readEpoch(chain))?.epoch;
  if (found === undefined || epoch === undefined) return null;
  const { trades } = await reader.readTradePage(chain, {
    ...{ token, pool, side: null, wallet: null, minUsd: null, after: null },
    range: { fromMs: checkpoint.tradesFromMs ?? 0, toMs: Number.MAX_SAFE_INTEGER },
    order: 'newest',
    limit: wanted.tradesMax,
  });
  const quotes = await reader.readTokens(chain, [
    ...new Set(trades.map(({ quoteToken }) => quoteToken)),
  ]);
  const tokens = new Map([found.token, ...quotes].map((row) => [row.token, row]));
  const known = { tokens, finalizedBlock: checkpoint.finalizedBlock, addresses };
  const name = { ...reference, epoch };
  const candles = new CandleReader(reader, chain, { token, pool, interval }, checkpoint);
  const open = await readOpen(candles, { interval, record: found.token, checkpoint });
  const live = open.at(-1);
  const data: Omit<SnapshotData, 'chain' | 'mint'> = {
    token: { ...found.summary, match: null },
    interval,
    kline: live === undefined ? null : buildKlineAnswer(live, { name, checkpoint, tokens }, filter),
    trades: trades.map((trade) => buildTradeAnswer(chain, trade, known)),
    asOf: toAsOf(checkpoint),
  };
  return { name, event: createTokenEvent('snapshot', data, reference), checkpoint };
}
