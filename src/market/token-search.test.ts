// What search knows of a token: its row, token lists, the volume of the last day, and its age.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMarketScene } from '../../test/market-scene.ts';
import { address } from '../../test/test-ids.ts';
import type { ListingRecord } from '../store/market-reads.ts';
import type { ChangedTokens } from './changed-since.ts';
import type { RollingStats } from './rolling-stats/rolling-stats.ts';
import { computeProminence } from './search/prominence.ts';
import { parseSearchQuery } from './search/search-query.ts';
import { buildSegment } from './search/segment.ts';
import type { SegmentOrigin } from './search/segment-file.ts';
import { computeListsMark, type ListingFacts, TokenSearch, toListing } from './token-search.ts';

const DAY_MS = 86_400_000;
const TOKEN = address('0xaa');
const RECORD = {
  ...{ token: TOKEN, symbol: null, name: 'Own name', firstSeenAtMs: 0 },
  ...{ liquidityUsdE18: 50_000n * 10n ** 18n, pairedUsdE18: null },
};
const NOTHING: ListingFacts = {
  ...{ entries: new Map(), volumes: new Map(), hasVolumes: true, nowMs: 10 * DAY_MS },
};

test('a token has the points of its lists, liquidity, volume and age', () => {
  const standing = { liquidityUsd: 50_000, volumeUsd: 0, ageMs: 10 * DAY_MS };
  const bare = toListing(RECORD, NOTHING);
  assert.equal(bare.prominence, computeProminence({ ...standing, isVerified: false }));
  const traded = toListing(RECORD, { ...NOTHING, volumes: new Map([[TOKEN, 9000]]) });
  assert.equal(
    traded.prominence,
    computeProminence({ ...standing, volumeUsd: 9000, isVerified: false }),
  );
  assert.ok(traded.prominence > bare.prominence);
  const entry = { symbol: 'LST', name: 'Listed', lists: ['A'], links: null, logo: null };
  const listed = toListing(RECORD, { ...NOTHING, entries: new Map([[TOKEN, entry]]) });
  assert.equal(listed.prominence, computeProminence({ ...standing, isVerified: true }));
  assert.deepEqual([listed.symbol, listed.name, listed.isVerified], ['LST', 'Own name', true]);
});

test('a token that is traded has its volume in search after the commit', async (t) => {
  const scene = await createMarketScene(t, {
    ...{ engine: 'sqlite', seed: 3, finalityDepth: 20, blocks: 120 },
  });
  const query = parseSearchQuery('t');
  assert.ok(query !== null);
  const { search, parts } = scene.market;
  const find = () => search.find(['devnet'], query, { limit: 100, isHidden: () => false });
  /** What the rows and the rolling stats say by now. */
  async function readExpected() {
    const tokens = find().map(({ token }) => token);
    const stats = parts.stats.find('devnet')?.value.tokens;
    const volumes = new Map(
      Array.from(stats?.volumes(3) ?? [], ([token, e18]) => [token, Number(e18) / 1e18] as const),
    );
    const nowMs = parts.states.current('devnet')!.timestampMs;
    const records = await parts.store.readListings('devnet', tokens);
    const facts = { entries: new Map(), volumes, hasVolumes: true, nowMs };
    return new Map(records.map((record) => [record.token, toListing(record, facts).prominence]));
  }
  scene.chain.extend(3);
  await scene.settle();
  for (let look = 0; ; look += 1) {
    const expected = await readExpected();
    const found = find();
    // Tokens without a change since they were read have the age of that moment.
    const isClose = (token: (typeof found)[number]) =>
      Math.abs(token.prominence - (expected.get(token.token) ?? 0)) < 0.02;
    const stats = parts.stats.find('devnet')?.value.tokens;
    const hasVolume = [...(stats?.volumes(3) ?? [])].some(([, e18]) => e18 > 10_000n * 10n ** 18n);
    if (hasVolume && found.length > 3 && found.every(isClose)) return;
    assert.ok(look < 300, JSON.stringify(found.slice(0, 3)));
    await sleep(20);
  }
});

test('a failed load and failed reads of changed tokens are tried again', async (t) => {
  const scene = await createMarketScene(t, {
    ...{ engine: 'sqlite', seed: 3, finalityDepth: 20, blocks: 60 },
  });
  const { parts } = scene.market;
  const down = { scan: true, read: false };
  const errors: unknown[] = [];
  const isRead = new Set<string>();
  const search = new TokenSearch({
    ...{ states: parts.states, lists: parts.lists, stats: parts.stats },
    listChains: () => ['devnet'],
    buildSegment: () => assert.fail('there are few tokens'),
    onError: (error) => void errors.push(error),
    reader: {
      scanListings: (chain) => {
        if (down.scan) throw new Error('down');
        return parts.store.scanListings(chain);
      },
      readListings: async (chain, tokens) => {
        if (down.read) throw new Error('down');
        for (const token of tokens) isRead.add(token);
        return await parts.store.readListings(chain, tokens);
      },
    },
  });
  async function until(isTrue: () => boolean): Promise<void> {
    for (let look = 0; !isTrue(); look += 1) {
      assert.ok(look < 1000, `${errors}`);
      await sleep(20);
    }
  }
  await search.start();
  t.after(() => search.stop());
  await until(() => errors.length > 0);
  assert.equal(search.isLoaded('devnet'), false);
  down.scan = false;
  await until(() => search.isLoaded('devnet'));
  const listed = new Set<string>();
  parts.states.subscribe((change) => {
    for (const token of change.listed === 'all' ? [] : change.listed) listed.add(token);
  });
  down.read = true;
  const before = errors.length;
  scene.chain.extend(3);
  await scene.settle();
  await until(() => errors.length > before);
  assert.ok(listed.size > 0);
  down.read = false;
  await until(() => [...listed].every((token) => isRead.has(token)));
});

