// Search segments that a thread builds from a store, and the files that are kept of them.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeChain } from '../../test/fakes/fake-chain.ts';
import { startIndexer } from '../../test/fakes/indexed-chain.ts';
import { createTempFolder } from '../../test/start-service-process.ts';
import { loadConfig } from '../config.ts';
import { openStore } from '../engines/open-store.ts';
import { readSegmentFile } from '../market/search/segment-file.ts';
import { buildSegmentElsewhere } from './build-segment.ts';
import { findSegmentFolder, placeKeptFile } from './kept-segments.ts';

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

test('a built segment is kept, as what it was built from', async (t) => {
  const config = await createStore(t);
  const input = { store: config, chain: 'devnet', facts: FACTS } as const;
  const built = await buildSegmentElsewhere(input);
  const opened = (await readSegmentFile(await placeKeptFile(config, 'devnet'))) ?? assert.fail();
  assert.deepEqual(opened.segment, built);
  assert.equal(opened.origin.chain, 'devnet');
  assert.ok(opened.origin.version > 0);
});

test('without a folder that can be written a segment is built all the same', async (t) => {
  const config = await createStore(t);
  writeFileSync(findSegmentFolder(config), 'a file in its place');
  const built = await buildSegmentElsewhere({ store: config, chain: 'devnet', facts: FACTS });
  rmSync(findSegmentFolder(config));
  const again = await buildSegmentElsewhere({ store: config, chain: 'devnet', facts: FACTS });
  assert.deepEqual(built, again);
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
