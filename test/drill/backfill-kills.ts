// `npm run drill -- --backfill`: the history of a token of 100,000 blocks with 5,000 trades, filled
// in by an index that is killed again and again, equals that of an index of the whole chain.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyChain } from '../../src/ingest/verify/verify-chain.ts';
import type { TradeRecord } from '../../src/model/market-record.ts';
import { createSqliteStore } from '../../src/store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { createLongChain } from '../backfill-scene.ts';
import { FakeAdapter, type FakeChain } from '../fakes/fake-chain.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { startIndexer } from '../fakes/indexed-chain.ts';
import { type Cleanup, createTempFolder } from '../start-service-process.ts';
import type { BackfillLife } from './backfill-child.ts';
import { runChild } from './run-child.ts';

export interface BackfillDrill {
  readonly kills: number;
  readonly random: () => number;
  readonly log: (line: string) => void;
}

/** More than 100,000 positions, and 5,000 trades of the token, before the index began. */
const CHAIN = { seed: 11, blocks: 2_800, spacing: 42 } as const;
const OLDER_PCT = 90;
const SPAN = 200;
const CHILD = new URL('./backfill-child.ts', import.meta.url);
/** A life is killed some time after its start; the chain alone takes it a second or two. */
const LIFE_MS = { min: 500, max: 8_000 } as const;
const LAST_LIFE_MAX_MS = 600_000;

async function readTrades(store: MarketStore): Promise<TradeRecord[]> {
  const trades: TradeRecord[] = [];
  for await (const rows of store.scanTrades('devnet')) {
    trades.push(...rows.filter(({ token }) => token === FAKE_TOKENS[0]));
  }
  return trades.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
}

/** Of an index of the whole chain. */
async function readAllTrades(chain: FakeChain): Promise<TradeRecord[]> {
  const store = await createSqliteStore({ file: ':memory:' });
  const indexed = startIndexer(chain, store.market);
  try {
    await indexed.settle();
    return await readTrades(store.market);
  } finally {
    await indexed.indexer.stop();
    await store.close();
  }
}

async function verify(store: MarketStore, chain: FakeChain, startBlock: number): Promise<string> {
  const adapter = new FakeAdapter(chain);
  adapter.startBlock = startBlock;
  const { differences, checked } = await verifyChain({
    ...{ adapter, store, attemptCountMax: 3 },
    openScratchStore: () => createSqliteStore({ file: ':memory:' }),
    sizes: { blockCountMax: 5_000, eventCountMax: 20_000 },
    signal: new AbortController().signal,
  });
  assert.deepEqual(differences.slice(0, 10), []);
  return Object.entries(checked)
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ');
}

export async function drillBackfill(t: Cleanup, drill: BackfillDrill): Promise<string> {
  const { kills, random, log } = drill;
  const chain = createLongChain(CHAIN);
  const below = Math.floor((CHAIN.blocks * (100 - OLDER_PCT)) / 100);
  const { position: startBlock } = chain.headerBelow(below);
  const file = join(createTempFolder(t), 'index.sqlite');
  const life: BackfillLife = { file, chain: CHAIN, startBlock, span: SPAN };
  let [lives, killed] = [0, 0];
  while (killed < kills) {
    const child = runChild(t, CHILD, life);
    const ms = LIFE_MS.min + random() * (LIFE_MS.max - LIFE_MS.min);
    const ended = await Promise.race([child.result.then(() => true), sleep(ms, false)]);
    lives += 1;
    if (ended) break;
    child.kill();
    await child.result;
    killed += 1;
    log(`killed ${killed} of ${kills} after ${Math.round(ms)} ms`);
  }
  const last = runChild(t, CHILD, life);
  const late = sleep(LAST_LIFE_MAX_MS, 'late' as const);
  assert.notEqual(await Promise.race([last.result, late]), 'late', 'the last life does not end');
  const opened = await createSqliteStore({ file });
  t.after(() => opened.close());
  const store = opened.market;
  const stored = await store.readCheckpoint('devnet');
  while (chain.head.position < (stored?.block ?? 0)) chain.extend(1);
  const verified = await verify(store, chain, startBlock);
  const [own, full] = [await readTrades(store), await readAllTrades(chain)];
  const older = full.filter(({ block }) => block < startBlock);
  assert.ok(older.length >= 5_000, `only ${older.length} trades`);
  assert.deepEqual(
    own.filter(({ block }) => block < startBlock),
    older,
  );
  return [
    `${older.length} trades in ${startBlock} blocks, filled in by ${lives + 1} processes, ${killed} of them killed`,
    `equal to an index of the whole chain; verify: ${verified}`,
  ].join('\n');
}
