// Pins that invalid rows of a store become errors, never wrong answers.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildCheckpoint, buildTrade, toAddress } from '../../test/conformance/store-samples.ts';
import { buildFakeAddress } from '../../test/fakes/fake-market.ts';
import type { MarketScene, ReadId, ReadInput } from '../../test/market-scene.ts';
import { createAsk, createMarketScene, createTestMarket } from '../../test/market-scene.ts';
import { PLANTED, plantUndeclared, plantWrongTypes } from '../../test/plant-faults.ts';
import { after, before } from '../../test/root-hooks.ts';
import { openTestStream, startTestStreams } from '../../test/stream-scene.ts';
import { address } from '../../test/test-ids.ts';
import { AnswerMismatchError } from '../contract/create-serializer.ts';
import { getKlines } from '../contract/operations/get-klines.ts';
import { getToken } from '../contract/operations/get-token.ts';
import { getTrades } from '../contract/operations/get-trades.ts';
import { listPools } from '../contract/operations/list-pools.ts';
import { getTokenStream } from '../contract/operations/stream-token.ts';
import { findFamily } from '../engines/chain-families.ts';
import { systemClock } from '../lib/clock.ts';
import { Outbox } from '../live/outbox.ts';
import type { Store } from '../store/store.ts';
import { encodeEvent } from './stream/encode-events.ts';
import { toTip } from './stream/stream-point.ts';
import { TokenChannel } from './stream/token-channel.ts';

type Rows = Readonly<Record<string, unknown>>;
/** The fields to replace in the rows of a read, by the name of the read. */
type Planted = Readonly<Record<string, Rows>>;

let scene: MarketScene;
let mint = '';
const cleanups: (() => unknown)[] = [];

