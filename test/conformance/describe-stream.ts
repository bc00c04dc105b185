// What streams promise on every store: every reader, at any time, ends with the same data as the
// reads.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Streams } from '../../src/market/stream/create-streams.ts';
import type { KlineInterval } from '../../src/model/market-record.ts';
import { createRandom } from '../fakes/create-random.ts';
import { buildFakeAddress } from '../fakes/fake-market.ts';
import {
  createMarketScene,
  type Json,
  type MarketScene,
  type SceneEngine,
} from '../market-scene.ts';
import { PAGES_MAX, readPages } from '../read-pages.ts';
import { dropFinality, StreamFold } from '../stream-fold.ts';
import { openTestStream, startTestStreams, TEST_LIMITS, type TestStream } from '../stream-scene.ts';

const TOKENS = [10, 11, 12, 13, 14, 16, 18].map((number) => buildFakeAddress('aaaa', number));
const TOKEN_COUNT = 3;

/** Tokens of the chain, from final blocks. */
async function findTokens(scene: MarketScene): Promise<string[]> {
  const rows = await scene.store.market.readTokens('devnet', TOKENS);
  const old = rows.filter(({ firstSeenBlock }) => firstSeenBlock <= scene.chain.finalized);
  assert.ok(old.length > 0);
  return old.map(({ token }) => token).slice(0, TOKEN_COUNT);
}

interface FoldingReader {
  readonly fold: StreamFold;
  readonly input: { chain: string; mint: string; events: string; interval: string };
  stream: TestStream | null;
}

/** All of a token's trades, or none if the token itself was reorganised away. */
function readTrades(scene: MarketScene, mint: string): Promise<Json[]> {
  return readPages(PAGES_MAX, async (cursor: string | null) => {
    const next: Record<string, string> = cursor === null ? {} : { cursor };
    const { json } = await scene.ask('getTrades', { chain: 'devnet', mint, limit: 500, ...next });
    return { rows: json.trades as Json[], next: json.nextCursor };
  });
}

async function assertFolded(scene: MarketScene, reader: FoldingReader): Promise<void> {
  const { fold, input } = reader;
  if (input.events.includes('trade')) {
    assert.deepEqual(fold.problems, []);
    const trades = await readTrades(scene, input.mint);
    const sent = new Set(fold.trades.keys());
    // A snapshot has only the last trades: older ones are not part of the stream.
    const oldest = Math.min(...Array.from(fold.trades.values(), ({ block }) => block));
    const expected = trades.filter((trade) => trade.block > oldest || sent.has(trade.id));
    assert.deepEqual(dropFinality(fold.trades.values()), dropFinality(expected));
  }
  if (!input.events.includes('kline')) return;
  const interval = input.interval as KlineInterval;
  const { json } = await scene.ask('getKlines', { ...toToken(input), interval, limit: 5000 });
  const read = new Map<number, Json>(json.klines.map((one: Json) => [one.openTime, one]));
  for (const [openTime, kline] of fold.klines) assert.deepEqual(kline, read.get(openTime));
  for (const [openTime, kline] of read) {
    if (openTime >= fold.klinesFrom) assert.deepEqual(fold.klines.get(openTime), kline);
  }
}

/** A loaded machine may be slow, but what it has sent must be right. */
async function untilFolded(scene: MarketScene, reader: FoldingReader): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      return await assertFolded(scene, reader);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

function toToken({ chain, mint }: { chain: string; mint: string }) {
  return { chain, mint };
}

async function connect(
  streams: Streams,
  reader: FoldingReader,
  random: () => number,
): Promise<void> {
  // Some disconnect in the middle of a replay.
  let left = random() < 0.6 ? Math.floor(random() * 30) : Number.POSITIVE_INFINITY;
  const { fold, input } = reader;
  const { lastEventId } = fold;
  reader.stream = await openTestStream(streams, input, {
    lastEventId,
    onEvent: (event, stream) => {
      if (stream !== reader.stream && reader.stream !== null) return;
      fold.apply(event);
      left -= 1;
      if (left >= 0) return;
      stream.leave();
      reader.stream = null;
    },
  });
  if (left < 0) reader.stream = null;
}

