// A week of a receiver that is down, fails, resets and loses answers, beside one that is slow,
// while the sending node is killed and the chain reorganises. In the end nothing is missing, twice
// or out of order.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../fakes/create-random.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { createMarketScene, type MarketScene, type SceneEngine } from '../market-scene.ts';
import { openTestStream, startTestStreams } from '../stream-scene.ts';
import { waitUntil } from '../wait-until.ts';
import {
  type Received,
  type Receiver,
  startReceiver,
  startWebhookNode,
  type WebhookNode,
} from './webhook-scene.ts';

const HOUR = 3_600_000;
const DOWN_FROM_HOUR = 20;
const DOWN_TO_HOUR = 85;
const LEASE_MS = 1000;
/** Longer than an hour of the week takes: it is always behind. */
const SLOW_MS = 100;

interface WeekOptions {
  readonly engine: SceneEngine;
  readonly kills: number;
  readonly hours: number;
  readonly seed: number;
}

interface Change {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into freely.
  readonly data: any;
}

/** Each delivery once: what was sent again has the same bytes. */
function listDeliveries(taken: readonly Received[]): Received[] {
  const byId = new Map<string, Received>();
  for (const received of taken) {
    const id = String(received.headers['webhook-id']);
    const known = byId.get(id);
    if (known !== undefined) assert.equal(received.text, known.text, `${id} with other bytes`);
    else byId.set(id, received);
  }
  return [...byId.values()];
}

function listChanges(receiver: Receiver): Change[] {
  return listDeliveries(receiver.taken).flatMap(({ body }) => body.data.events as Change[]);
}

/** A swap between two of the tokens is a trade of both. */
function toName(mint: string, id: string): string {
  return `${mint.toLowerCase()} ${id}`;
}

/** The ids of the trades that a reader has, in order. Fails on one that comes twice. */
function fold(changes: readonly Change[], before: readonly string[]): string[] {
  const has = new Set(before);
  for (const { type, data } of changes) {
    if (type === 'trade') {
      const id = toName(data.mint, data.id);
      assert.ok(!has.has(id), `${id} came twice`);
      has.add(id);
    } else if (type === 'revert' || type === 'reverted') {
      for (const tradeId of data.tradeIds) {
        const id = toName(data.mint, tradeId);
        assert.ok(has.has(id), `${id} was taken back, and never came`);
        has.delete(id);
      }
    } else assert.fail(`an event ${type}`);
  }
  return [...has];
}

async function readTrades(scene: MarketScene, tokens: readonly string[], afterBlock: number) {
  const trades = [];
  for await (const page of scene.store.market.scanTrades('devnet')) trades.push(...page);
  // Trades of one swap come in the order of the webhook's tokens.
  const placeOf = (token: string) => tokens.indexOf(token);
  return trades
    .filter(({ token, block }) => tokens.includes(token) && block > afterBlock)
    .sort(
      (a, b) => a.block - b.block || a.logIndex - b.logIndex || placeOf(a.token) - placeOf(b.token),
    )
    .map(({ token, block, logIndex, txHash, index }) => ({
      ...{ block, logIndex, id: toName(token, `devnet:${txHash}:${index}`) },
    }));
}

