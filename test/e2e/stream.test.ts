// Streams of a real service on a real chain, through everything that may happen to both.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { createRandom } from '../fakes/create-random.ts';
import { untilAtHead } from '../indexed-service.ts';
import { createIndexingScene, type IndexingScene } from '../indexing-scene.ts';
import { launchBrowser, openContext } from '../launch-browser.ts';
import type { Json } from '../market-scene.ts';
import { openHttpStream } from '../open-http-stream.ts';
import { PAGES_MAX, readPages } from '../read-pages.ts';
import { after, before } from '../root-hooks.ts';
import { type RunningService, startServiceProcess } from '../start-service-process.ts';
import { dropFinality, type StreamEvent, StreamFold } from '../stream-fold.ts';

const EVENTS = ['snapshot', 'trade', 'kline', 'price', 'holders', 'revert', 'paused', 'reset'];

const cleanups: (() => unknown)[] = [];
const late = { after: (work: () => unknown) => cleanups.push(work) };
let scene: IndexingScene;
let service: RunningService;
let mint: string;

before(async () => {
  scene = await createIndexingScene(late, { engine: 'sqlite' });
  service = await startServiceProcess(late, { env: scene.env });
  await untilAtHead(service, scene.chain);
  mint = scene.chain.deployment.tokens.find(({ key }) => key === 'wire')!.address;
});
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

function buildUrl(query: string): string {
  return `${service.origin}/v1/token/stream?chain=devnet&mint=${mint}${query}`;
}

/** Restarts it on the same port, so that disconnected readers find it. */
async function restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { port } = new URL(service.origin);
  service.child.kill(signal);
  assert.equal(await service.exited, signal === 'SIGKILL' ? 'SIGKILL' : 0, service.output());
  service = await startServiceProcess(late, { env: { ...scene.env, PORT: port } });
}

interface Reader {
  readonly name: string;
  readonly interval: string;
  readonly fold: StreamFold;
  stop(): Promise<void> | void;
}

/** Disconnects at random, and resumes with the last id that it got. */
function startRestless(interval: string, random: () => number): Reader {
  const fold = new StreamFold();
  let isStopped = false;
  let leave: (() => void) | null = null;
  const run = async () => {
    while (!isStopped) {
      let left = 1 + Math.floor(random() * 12);
      const { lastEventId } = fold;
      const headers = lastEventId === null ? {} : { 'last-event-id': lastEventId };
      try {
        const stream = await openHttpStream(buildUrl(`&interval=${interval}`), {
          headers,
          onEvent: (event, connection) => {
            fold.apply(event);
            left -= 1;
            if (left <= 0) connection.leave();
          },
        });
        leave = () => stream.leave();
        assert.equal(stream.status, 200);
        await stream.ended;
      } catch {
        // The server is being restarted.
      }
      await sleep(20 + random() * 300);
    }
  };
  const running = run();
  return {
    name: 'restless',
    interval,
    fold,
    stop: () => {
      isStopped = true;
      leave?.();
      return running;
    },
  };
}

function startEventSource(interval: string): Reader {
  const fold = new StreamFold();
  const source = new EventSource(buildUrl(`&interval=${interval}`));
  for (const event of EVENTS) {
    source.addEventListener(event, ({ data, lastEventId }) =>
      fold.apply({ event, id: lastEventId, data: JSON.parse(data) }),
    );
  }
  return { name: 'eventsource', interval, fold, stop: () => source.close() };
}

async function startBrowser(interval: string): Promise<Reader> {
  const browser = await launchBrowser();
  const fold = new StreamFold();
  const page = await (await openContext(browser)).newPage();
  await page.exposeFunction('report', (event: string, id: string, data: string) =>
    fold.apply({ event, id, data: JSON.parse(data) } satisfies StreamEvent),
  );
  // A foreign page: it may read what the server lets any page read.
  await page.evaluate(
    `{ const source = new EventSource(${JSON.stringify(buildUrl(`&interval=${interval}`))});
       for (const event of ${JSON.stringify(EVENTS)}) {
         source.addEventListener(event, ({data, lastEventId}) => report(event, lastEventId, data));
       } }`,
  );
  return { name: 'Chromium', interval, fold, stop: () => browser.close() };
}

