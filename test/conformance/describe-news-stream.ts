// What streams of a chain's news promise on every store: a reader that folds them knows the tokens
// and pools of the store, through absences, restarts and reorganisations, on any node.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { listMarketViews } from '../../src/chains/quote-rule.ts';
import type { Streams } from '../../src/market/stream/create-streams.ts';
import type { MarketEvent } from '../../src/model/block-events.ts';
import type { PoolRecord } from '../../src/model/pool.ts';
import { createRandom } from '../fakes/create-random.ts';
import { buildFakeAddress, FAKE_ASSETS } from '../fakes/fake-market.ts';
import type { SceneEngine } from '../market-scene.ts';
import type { StreamEvent } from '../stream-fold.ts';
import { openTestStream, startTestStreams, TEST_LIMITS, type TestStream } from '../stream-scene.ts';
import { poolId } from '../test-ids.ts';
import { createTwoChainsScene, type TwoChainsScene } from '../two-chains-scene.ts';

const CHAIN = 'devnet';
const KINDS = ['pool', 'token', 'launch', 'graduation'];

/** Everything that the store has, as `kind address`, with the block that brought it. */
async function readKnown(scene: TwoChainsScene): Promise<Map<string, number>> {
  const known = new Map<string, number>();
  const { market } = scene.store;
  for await (const rows of market.scanTokens(CHAIN)) {
    for (const { token, firstSeenBlock } of rows) known.set(`token ${token}`, firstSeenBlock);
  }
  for await (const rows of market.scanPools(CHAIN)) {
    for (const row of rows) {
      const { pool, createdBlock } = row;
      if (listMarketViews(FAKE_ASSETS, row).length === 0) continue;
      known.set(`pool ${pool}`, createdBlock);
      if (row.kind !== 'pump') continue;
      known.set(`launch ${pool}`, createdBlock);
      if (row.state.isComplete === true) known.set(`graduation ${pool}`, createdBlock);
    }
  }
  return known;
}

function pickKinds(known: ReadonlyMap<string, number>, kinds: string): Map<string, number> {
  const wanted = kinds.split(',');
  return new Map([...known].filter(([key]) => wanted.includes(key.split(' ')[0]!)));
}

interface Reader {
  readonly events: string;
  readonly known: Map<string, number>;
  readonly problems: string[];
  readonly counts: Map<string, number>;
  lastEventId: string | null;
  stream: TestStream | null;
}

function toKey(event: string, address: string): string {
  return `${event} ${address.toLowerCase()}`;
}

function apply(reader: Reader, { event, id, data }: StreamEvent): void {
  const { known, problems, counts } = reader;
  if (id !== null) reader.lastEventId = id;
  if (event === '') return;
  counts.set(event, (counts.get(event) ?? 0) + 1);
  if (data.chain !== CHAIN) problems.push(`${event} of ${data.chain}`);
  if (KINDS.includes(event)) {
    const key = toKey(event, event === 'token' ? data.mint : (data.address ?? data.pool));
    if (known.has(key)) problems.push(`${key} came twice`);
    known.set(key, data.block);
  }
  if (event !== 'revert') return;
  for (const one of data.news) {
    const key = toKey(one.event, one.address);
    if (!known.delete(key)) problems.push(`${key} was not known`);
  }
}

async function connect(streams: Streams, reader: Reader, random: () => number): Promise<void> {
  // Some disconnect in the middle of a replay.
  let left = random() < 0.5 ? Math.floor(random() * 12) : Number.POSITIVE_INFINITY;
  const { lastEventId, events } = reader;
  reader.stream = await openTestStream(
    streams,
    { chain: CHAIN, mint: '*', events },
    {
      lastEventId,
      onEvent: (event, stream) => {
        if (stream !== reader.stream && reader.stream !== null) return;
        apply(reader, event);
        left -= 1;
        if (left >= 0) return;
        stream.leave();
        reader.stream = null;
      },
    },
  );
  if (left < 0) reader.stream = null;
}

let launches = 0;

/** A launch, and the end of one that is open. */
function makeLaunch(open: PoolRecord['pool'][], random: () => number): MarketEvent[] {
  const [oldest] = open;
  if (oldest !== undefined && random() < 0.5) {
    open.shift();
    const change = { poolKind: 'pump', set: { isComplete: true } } as const;
    return [{ kind: 'poolChanged', pool: oldest, change }];
  }
  launches += 1;
  const pool = poolId(buildFakeAddress('fade', launches));
  const token0 = buildFakeAddress('abba', launches);
  open.push(pool);
  return [
    {
      kind: 'poolCreated',
      complete: true,
      description: {
        ...{ pool, kind: 'pump', venue: 'pump-curve', token0, feePips: 10_000 },
        ...{ token1: buildFakeAddress('eeee', 5), vault: buildFakeAddress('fade', launches) },
        terms: { stage: 'curve', virtualQuote: 0n },
      },
    },
    { kind: 'poolChanged', pool, change: { poolKind: 'pump', set: { isComplete: false } } },
  ];
}

class Mover {
  readonly #scene: TwoChainsScene;
  readonly #random: () => number;
  #open: PoolRecord['pool'][] = [];

