// Search segments that a thread builds from a store, and the files that are kept of them.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeChain } from '../../test/fakes/fake-chain.ts';
import { startIndexer } from '../../test/fakes/indexed-chain.ts';
import { createTempFolder } from '../../test/start-service-process.ts';
import { loadConfig } from '../config.ts';
import { buildSegment } from '../market/search/segment.ts';
import { readSegmentFile, writeSegmentFile } from '../market/search/segment-file.ts';
import { buildSegmentElsewhere } from './build-segment.ts';
import { findSegmentFolder, placeKeptFile } from './kept-segments.ts';
import { openStore } from './open-store.ts';
import type { WorkerLink } from './worker-link.ts';

const FACTS = { entries: new Map(), volumes: new Map(), hasVolumes: false, nowMs: 0 };

/** A store with the tokens of a few blocks. */
async function createStore(t: TestContext) {
  const { store: config } = loadConfig({ DATA_DIR: createTempFolder(t) });
  const store = await openStore(config);
  const chain = new FakeChain({ seed: 3, finalityDepth: 5 });
  chain.extend(10);
  const indexed = startIndexer(chain, store.market);
  await indexed.settle();
  await indexed.indexer.stop();
  await store.close();
  return config;
}

test('a built segment is kept, and one of another index or chain is not taken for it', async (t) => {
  const config = await createStore(t);
  const input = { store: config, chain: 'devnet', facts: FACTS } as const;
  const built = await buildSegmentElsewhere(input, null);
  const kept = await placeKeptFile(config, 'devnet');
  const opened = (await readSegmentFile(kept)) ?? assert.fail();
  assert.deepEqual(opened.segment, built);

  const file = join(createTempFolder(t), 'shared');
  const foreign = `${file}-foreign`;
  /** As if another process wrote its own to the same file after the build. */
  const share = (mustBuild: boolean) =>
    buildSegmentElsewhere(input, {
      ask: async () => ({ file, mustBuild }),
      tell: () => existsSync(foreign) && writeFileSync(file, readFileSync(foreign)),
    } as unknown as WorkerLink);
  assert.deepEqual(await share(true), built);
  assert.deepEqual(await share(false), built);
  const { origin } = opened;
  for (const other of [{ epoch: 'another' }, { version: origin.version - 1 }]) {
    const segment = buildSegment([]);
    await writeSegmentFile(foreign, { origin: { ...origin, ...other }, segment });
    await assert.rejects(share(true), /was replaced/, JSON.stringify(other));
  }
  await writeSegmentFile(file, { origin: { ...origin, chain: 'base' }, segment: built });
  await assert.rejects(share(false), /was replaced/);
});

test('drafts that a killed process left are removed, those of today are not', async (t) => {
  const { store: config } = loadConfig({ DATA_DIR: createTempFolder(t) });
  const folder = findSegmentFolder(config);
  mkdirSync(folder, { recursive: true });
  const names = ['devnet.kept', 'devnet.kept.left', 'devnet.kept.now', 'devnet-solana.kept.left'];
  for (const name of names) {
    const path = join(folder, name);
    writeFileSync(path, '');
    const seconds = Date.now() / 1000 - (name.endsWith('.now') ? 0 : 7200);
    utimesSync(path, seconds, seconds);
  }
  await placeKeptFile(config, 'devnet');
  const left = names.filter((name) => name !== 'devnet.kept.left');
  assert.deepEqual(readdirSync(folder).sort(), left.sort());
});