function isRow(value: unknown): value is Rows {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function plantInto(found: unknown, fields: Rows): unknown {
  if (Array.isArray(found)) return found.map((row) => plantInto(row, fields));
  if (!isRow(found)) return found;
  if ('trades' in found && Array.isArray(found['trades'])) {
    return { ...found, trades: plantInto(found['trades'], fields) };
  }
  return { ...found, ...fields };
}

/** The same store, with faults in the results of some reads; `planted` may change later. */
function withFaults(store: Store, planted: (read: string) => Planted): Store {
  const market = new Proxy(store.market, {
    get: (target, name) => {
      const read = Reflect.get(target, name);
      if (typeof read !== 'function') return read;
      return (...args: unknown[]) => {
        const found = read.apply(target, args);
        const fields = planted(String(name))[String(name)];
        return fields === undefined
          ? found
          : Promise.resolve(found).then((value: unknown) => plantInto(value, fields));
      };
    },
  });
  return { ...store, market };
}

before(async () => {
  const t = { after: (work: () => unknown) => cleanups.unshift(work) } as never;
  const options = { seed: 5, finalityDepth: 20, blocks: 120, eventCountMax: 10 } as const;
  scene = await createMarketScene(t, { engine: 'sqlite', ...options });
  for await (const page of scene.store.market.scanListings('devnet')) {
    for (const { token } of page) {
      const { json } = await scene.ask('getTrades', { chain: 'devnet', mint: token, limit: 1 });
      if (json.trades.length > 0) mint = token;
    }
  }
});

after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

interface Case {
  readonly what: string;
  readonly id: ReadId;
  readonly input?: ReadInput;
  readonly planted: Planted;
}

const CASES: readonly Case[] = [
  { what: 'a token', id: 'getToken', planted: { readTokens: { symbol: 5 } } },
  {
    what: 'klines',
    id: 'getKlines',
    input: { interval: '1h' },
    planted: { readCandlePage: { trades: 'many' } },
  },
  { what: 'trades', id: 'getTrades', planted: { readTradePage: { venue: 7 } } },
  { what: 'holders', id: 'getHolders', planted: { readTokens: { holders: '3' } } },
  { what: 'what a search finds', id: 'searchTokens', planted: { readTokens: { name: {} } } },
  { what: 'a pool', id: 'getPool', planted: { readPools: { venue: 7 } } },
  { what: 'a list of pools', id: 'listPools', planted: { readPools: { venue: 7 } } },
  { what: 'coverage', id: 'getTrades', planted: { readCheckpoint: { startAtMs: 'then' } } },
  { what: 'asOf', id: 'getTrades', planted: { readCheckpoint: { blockHash: 5 } } },
];

function buildInput(id: ReadId, input: ReadInput): ReadInput {
  if (id === 'searchTokens') return { q: mint };
  if (id === 'getPool') return { chain: 'devnet', pool: buildFakeAddress('dddd', 0) };
  return { chain: 'devnet', mint, ...input };
}

describe('reads', () => {
  for (const { what, id, input = {}, planted } of CASES) {
    test(`${what} of the wrong type is an error each time it is asked for`, async () => {
      let faults: Planted = {};
      const market = createTestMarket({ store: withFaults(scene.store, () => faults) });
      cleanups.unshift(() => market.stop());
      await market.start();
      while (!market.search.isLoaded('devnet')) await sleep(5);
      const asked = buildInput(id, input);
      faults = planted;
      for (let time = 0; time < 2; time += 1) {
        await assert.rejects(createAsk(market)(id, asked), AnswerMismatchError);
      }
      faults = {};
      await assert.doesNotReject(createAsk(market)(id, asked));
    });
  }
});

const trade = getTrades.example.answer as { readonly trades: readonly object[] };
const klines = getKlines.example.answer as { readonly klines: readonly object[] };
const { coverage, pools, status, totalSupplyRaw, windows, asOf, lookalikeOf, ...token } = getToken
  .example.answer as unknown as Record<string, unknown>;
const kline = klines.klines[0];

const { pools: listed } = listPools.example.answer as { readonly pools: readonly object[] };
const named = { chain: 'devnet', mint: '0x1' };
const when = { block: 7, timestamp: 1_700_000_000_000 };
const launch = { ...named, pool: '0x2', venue: 'pump-curve', ...when };

const alert = {
  ...{ alertId: 'al_1', webhookId: 'wh_1', chain: 'devnet', mint: '0x1' },
  when: { trade: { valueUsdAbove: '1000', side: 'buy' } },
  ...{ value: '1200', bound: '1000' },
  trade: { id: 'devnet:0x1:0', txHash: '0x1', side: 'buy', wallet: '0x3', valueUsd: '1200' },
  pool: '0x2',
  ...when,
};

/** One of each event. */
const EVENTS: Readonly<Record<string, unknown>> = {
  snapshot: { ...named, token, interval: '1m', kline, trades: trade.trades, asOf },
  trade: { ...named, ...trade.trades[0] },
  kline: { ...named, interval: '1m', kline },
  price: {
    ...named,
    ...(getTokenStream.example.answer as { readonly price: object }).price,
  },
  holders: { ...named, total: 3, top10Pct: 12.5 },
  coverage: { ...named, ...(coverage as object) },
  pool: { ...listed[0], mint: '0x1', ...when },
  token: { ...token, ...when },
  launch,
  graduation: launch,
  chain: { chain: 'devnet', head: 9, finalized: 3, lagMs: 12 },
  alert,
  'alert.reverted': alert,
  revert: {
    ...named,
    fromBlock: 1,
    toBlock: 2,
    tradeIds: ['devnet:0x1:0'],
    klines: [{ interval: '1m', openTime: 0 }],
  },
  paused: named,
  reset: { reason: 'expired' },
};

describe('stream events', () => {
  test('every declared event has a case', () => {
    assert.deepEqual(Object.keys(EVENTS), Object.keys(getTokenStream.output.properties));
  });

  for (const [name, data] of Object.entries(EVENTS)) {
    const encode = (value: unknown) => encodeEvent(name as never, value as never);

    test(`${name} sends declared fields of declared types only`, () => {
      assert.equal(encode(data), `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
      for (const { path, value } of plantUndeclared(data)) {
        assert.ok(!encode(value).includes(PLANTED), path);
      }
      for (const { path, value } of plantWrongTypes(data)) {
        assert.throws(() => encode(value), AnswerMismatchError, path);
      }
    });
  }
});

describe('streams', () => {
  async function startFaulty(planted: (read: string) => Planted) {
    const errors: unknown[] = [];
    const store = withFaults(scene.store, planted);
    const market = createTestMarket({ store, feed: scene.feed });
    await market.start();
    const streams = startTestStreams(market, { onError: (error) => errors.push(error) });
    cleanups.unshift(async () => {
      streams.stop();
      await market.stop();
    });
    return { streams, errors };
  }

  test('a snapshot that does not fit is an error, and no stream begins', async () => {
    const { streams } = await startFaulty(() => ({ readTokens: { symbol: 5 } }));
    await assert.rejects(openTestStream(streams, { chain: 'devnet', mint }), AnswerMismatchError);
  });

  test('a stream ends where its next event does not fit, and nothing of it is sent', async () => {
    let faults: Planted = {};
    // Only replay pages read trades in this way: the snapshot is valid.
    const { streams, errors } = await startFaulty((read) => {
      if (read === 'readTradesAfter') faults = { readTokens: { symbol: 5 } };
      return faults;
    });
    const stream = await openTestStream(streams, { chain: 'devnet', mint, events: 'trade' });
    for (let count = 0; count < 100 && stream.state.ended === null; count += 1) {
      scene.chain.extend(1);
      await scene.settle();
      await sleep(10);
    }
    assert.equal(stream.state.ended, 'end');
    assert.deepEqual(
      stream.events.map(({ event }) => event),
      ['snapshot'],
    );
    assert.ok(errors.length > 0);
    for (const error of errors) assert.ok(error instanceof AnswerMismatchError);
  });

  test('a commit that cannot be encoded closes the channel instead of being skipped', () => {
    const errors: unknown[] = [];
    let isLost = false;
    const { addresses } = findFamily('devnet');
    const name = { chain: 'devnet', token: toAddress(1), addresses, epoch: 'e' } as const;
    const trade = buildTrade({ block: 2, token: address(name.token), venue: 7 as never });
    const channel = new TokenChannel({
      name,
      checkpoint: buildCheckpoint(1),
      clock: systemClock,
      pageEvents: 10,
      read: async () => 'unknown',
      currentVersion: () => 1,
      onNews: () => undefined,
      onLost: () => {
        isLost = true;
      },
      onError: (error) => errors.push(error),
      sleep,
    });
    const known = { symbol: 'A', decimals: 18 };
    const tokens = new Map([trade.token, trade.quoteToken].map((token) => [token, known]));
    const written: unknown[] = [];
    const outlet = {
      ...{ write: (frame: unknown) => written.push(frame) > 0, waitingBytes: 0, takenBytes: 0 },
      stalledMs: 0,
      ...{ end: () => undefined, cut: () => undefined },
    };
    const outbox = new Outbox({ outlet, waitingBytesMax: 1e6, nowMs: () => 0, onCut: () => {} });
    const kinds = new Set(['trade'] as const);
    const view = { interval: '1m', pool: null, currency: 'usd', outliers: 'exclude' } as const;
    const filter = { kinds, ...view };
    const page = { series: new Map(), tokens };
    const joined = channel.join({ outbox, filter, point: toTip(buildCheckpoint(1)), page });
    assert.equal(joined, 'live');
    channel.onStep({ checkpoint: buildCheckpoint(2), kind: 'append', trades: [trade] });
    channel.flush();
    assert.ok(isLost);
    assert.ok(errors[0] instanceof AnswerMismatchError);
    assert.deepEqual(written, []);
  });
});
