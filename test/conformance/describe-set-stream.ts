// What streams of several tokens promise on every store: for each of ten tokens on two chains the
// same as a stream of that token alone, with one id, on any node.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Market } from '../../src/market/create-market.ts';
import type { Streams } from '../../src/market/stream/create-streams.ts';
import type { KlineInterval } from '../../src/model/market-record.ts';
import { createRandom } from '../fakes/create-random.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import type { Json, SceneEngine } from '../market-scene.ts';
import { PAGES_MAX, readPages } from '../read-pages.ts';
import { dropFinality, type StreamEvent, StreamFold } from '../stream-fold.ts';
import { openTestStream, startTestStreams, TEST_LIMITS, type TestStream } from '../stream-scene.ts';
import { createTwoChainsScene, type TwoChainsScene } from '../two-chains-scene.ts';

const PER_CHAIN = 5;

interface TokenName {
  readonly chain: string;
  readonly mint: string;
}

/** Five tokens of each chain, from final blocks. */
async function findTokens(scene: TwoChainsScene): Promise<TokenName[]> {
  const found: TokenName[] = [];
  for (const { slug, chain } of scene.chains) {
    const rows = await scene.store.market.readTokens(slug, FAKE_TOKENS);
    const old = rows.filter(({ firstSeenBlock }) => firstSeenBlock <= chain.finalized);
    assert.ok(old.length >= PER_CHAIN, `${old.length} tokens of ${slug}`);
    found.push(...old.slice(0, PER_CHAIN).map(({ token }) => ({ chain: slug, mint: token })));
  }
  return found;
}

/** A client's data of all tokens, and its one position. */
class SetFold {
  readonly tokens = new Map<string, StreamFold>();
  readonly counts = new Map<string, number>();
  readonly problems: string[] = [];
  lastEventId: string | null = null;

  constructor(names: readonly TokenName[]) {
    for (const { chain, mint } of names) this.tokens.set(`${chain} ${mint}`, new StreamFold());
  }

  apply(event: StreamEvent): void {
    if (event.id !== null) this.lastEventId = event.id;
    if (event.event === '') return;
    this.counts.set(event.event, (this.counts.get(event.event) ?? 0) + 1);
    const { chain, mint, ...data } = event.data;
    const fold = this.tokens.get(`${chain} ${mint?.toLowerCase()}`);
    if (fold === undefined) this.problems.push(`${event.event} of ${chain} ${mint}`);
    fold?.apply({ ...event, data });
  }
}

interface Reader {
  readonly names: readonly TokenName[];
  readonly fold: SetFold;
  readonly input: Record<string, string>;
  stream: TestStream | null;
}

function readTrades(scene: TwoChainsScene, name: TokenName): Promise<Json[]> {
  return readPages(PAGES_MAX, async (cursor: string | null) => {
    const next: Record<string, string> = cursor === null ? {} : { cursor };
    const { json } = await scene.ask('getTrades', { ...name, limit: 500, ...next });
    return { rows: json.trades as Json[], next: json.nextCursor };
  });
}

async function assertToken(scene: TwoChainsScene, reader: Reader, name: TokenName): Promise<void> {
  const fold = reader.fold.tokens.get(`${name.chain} ${name.mint}`)!;
  if (reader.input['events']!.includes('trade')) {
    // A reader of klines alone gets reverts of trades that it never saw.
    assert.deepEqual(fold.problems, []);
    const trades = await readTrades(scene, name);
    const sent = new Set(fold.trades.keys());
    // A snapshot has only the last trades: older ones are not part of the stream.
    const oldest = Math.min(...Array.from(fold.trades.values(), ({ block }) => block));
    const expected = trades.filter((trade) => trade.block > oldest || sent.has(trade.id));
    assert.deepEqual(dropFinality(fold.trades.values()), dropFinality(expected));
  }
  if (!reader.input['events']!.includes('kline')) return;
  const interval = reader.input['interval'] as KlineInterval;
  const { json } = await scene.ask('getKlines', { ...name, interval, limit: 5000 });
  const read = new Map<number, Json>(json.klines.map((one: Json) => [one.openTime, one]));
  for (const [openTime, kline] of fold.klines) assert.deepEqual(kline, read.get(openTime));
  for (const [openTime, kline] of read) {
    if (openTime >= fold.klinesFrom) assert.deepEqual(fold.klines.get(openTime), kline);
  }
}

/** A loaded machine may be slow, but what it has sent must be right. */
async function untilFolded(scene: TwoChainsScene, reader: Reader): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      assert.deepEqual(reader.fold.problems, []);
      for (const name of reader.names) await assertToken(scene, reader, name);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