export async function runWebhookWeek(
  t: { after(work: () => unknown): void },
  { engine, kills, hours, seed }: WeekOptions,
): Promise<string> {
  const cleanups: (() => unknown)[] = [];
  // Last first: a store closes after its users.
  t.after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  const late = { after: (work: () => unknown) => cleanups.push(work) };
  const random = createRandom(seed);
  const chain = { seed, finalityDepth: 12, clock: 'steady', blocks: 40 } as const;
  const scene = await createMarketScene(late, {
    ...{ engine, ...chain },
    // The indexer's clock is not that of the week.
    rollbacksKeptMs: Number.MAX_SAFE_INTEGER,
  });
  const streams = startTestStreams(scene.market);
  late.after(() => streams.stop());
  const rows = await scene.store.market.readTokens('devnet', FAKE_TOKENS);
  const tokens = rows
    .filter(
      ({ tradeCount, firstSeenBlock }) => tradeCount > 3 && firstSeenBlock <= scene.chain.finalized,
    )
    .map(({ token }) => token);
  assert.ok(tokens.length > 1, 'the chain has too few tokens that trade');
  const clock = new ManualClock();
  const receivers = { head: await startReceiver(late), final: await startReceiver(late) };
  const slow = await startReceiver(late);
  slow.behave = async () => {
    await sleep(SLOW_MS);
    return 'take' as const;
  };
  let hour = 0;
  for (const receiver of Object.values(receivers)) {
    let hasRecovered = false;
    receiver.behave = () => {
      if (hour >= DOWN_FROM_HOUR && hour < DOWN_TO_HOUR) return 'reset';
      // After 65 hours the next failure would be one too many.
      if (hour >= DOWN_TO_HOUR && !hasRecovered) {
        hasRecovered = true;
        return 'take';
      }
      if (hour >= hours) return 'take';
      const faults = ['fail', 'reset', 'lost', { status: 302 }] as const;
      return random() < 0.4 ? (faults[Math.floor(random() * faults.length)] ?? 'fail') : 'take';
    };
  }
  let started = 0;
  const nodes: WebhookNode[] = [];
  const start = () => {
    started += 1;
    const name = `node ${started}`;
    nodes.push(startWebhookNode({ ...scene, streams, clock, name, leaseMs: LEASE_MS }));
  };
  late.after(() => Promise.all(nodes.map((node) => node.stop())));
  start();
  // Where several share a store, another one waits to take over.
  if (engine === 'postgres') start();
  const [node] = nodes;
  assert.ok(node);
  const named = tokens.map((mint) => ({ chain: 'devnet', mint }));
  const create = (finality: 'head' | 'final', url = receivers[finality].url) => {
    const events = ['trade', 'reverted'];
    return node.ask('createWebhook', { url, events, tokens: named, finality });
  };
  const made = [await create('head'), await create('final'), await create('head', slow.url)];
  const ids = made.map(({ webhookId }) => webhookId);
  const before = (await readTrades(scene, tokens, 0)).map(({ id }) => id);
  const beginFinal = scene.chain.finalized;
  const mints = tokens.map((token) => `devnet:${token}`).join();
  const stream = await openTestStream(streams, { mint: mints, events: 'trade' });
  let killed = 0;
  let reorganised = 0;
  for (hour = 0; hour < hours; hour += 1) {
    clock.advance(HOUR);
    if (random() < 0.3) {
      const depth = 1 + Math.floor(random() * 4);
      scene.chain.reorganise(depth, depth + 1);
      reorganised += 1;
    } else scene.chain.extend(1 + Math.floor(random() * 2));
    await scene.settle();
    if (killed < Math.floor(((hour + 1) * kills) / hours)) {
      await waitUntil(() => nodes.some(({ sender }) => sender.isSending));
      await sleep(random() * 20);
      const index = nodes.findIndex(({ sender }) => sender.isSending);
      const [victim] = nodes.splice(Math.max(0, index), 1);
      await victim?.kill();
      killed += 1;
      start();
    }
  }
  // The receivers are well from now on.
  const head = scene.chain.head.position;
  scene.chain.extend(14);
  await scene.settle();
  const trades = await readTrades(scene, tokens, 0);
  const finalTrades = (await readTrades(scene, tokens, beginFinal)).filter(
    ({ block }) => block <= scene.chain.finalized,
  );
  await waitUntil(async () => {
    clock.advance(HOUR / 2);
    const states = await scene.store.webhooks.readMany(ids);
    assert.ok(
      states.every(({ status }) => status === 'active'),
      JSON.stringify(states),
    );
    const isHeadDone = fold(listChanges(receivers.head), before).length === trades.length;
    const isFinalDone = listChanges(receivers.final).length >= finalTrades.length;
    const isSlowDone = fold(listChanges(slow), before).length === trades.length;
    return (
      isHeadDone && isFinalDone && isSlowDone && states.every(({ progress }) => !progress.isPending)
    );
  });
  const streamed = fold(
    stream.events
      .filter(({ event }) => event === 'trade' || event === 'revert')
      .map(({ event, data }) => ({ type: event, data })),
    before,
  );
  const changes = listChanges(receivers.head);
  const wanted = trades.map(({ id }) => id).sort();
  assert.deepEqual(fold(changes, before).sort(), wanted);
  assert.deepEqual(fold(listChanges(slow), before).sort(), wanted);
  assert.deepEqual(streamed.sort(), wanted);
  const final = listChanges(receivers.final);
  const sent = final.map(({ data }) => toName(data.mint, data.id));
  // Each once, in the order of the chain, and none that was ever taken back.
  assert.deepEqual(
    sent,
    finalTrades.map(({ id }) => id),
  );
  assert.ok(final.every(({ type }) => type === 'trade'));
  const errors = nodes.flatMap((one) => one.errors);
  assert.deepEqual(errors, []);
  const requests = receivers.head.all.length + receivers.final.all.length;
  return (
    `${engine}: ${hours} hours, ${killed} kills, ${reorganised} reorganisations up to block ${head}; ` +
    `${changes.length} events at the head, ${final.length} final ones, in ${requests} requests, and ` +
    `${listChanges(slow).length} for a slow receiver: ` +
    'none missing, none twice, in order, equal to the stream'
  );
}
