// Pins when a reader may join: commits that do not concern its token must not keep it out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '../../../test/test-ids.ts';
import { NO_CLOSES } from '../../candles/derive-klines.ts';
import { findFamily } from '../../engines/chain-families.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Checkpoint, TradeRecord } from '../../model/market-record.ts';
import type { SeriesState } from './read-missed.ts';
import { toTip } from './stream-point.ts';
import { type StreamFilter, toSeriesKey } from './stream-set.ts';
import type { Joiner } from './token-channel.ts';
import { TokenChannel } from './token-channel.ts';

const MINUTE_MS = 60_000;

function buildCheckpoint(version: number, timestampMs = version * 1000): Checkpoint {
  return {
    ...{ startBlock: 0, block: version, blockHash: `0x${version}`, finalizedBlock: 0 },
    ...{ timestampMs, version },
  };
}

function createChannel(): TokenChannel {
  return new TokenChannel({
    name: {
      ...{ chain: 'devnet', token: address('0xa'), epoch: 'e1' },
      addresses: findFamily('devnet').addresses,
    },
    checkpoint: buildCheckpoint(1),
    clock: systemClock,
    pageEvents: 500,
    read: () => Promise.reject(new Error('no reader, no reads')),
    currentVersion: () => 1,
    onNews: () => undefined,
    onLost: () => undefined,
    onError: (error) => {
      throw error;
    },
    sleep: () => Promise.resolve(),
  });
}

const FILTER: StreamFilter = {
  ...{ kinds: new Set(['trade', 'kline']), interval: '1m', pool: null },
  ...{ currency: 'usd', outliers: 'exclude' },
};

/** A reader that has everything up to a version, with the klines of that time. */
function buildJoiner(version: number, open: SeriesState['open'] = []): Joiner {
  const series = new Map([[toSeriesKey(FILTER), { open, lastEndMs: null, before: NO_CLOSES }]]);
  const point = toTip(buildCheckpoint(version));
  return { filter: FILTER, point, page: { series, tokens: new Map() } };
}

const OPEN_KLINE = { interval: '1m', openTimeMs: 0 } as SeriesState['open'][number];
const sendQuiet = (channel: TokenChannel, checkpoint: Checkpoint) =>
  channel.onStep({ checkpoint, kind: 'append', trades: [] });

test('a reader joins though there were commits without a trade of its token', () => {
  const channel = createChannel();
  for (const version of [2, 3, 4]) sendQuiet(channel, buildCheckpoint(version));
  assert.equal(channel.check(buildJoiner(1, [OPEN_KLINE])), 'live');
  assert.equal(channel.check(buildJoiner(5)), 'wait');
});

test('a reader is behind after a trade, a rollback or a commit that was missed', () => {
  const trades = [{ token: address('0xa') } as TradeRecord];
  for (const step of [
    { checkpoint: buildCheckpoint(2), kind: 'append', trades },
    { checkpoint: buildCheckpoint(2), kind: 'rollback', trades: [] },
    { checkpoint: buildCheckpoint(2), kind: 'other', trades: [] },
    { checkpoint: buildCheckpoint(2, 1), kind: 'append', trades: [] },
    { checkpoint: buildCheckpoint(3), kind: 'append', trades: [] },
  ] as const) {
    const channel = createChannel();
    channel.onStep(step);
    sendQuiet(channel, buildCheckpoint(step.checkpoint.version + 1));
    assert.equal(channel.check(buildJoiner(1)), 'behind');
    assert.equal(channel.check(buildJoiner(step.checkpoint.version)), 'live');
  }
});

test('a reader is behind when a kline that it knows as open has ended', () => {
  const channel = createChannel();
  sendQuiet(channel, buildCheckpoint(2, MINUTE_MS - 1));
  assert.equal(channel.check(buildJoiner(1, [OPEN_KLINE])), 'live');
  sendQuiet(channel, buildCheckpoint(3, MINUTE_MS));
  assert.equal(channel.check(buildJoiner(1, [OPEN_KLINE])), 'behind');
  assert.equal(channel.check(buildJoiner(1)), 'live');
});

test('klines of a reader that did not join are forgotten', () => {
  const channel = createChannel();
  channel.prepare(buildJoiner(1));
  sendQuiet(channel, buildCheckpoint(2));
  assert.equal(channel.check({ ...buildJoiner(2), page: null }), 'behind');
});
