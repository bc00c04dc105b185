// Announced blocks cost no calls; when announcements stop, polling goes on without a gap.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  createSceneAdapter,
  endScene,
  readHonestly,
  recordChain,
  startAnnouncer,
  startNode,
  TRADER,
  toEvents,
  transfer,
} from '../../../../test/fakes/chain-scene.ts';
import { systemClock } from '../../../lib/clock.ts';
import { type Sleep, sleep } from '../../../lib/retry.ts';
import type { BlockEvents } from '../../../model/block-events.ts';
import type { EvmAdapter, EvmAdapterOptions } from '../create-evm-adapter.ts';

afterEach(endScene);

/** A poll that is due only long after the test. */
const NEVER_MS = 600_000;
const signal = AbortSignal.timeout(NEVER_MS);

/** Real time, so that waits are waits. */
const REAL: Partial<EvmAdapterOptions> = { clock: systemClock, sleep };

async function createScene(
  options: Partial<EvmAdapterOptions> = {},
  recorded: Parameters<typeof recordChain>[0] = {},
) {
  const chain = recordChain(recorded);
  const node = await startNode(chain);
  const announcer = await startAnnouncer();
  const adapter = createSceneAdapter([node], { ...REAL, sockets: [announcer.url], ...options });
  await adapter.readHead();
  const connecting = adapter.waitForHead?.(NEVER_MS, signal);
  await announcer.subscribed();
  return { chain, node, announcer, adapter, connecting };
}

const sleepForever: Sleep = (_, stopped) =>
  new Promise((_resolve, reject) => {
    stopped?.addEventListener('abort', () => reject(stopped.reason), { once: true });
  });

type Scene = Awaited<ReturnType<typeof createScene>>;

function addBlock({ chain }: Pick<Scene, 'chain'>): number {
  return chain.add([{ from: TRADER, logs: [transfer(chain.head + 1)] }]);
}

async function readNew(adapter: EvmAdapter, fromBlock: number) {
  const { latest } = await adapter.readHead();
  if (latest.position < fromBlock) return { blocks: [], next: fromBlock };
  const range = { fromBlock, toBlock: latest.position, linked: true };
  return { blocks: (await adapter.readBlocks(range)).blocks, next: latest.position + 1 };
}

test('an announced block takes one call: its receipts', async () => {
  const scene = await createScene();
  const { chain, node, announcer, adapter } = scene;
  announcer.announce(chain.announcementOf(60));
  await scene.connecting;
  await readNew(adapter, 61);
  const before = node.calls.length;
  for (let n = 61; n <= 80; n += 1) {
    const waiting = adapter.waitForHead?.(NEVER_MS, signal);
    addBlock(scene);
    announcer.announce(chain.announcementOf(n));
    await waiting;
    const { blocks } = await readNew(adapter, n);
    assert.equal(blocks[0]?.header.position, n);
  }
  const calls = node.calls.slice(before);
  assert.deepEqual([...new Set(calls.map(({ method }) => method))], ['eth_getBlockReceipts']);
  assert.equal(calls.length, 20);
});

test('of several blocks that were announced since the last reading, none is asked for', async () => {
  const scene = await createScene();
  const { chain, node, announcer, adapter } = scene;
  announcer.announce(chain.announcementOf(60));
  await scene.connecting;
  await readNew(adapter, 61);
  const before = node.calls.length;
  for (let n = 61; n <= 65; n += 1) announcer.announce(chain.announcementOf(addBlock(scene)));
  while ((await adapter.readHead()).latest.position < 65) await sleep(5, signal);
  const { blocks } = await readNew(adapter, 61);
  assert.equal(blocks.length, 5);
  const methods = node.calls.slice(before).map(({ method }) => method);
  assert.deepEqual(methods, Array(5).fill('eth_getBlockReceipts'));
});

test('announcements that are a few fast blocks behind the poll are not taken for dead', async () => {
  let skippedMs = 0;
  const clock = {
    nowMs: systemClock.nowMs,
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
  };
  const scene = await createScene({ clock }, { blockMs: 200 });
  const { chain, announcer, adapter } = scene;
  announcer.announce(chain.announcementOf(addBlock(scene)));
  await scene.connecting;
  await adapter.readHead();
  for (let n = 0; n < 5; n += 1) addBlock(scene);
  skippedMs = 31_000;
  assert.equal((await adapter.readHead()).latest.position, 66);
  assert.deepEqual(adapter.status?.().limitations, []);
});