async function until(isTrue: () => boolean): Promise<void> {
  for (let look = 0; !isTrue(); look += 1) {
    assert.ok(look < 1000);
    await sleep(10);
  }
}

/** Searches that begin with a segment of an earlier process, in which the first token is not. */
async function createKeptScene(t: TestContext) {
  const scene = await createMarketScene(t, {
    ...{ engine: 'sqlite', seed: 3, finalityDepth: 20, blocks: 60 },
  });
  const { parts } = scene.market;
  const records: ListingRecord[] = [];
  for await (const page of parts.store.scanListings('devnet')) records.push(...page);
  const [outdated, ...others] = records.map((record) => toListing(record, NOTHING));
  assert.ok(outdated !== undefined && others.length > 1);
  const { epoch } = (await parts.store.readEpoch('devnet')) ?? assert.fail();
  const { version, finalizedBlock } = parts.states.current('devnet') ?? assert.fail();
  const origin: SegmentOrigin = {
    ...{ chain: 'devnet', epoch, version, finalizedBlock, hasVolumes: true },
    listsMark: computeListsMark(new Map()),
  };
  const counts = { opened: 0, scans: 0 };
  const open = (of: {
    readonly ageMs?: number;
    readonly changed: ChangedTokens;
    readonly stats?: Pick<RollingStats, 'find'>;
  }) => {
    const { ageMs = 0, changed, stats = parts.stats } = of;
    const search = new TokenSearch({
      ...{ states: parts.states, lists: parts.lists, stats },
      reader: {
        readListings: (...read) => parts.store.readListings(...read),
        scanListings: (chain) => {
          counts.scans += 1;
          return parts.store.scanListings(chain);
        },
      },
      listChains: () => ['devnet'],
      buildSegment: () => assert.fail('there are few tokens'),
      onError: (error) => assert.fail(String(error)),
      kept: {
        open: async () => {
          counts.opened += 1;
          return { origin, segment: buildSegment(others), ageMs };
        },
        listChanged: async (since, { isPartEnough }) => {
          assert.deepEqual(since, origin);
          return changed.isWhole || isPartEnough ? changed : null;
        },
      },
    });
    t.after(() => search.stop());
    return search;
  };
  return { parts, records, outdated, counts, open };
}

test('a segment from an earlier process answers at once, with what has changed since', async (t) => {
  const { records, outdated, counts, open } = await createKeptScene(t);
  const tokens = new Set([outdated.token]);
  const fresh = open({ changed: { tokens, isWhole: true }, ageMs: DAY_MS / 2 });
  await fresh.start();
  assert.equal(fresh.isLoaded('devnet'), true);
  assert.equal(fresh.countTokens('devnet'), records.length);
  assert.deepEqual(counts, { opened: 1, scans: 0 });
  // Before the store is closed: it is due to be read again.
  await fresh.stop();
});

test('a segment that misses some changes answers for minutes only', async (t) => {
  const { records, outdated, counts, open } = await createKeptScene(t);
  const changed = { tokens: new Set([outdated.token]), isWhole: false };
  // Of minutes ago: it answers with the new tokens, and everything is read again.
  const recent = open({ changed, ageMs: 5 * 60_000 });
  await recent.start();
  assert.deepEqual([recent.isLoaded('devnet'), counts.scans], [true, 0]);
  assert.equal(recent.countTokens('devnet'), records.length);
  await until(() => counts.scans > 0);
  assert.equal(counts.opened, 1, 'not again');
  await recent.stop();
  counts.scans = 0;
  const old = open({ changed: { ...changed, tokens: new Set() }, ageMs: 11 * 60_000 });
  await old.start();
  await until(() => old.isLoaded('devnet'));
  assert.equal(counts.opened, 2);
  assert.ok(counts.scans > 0);
  assert.equal(old.countTokens('devnet'), records.length);
  await old.stop();
});

test('tokens that are read before the volumes are known get them afterwards', async (t) => {
  const { parts, records, open } = await createKeptScene(t);
  await until(() => parts.stats.find('devnet') !== null);
  const volumes = parts.stats.find('devnet')?.value.tokens.volumes(3) ?? assert.fail();
  const [traded] = [...volumes].find(([, e18]) => e18 > 10_000n * 10n ** 18n) ?? assert.fail();
  let areStatsLoaded = false;
  const search = open({
    changed: { tokens: new Set(records.map(({ token }) => token)), isWhole: true },
    stats: { find: (chain) => (areStatsLoaded ? parts.stats.find(chain) : null) },
  });
  await search.start();
  const { symbol } = records.find(({ token }) => token === traded) ?? assert.fail();
  const query = parseSearchQuery(symbol ?? '') ?? assert.fail();
  const readPoints = () => {
    const found = search.find(['devnet'], query, { limit: 100, isHidden: () => false });
    return found.find(({ token }) => token === traded)?.prominence ?? 0;
  };
  const before = readPoints();
  areStatsLoaded = true;
  await until(() => readPoints() > before + 0.1);
});