  constructor(scene: TwoChainsScene, random: () => number) {
    this.#scene = scene;
    this.#random = random;
  }

  move(): void {
    for (const { slug, chain } of this.#scene.chains) {
      const count = 1 + Math.floor(this.#random() * 3);
      // A branch is accepted only if it is longer.
      if (this.#random() < 0.35) {
        chain.reorganise(count, count + 1 + Math.floor(this.#random() * 2));
        // It may have removed the launches that are open.
        if (slug === CHAIN) this.#open = [];
      } else if (slug === CHAIN && this.#random() < 0.6) {
        chain.extend(1, makeLaunch(this.#open, this.#random));
      } else chain.extend(count);
    }
  }
}

async function untilQuiet(readers: readonly Reader[]): Promise<void> {
  const count = () => readers.reduce((sum, one) => sum + (one.stream?.events.length ?? 0), 0);
  for (let last = -1; last !== count(); ) {
    last = count();
    await sleep(100);
  }
}

/** Until every reader is connected and has received everything. */
async function gather(nodes: readonly Streams[], readers: readonly Reader[]): Promise<void> {
  do {
    for (const [index, reader] of readers.entries()) {
      if (reader.stream?.state.ended) reader.stream = null;
      const node = nodes[index % nodes.length]!;
      if (reader.stream === null) await connect(node, reader, () => 0.99);
    }
    await untilQuiet(readers);
  } while (readers.some(({ stream }) => stream === null));
}

async function untilFolded(scene: TwoChainsScene, reader: Reader): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const expected = pickKinds(await readKnown(scene), reader.events);
    // The block of a graduation is not in the pool's row.
    const show = (known: ReadonlyMap<string, number>) =>
      [...known].map(([key, block]) => (key.startsWith('graduation') ? key : `${key} ${block}`));
    try {
      assert.deepEqual(reader.problems, []);
      return assert.deepEqual(show(reader.known).sort(), show(expected).sort());
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

async function createReaders(scene: TwoChainsScene): Promise<Reader[]> {
  const known = await readKnown(scene);
  const wanted = [KINDS.join(), 'pool', 'token,launch', 'graduation', `${KINDS.join()},chain`];
  return wanted.map((events) => ({
    ...{ events, problems: [], counts: new Map(), lastEventId: null, stream: null },
    known: pickKinds(known, events),
  }));
}

async function live(
  scene: TwoChainsScene,
  nodes: Streams[],
  of: { readers: readonly Reader[]; random: () => number; rounds: number; restart: () => Streams },
): Promise<void> {
  const { readers, random } = of;
  const mover = new Mover(scene, random);
  for (let round = 0; round < of.rounds; round += 1) {
    if (round === Math.floor(of.rounds / 2)) {
      nodes[0]!.stop();
      nodes[0] = of.restart();
    }
    for (const reader of readers) {
      const node = nodes[Math.floor(random() * nodes.length)]!;
      if (reader.stream?.state.ended) reader.stream = null;
      if (reader.stream === null && random() < 0.5) await connect(node, reader, random);
      if (reader.stream !== null && random() < 0.2) {
        reader.stream.leave();
        reader.stream = null;
      }
    }
    mover.move();
    if (random() < 0.5) await scene.settle();
    else await turn();
  }
  await scene.settle();
  await gather(nodes, readers);
  // A deep one while every reader is connected, regardless of the random ones before.
  for (const { chain } of scene.chains) chain.reorganise(8, 9);
  await scene.settle();
  await gather(nodes, readers);
}

function assertEveryKindSent(readers: readonly Reader[]): void {
  const total = (event: string) =>
    readers.reduce((sum, { counts }) => sum + (counts.get(event) ?? 0), 0);
  for (const event of [...KINDS, 'revert', 'chain']) assert.ok(total(event) > 0, `no ${event}`);
  assert.equal(total('snapshot'), readers.length, 'nobody had to begin anew');
}

export function describeNewsStreamOn(engine: SceneEngine): void {
  describe(`streams of a chain's news on ${engine}`, () => {
    for (const seed of engine === 'sqlite' ? [1, 2, 3, 5] : [4]) {
      it(`fold to the tokens and pools of the store, on either node, seed ${seed}`, async (t) => {
        const clock = seed % 3 === 0 ? 'wild' : 'uneven';
        const chain = { seed, finalityDepth: 12, blocks: 3, clock, gaps: seed > 1 } as const;
        const scene = await createTwoChainsScene(t, { engine, ...chain });
        // Small pages, so that a replay ends at arbitrary points.
        const limits = { ...TEST_LIMITS, pageEvents: 1 + (seed % 4) };
        const start = (index: number) => startTestStreams(scene.nodes[index]!, { limits });
        const nodes = [start(0), start(1)];
        try {
          const readers = await createReaders(scene);
          for (const reader of readers) await connect(nodes[1]!, reader, () => 0.99);
          const random = createRandom(seed * 77);
          const rounds = engine === 'sqlite' ? 50 : 20;
          await live(scene, nodes, { readers, random, rounds, restart: () => start(0) });
          for (const reader of readers) await untilFolded(scene, reader);
          assertEveryKindSent(readers);
        } finally {
          for (const streams of nodes) streams.stop();
        }
      });
    }
  });
}