function readTrades(): Promise<Json[]> {
  return readPages(PAGES_MAX, async (cursor: string | null) => {
    const next = cursor === null ? '' : `&cursor=${cursor}`;
    const path = `/v1/token/trades?chain=devnet&mint=${mint}&limit=100${next}`;
    const { trades, nextCursor }: Json = await (await fetch(service.origin + path)).json();
    return { rows: trades, next: nextCursor };
  });
}

/** Null if the reader has the same data as the reads. */
async function findDifference({ fold, interval }: Reader): Promise<string | null> {
  const path = `/v1/token/klines?chain=devnet&mint=${mint}&interval=${interval}&limit=1000`;
  const { klines }: Json = await (await fetch(service.origin + path)).json();
  try {
    const trades = dropFinality(await readTrades());
    assert.deepEqual(dropFinality(fold.trades.values()), trades);
    const sent = [...fold.klines.values()].sort((a, b) => a.openTime - b.openTime);
    const from = Math.min(fold.klinesFrom, sent[0]?.openTime ?? Number.POSITIVE_INFINITY);
    assert.deepEqual(
      sent,
      klines.filter(({ openTime }: Json) => openTime >= from),
    );
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

async function move(round: number, random: () => number): Promise<void> {
  const { chain } = scene;
  const amountInRaw = 10n ** 16n * BigInt(1 + Math.floor(random() * 9));
  const venue = random() < 0.5 ? 'uniswap-v2' : 'uniswap-v3';
  await chain.buy({ token: 'wire', venue, amountInRaw });
  if (round % 3 !== 2) return;
  // Only blocks that were seen can be reverted.
  await untilAtHead(service, chain);
  await chain.reorg(1 + Math.floor(random() * 3));
  await chain.mine(1);
}

async function untilEqual(readers: readonly Reader[]): Promise<void> {
  await untilAtHead(service, scene.chain);
  const deadline = Date.now() + 30_000;
  for (const reader of readers) {
    for (;;) {
      const difference = await findDifference(reader);
      if (difference === null) break;
      if (Date.now() > deadline) assert.fail(`${reader.name} ${reader.interval}: ${difference}`);
      await sleep(100);
    }
  }
}

describe('streams', () => {
  test('every stream reader ends with the same data as the reads, through restarts, kills and reorganisations', async () => {
    const random = createRandom(7);
    const readers = [
      startRestless('1s', random),
      startRestless('1m', random),
      startEventSource('5s'),
      await startBrowser('1m'),
    ];
    try {
      while (readers.some(({ fold }) => !fold.counts.has('snapshot'))) await sleep(20);
      for (let round = 0; round < 9; round += 1) {
        await move(round, random);
        if (round === 3) await restart('SIGTERM');
        if (round === 6) await restart('SIGKILL');
      }
      await untilEqual(readers);
      for (const { name, fold } of readers) {
        assert.deepEqual(fold.problems, [], name);
        assert.equal(fold.counts.get('snapshot'), 1, `${name} began anew`);
        assert.equal(fold.counts.get('reset'), undefined, name);
      }
      const reverts = readers.map(({ fold }) => fold.counts.get('revert') ?? 0);
      assert.ok(Math.max(...reverts) > 0, 'nobody heard of a reorganisation');
    } finally {
      for (const reader of readers) await reader.stop();
    }
  });

  test('curl shows events as they come', async () => {
    const args = ['-sN', '--max-time', '2', buildUrl('&events=trade')];
    const output = await new Promise<string>((resolve) => {
      execFile('curl', args, (_error, stdout) => resolve(stdout));
    });
    assert.match(
      output,
      /^retry: \d+\n\nevent: snapshot\nid: \S+\ndata: \{"chain":"devnet","mint":/,
    );
  });

  test('SIGTERM ends streams cleanly, at once, and the process with them', async () => {
    const streams = await Promise.all([openHttpStream(buildUrl('')), openHttpStream(buildUrl(''))]);
    for (const stream of streams) await stream.until(({ event }) => event === 'snapshot');
    service.child.kill('SIGTERM');
    for (const stream of streams) assert.equal(await stream.ended, 'clean');
    assert.equal(await service.exited, 0, service.output());
  });
});