function move(scene: MarketScene, random: () => number): void {
  const count = 1 + Math.floor(random() * 4);
  // A branch is accepted only if it is longer.
  if (random() < 0.3) scene.chain.reorganise(count, count + 1 + Math.floor(random() * 2));
  else scene.chain.extend(count);
}

function createReaders(tokens: readonly string[]): FoldingReader[] {
  const wanted: [string, string][] = [
    ['trade,kline,price,holders', '1m'],
    ['trade,kline', '1s'],
    ['kline', '5s'],
    ['kline', '4h'],
    ['trade', '1m'],
  ];
  return tokens.flatMap((mint) =>
    wanted.map(([events, interval]) => ({
      fold: new StreamFold(),
      input: { chain: 'devnet', mint, events, interval },
      stream: null,
    })),
  );
}

async function untilQuiet(readers: readonly FoldingReader[]): Promise<void> {
  const count = () => readers.reduce((sum, one) => sum + (one.stream?.events.length ?? 0), 0);
  for (let last = -1; last !== count(); ) {
    last = count();
    await sleep(150);
  }
}

/** Until every reader is connected and has received everything. */
async function gather(streams: Streams, readers: readonly FoldingReader[]): Promise<void> {
  do {
    for (const reader of readers) {
      if (reader.stream === null) await connect(streams, reader, () => 0.99);
    }
    await untilQuiet(readers);
  } while (readers.some(({ stream }) => stream === null));
}

async function live(
  scene: MarketScene,
  streams: Streams,
  of: { readers: readonly FoldingReader[]; random: () => number; rounds: number },
): Promise<void> {
  const { readers, random } = of;
  for (let round = 0; round < of.rounds; round += 1) {
    for (const reader of readers) {
      if (reader.stream === null && random() < 0.5) await connect(streams, reader, random);
      if (reader.stream !== null && random() < 0.2) {
        reader.stream.leave();
        reader.stream = null;
      }
    }
    move(scene, random);
    if (random() < 0.5) await scene.settle();
    else await turn();
  }
  await scene.settle();
  await gather(streams, readers);
  // A deep one while every reader is connected, regardless of the random ones before.
  scene.chain.reorganise(8, 9);
  await scene.settle();
  await gather(streams, readers);
}

function assertEveryKindSent(readers: readonly FoldingReader[]): void {
  const total = (event: string) =>
    readers.reduce((sum, { fold }) => sum + (fold.counts.get(event) ?? 0), 0);
  for (const event of ['trade', 'kline', 'revert', 'price']) {
    assert.ok(total(event) > 0, `no ${event}`);
  }
  assert.equal(total('snapshot'), readers.length, 'nobody had to begin anew');
}

export function describeStreamOn(engine: SceneEngine): void {
  describe(`streams on ${engine}`, () => {
    // A server's store is read over a socket, which is slower. With seed 122 a commit arrives
    // after a channel has read the store and before it listens again.
    for (const seed of engine === 'sqlite' ? [1, 2, 3, 5, 122] : [4, 6]) {
      it(`fold to what the reads say, through absences and reorganisations, seed ${seed}`, async (t) => {
        // Block times step back, here and there or all the time; some chains skip positions.
        const clock = seed % 3 === 0 ? 'wild' : 'uneven';
        const chain = { seed, finalityDepth: 12, blocks: 20, clock, gaps: seed >= 5 } as const;
        const scene = await createMarketScene(t, { engine, ...chain });
        // Small pages, so that a replay ends at arbitrary points.
        const limits = { ...TEST_LIMITS, pageEvents: 1 + (seed % 5) };
        const streams = startTestStreams(scene.market, { limits });
        try {
          const readers = createReaders(await findTokens(scene));
          const rounds = engine === 'sqlite' ? 25 : 12;
          await live(scene, streams, { readers, random: createRandom(seed * 77), rounds });
          for (const reader of readers) await untilFolded(scene, reader);
          assertEveryKindSent(readers);
        } finally {
          streams.stop();
        }
      });
    }
  });
}