test('after the connection is lost blocks are polled for, and none is missed', async () => {
  const scene = await createScene();
  const { chain, announcer, adapter } = scene;
  const read: BlockEvents[] = [];
  let next = 61;
  const step = async () => {
    const { blocks, next: after } = await readNew(adapter, next);
    read.push(...blocks);
    next = after;
  };
  announcer.announce(chain.announcementOf(addBlock(scene)));
  await scene.connecting;
  await step();
  const waiting = adapter.waitForHead?.(NEVER_MS, signal);
  // Two more blocks come while nobody announces them.
  addBlock(scene);
  announcer.cut();
  await waiting;
  addBlock(scene);
  await adapter.waitForHead?.(1, signal);
  await step();
  assert.match(
    adapter.status?.().limitations.join() ?? '',
    /closed the connection; new blocks are/,
  );
  // It connects again by itself.
  const again = adapter.waitForHead?.(NEVER_MS, signal);
  await announcer.subscribed();
  announcer.announce(chain.announcementOf(addBlock(scene)));
  await again;
  await step();
  assert.equal(announcer.connections, 2);
  assert.deepEqual(adapter.status?.().limitations, []);
  const whole = await readHonestly(chain);
  assert.deepEqual(
    toEvents(read),
    whole.filter(({ number }) => number > 60),
  );
});

test('an announcement that came before the wait is not slept over', async () => {
  const scene = await createScene({ sleep: sleepForever });
  const { chain, announcer, adapter } = scene;
  announcer.announce(chain.announcementOf(addBlock(scene)));
  await scene.connecting;
  await readNew(adapter, 61);
  announcer.announce(chain.announcementOf(addBlock(scene)));
  while ((await adapter.readHead()).latest.position < 62) await sleep(5, signal);
  announcer.announce(chain.announcementOf(addBlock(scene)));
  // By then it has arrived; if not, it comes during the wait.
  await sleep(100, signal);
  await adapter.waitForHead?.(NEVER_MS, signal);
  assert.equal((await adapter.readHead()).latest.position, 63);
});

test('a node that stops announcing without closing is found out by the next poll', async () => {
  let skippedMs = 0;
  const clock = {
    nowMs: systemClock.nowMs,
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
  };
  const scene = await createScene({ clock });
  const { chain, announcer, adapter } = scene;
  announcer.announce(chain.announcementOf(addBlock(scene)));
  await scene.connecting;
  assert.equal((await adapter.readHead()).latest.position, 61);
  for (let n = 0; n < 5; n += 1) addBlock(scene);
  assert.equal((await adapter.readHead()).latest.position, 61, 'not asked yet');
  skippedMs = 31_000;
  assert.equal((await adapter.readHead()).latest.position, 66);
  assert.match(adapter.status?.().limitations.join() ?? '', /stopped announcing blocks/);
});

test('a node of another chain, or without newHeads, or that talks nonsense is not believed', async () => {
  const chain = recordChain();
  const announcers = [
    await startAnnouncer({ chainId: '0x1' }),
    await startAnnouncer({ chainId: '0x539', refuses: true }),
    await startAnnouncer(),
  ];
  for (const [index, announcer] of announcers.entries()) {
    const node = await startNode(chain);
    const adapter = createSceneAdapter([node], { ...REAL, sockets: [announcer.url] });
    await adapter.readHead();
    const waiting = adapter.waitForHead?.(NEVER_MS, signal);
    await announcer.subscribed();
    const lie = chain.announcementOf(60) as object;
    announcer.send('{"jsonrpc":');
    announcer.announce(index === 2 ? { ...lie, hash: 'none' } : { ...lie, number: '0xfff' });
    await waiting;
    assert.equal((await adapter.readHead()).latest.position, 60);
    const [text = ''] = adapter.status?.().limitations ?? [];
    assert.match(text, /serves another chain|does not offer newHeads|malformed block/);
    assert.ok(!text.includes('sEcReT'));
  }
});

test('a reorganisation is announced as another block at the same height', async () => {
  const scene = await createScene();
  const { chain, announcer, adapter } = scene;
  announcer.announce(chain.announcementOf(addBlock(scene)));
  await scene.connecting;
  const { latest } = await adapter.readHead();
  const waiting = adapter.waitForHead?.(NEVER_MS, signal);
  chain.drop(1);
  chain.add([], 'other');
  announcer.announce(chain.announcementOf(61));
  await waiting;
  const after = await adapter.readHead();
  assert.equal(after.latest.position, 61);
  assert.notEqual(after.latest.hash, latest.hash);
});