async function connect(streams: Streams, reader: Reader, random: () => number): Promise<void> {
  // Some disconnect in the middle of a replay.
  let left = random() < 0.6 ? Math.floor(random() * 60) : Number.POSITIVE_INFINITY;
  const { fold, input } = reader;
  reader.stream = await openTestStream(streams, input, {
    lastEventId: fold.lastEventId,
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

function move(scene: TwoChainsScene, random: () => number): void {
  for (const { chain } of scene.chains) {
    const count = Math.floor(random() * 4);
    if (count === 0) continue;
    // A branch is accepted only if it is longer.
    if (random() < 0.3) chain.reorganise(count, count + 1 + Math.floor(random() * 2));
    else chain.extend(count);
  }
}

function createReaders(names: readonly TokenName[]): Reader[] {
  const wanted: [string, string][] = [
    ['trade,kline,price,holders', '1m'],
    ['trade,kline', '1s'],
    ['kline', '5s'],
    ['trade', '1m'],
  ];
  return wanted.map(([events, interval], index) => {
    // The order of the tokens in the URL does not matter.
    const listed = index % 2 === 0 ? names : names.toReversed();
    const mint = listed.map((name) => `${name.chain}:${name.mint}`).join(',');
    return { names, fold: new SetFold(names), input: { mint, events, interval }, stream: null };
  });
}

async function untilQuiet(readers: readonly Reader[]): Promise<void> {
  const count = () => readers.reduce((sum, one) => sum + (one.stream?.events.length ?? 0), 0);
  for (let last = -1; last !== count(); ) {
    last = count();
    await sleep(150);
  }
}

/** Until every reader is connected and has received everything. */
async function gather(nodes: readonly Streams[], readers: readonly Reader[]): Promise<void> {
  do {
    for (const [index, reader] of readers.entries()) {
      const node = nodes[index % nodes.length]!;
      if (reader.stream === null) await connect(node, reader, () => 0.99);
    }
    await untilQuiet(readers);
  } while (readers.some(({ stream }) => stream === null));
}

interface LiveOptions {
  readonly readers: readonly Reader[];
  readonly random: () => number;
  readonly rounds: number;
  /** Streams of a node that has just been started. */
  readonly startStreams: (market: Market) => Streams;
}

/** One node ends with its streams; the chains go on, and a new node takes its place. */
async function restartLast(
  scene: TwoChainsScene,
  nodes: Streams[],
  { readers, random, startStreams }: LiveOptions,
): Promise<void> {
  for (const reader of readers) {
    reader.stream?.leave();
    reader.stream = null;
  }
  nodes.pop()?.stop();
  move(scene, random);
  nodes.push(startStreams(await scene.restartLast()));
}

async function live(scene: TwoChainsScene, nodes: Streams[], of: LiveOptions): Promise<void> {
  const { readers, random } = of;
  for (let round = 0; round < of.rounds; round += 1) {
    if (round === Math.floor(of.rounds / 2)) await restartLast(scene, nodes, of);
    for (const reader of readers) {
      const node = nodes[Math.floor(random() * nodes.length)]!;
      if (reader.stream === null && random() < 0.5) await connect(node, reader, random);
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
  await gather(nodes, readers);
  // Deep ones while every reader is connected, regardless of the random ones before.
  for (const { chain } of scene.chains) chain.reorganise(8, 9);
  await scene.settle();
  await gather(nodes, readers);
}

export function describeSetStreamOn(engine: SceneEngine): void {
  describe(`streams of ten tokens on two chains, on ${engine}`, () => {
    for (const seed of engine === 'sqlite' ? [1, 2, 3] : [4]) {
      it(`fold to what the reads say, on either node and a restarted one, seed ${seed}`, async (t) => {
        const clock = seed % 3 === 0 ? 'wild' : 'uneven';
        const chain = { seed, finalityDepth: 12, blocks: 30, clock, gaps: seed > 1 } as const;
        const scene = await createTwoChainsScene(t, { engine, ...chain });
        // Small pages, so that a replay ends at arbitrary points.
        // Snapshots have every trade that can be reverted.
        const limits = { ...TEST_LIMITS, pageEvents: 10 + 7 * seed, snapshotTrades: 2000 };
        const startStreams = (market: Market) => startTestStreams(market, { limits });
        const nodes = scene.nodes.map(startStreams);
        try {
          const readers = createReaders(await findTokens(scene));
          const rounds = engine === 'sqlite' ? 25 : 10;
          const random = createRandom(seed * 77);
          await live(scene, nodes, { readers, random, rounds, startStreams });
          for (const reader of readers) await untilFolded(scene, reader);
          const total = (event: string) =>
            readers.reduce((sum, { fold }) => sum + (fold.counts.get(event) ?? 0), 0);
          for (const event of ['trade', 'kline', 'revert', 'price', 'holders']) {
            // States are sent once a second.
            for (let round = 0; total(event) === 0 && round < 300; round += 1) await sleep(100);
            assert.ok(total(event) > 0, `no ${event}`);
          }
          assert.equal(total('reset'), 0, 'nobody had to begin anew');
        } finally {
          for (const streams of nodes) streams.stop();
        }
      });
    }
  });
}
