// Pins when a reader of news may go live: only where it has everything that the channel has sent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAKE_MARKET_CHAIN } from '../../../test/market-scene.ts';
import type { StreamFrame } from '../../contract/stream-answer.ts';
import type { FeedBatch } from '../../live/feed.ts';
import { Outbox } from '../../live/outbox.ts';
import type { Checkpoint } from '../../model/market-record.ts';
import type { StateChange } from '../state/chain-states.ts';
import { NewsChannel } from './news-channel.ts';
import { toNewsTip } from './news-point.ts';
import type { NewsPage } from './read-news.ts';

function buildCheckpoint(version: number): Checkpoint {
  const at = { block: version, blockHash: '0x', timestampMs: version * 1000, finalizedBlock: 0 };
  return { startBlock: 0, version, ...at };
}

function createScene() {
  let version = 5;
  let onRead = () => undefined as unknown;
  const channel = new NewsChannel({
    name: { chain: 'devnet', addresses: FAKE_MARKET_CHAIN.addresses, epoch: 'e' },
    checkpoint: buildCheckpoint(version),
    pageEvents: 10,
    read: async ({ point }): Promise<NewsPage> => {
      await onRead();
      const checkpoint = buildCheckpoint(version);
      const end = { point: toNewsTip(checkpoint), isLast: true, readCount: 0 };
      return { checkpoint, from: point, removed: [], items: [], ...end };
    },
    currentVersion: () => version,
    findStatus: () => ({ head: version, finalized: 0, lagMs: 0 }),
    sleep: async () => undefined,
    onError: (error) => assert.fail(String(error)),
    onLost: () => assert.fail('lost'),
  });
  const written: string[] = [];
  const outlet = {
    ...{ waitingBytes: 0, takenBytes: 0, stalledMs: 0, end: () => undefined, cut: () => undefined },
    write: (frame: StreamFrame) => written.push(frame.bytes.toString()) > 0,
  };
  const outbox = new Outbox({ outlet, waitingBytesMax: 1000, nowMs: () => 0 });
  return {
    channel,
    written,
    /** A commit; `listed` says whether it may have news. */
    commit: (listed: readonly string[]) => {
      version += 1;
      const batch = { isRollback: false } as FeedBatch;
      const change = { checkpoint: buildCheckpoint(version), batch, listed, tokens: [] };
      channel.onChange({ chain: 'devnet', ...change } as unknown as StateChange);
    },
    join: (at: number, isFresh = true) => {
      const point = toNewsTip(buildCheckpoint(at));
      const filter = { kinds: new Set(['pool', 'chain'] as const), owner: null };
      return channel.join({ outbox, filter, point, isFresh });
    },
    holdReads: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      onRead = () => promise;
      return resolve;
    },
  };
}

test('a reader goes live where nothing new came since, and reads on otherwise', () => {
  const { commit, join } = createScene();
  assert.equal(join(6), 'wait', 'the store is ahead of the feed');
  commit([]);
  commit([]);
  assert.equal(join(5), 'live', 'two commits without news');
  commit([]);
  assert.equal(join(4), 'behind', 'what came before the channel is not known');
});

test('a reader that has not read the last commit with news reads on', () => {
  const { commit, join } = createScene();
  commit(['0x01']);
  commit([]);
  assert.equal(join(5), 'behind');
  assert.equal(join(6), 'live');
});

test('nobody joins while the channel reads', async () => {
  const { commit, join, holdReads, channel } = createScene();
  assert.equal(join(5), 'live');
  const release = holdReads();
  commit(['0x01']);
  assert.equal(join(6), 'wait');
  assert.equal(channel.buildBeat(), null);
  const moved = channel.untilMoved();
  release();
  await moved;
  assert.equal(join(5), 'behind');
  assert.equal(join(6), 'live');
});

test('a reader that resumes gets the state of the chain, one with a snapshot has it', () => {
  const { join, written } = createScene();
  assert.equal(join(5), 'live');
  assert.deepEqual(written, []);
  assert.equal(join(5, false), 'live');
  assert.match(written.join(), /event: chain\ndata: \{"chain":"devnet","head":5,/);
});
