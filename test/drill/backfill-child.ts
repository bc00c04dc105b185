// A life of an index that begins late and fills in the history of one token, until it is killed or
// done. It writes where its jobs stand whenever that changes.

import { setImmediate } from 'node:timers/promises';
import { createSqliteStore } from '../../src/store/sqlite/create-sqlite-store.ts';
import { createLongChain, isEnded, type SceneOptions } from '../backfill-scene.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { startIndexer } from '../fakes/indexed-chain.ts';

export interface BackfillLife {
  readonly file: string;
  readonly chain: SceneOptions;
  readonly startBlock: number;
  /** Positions that one reading covers. */
  readonly span: number;
}

const {
  file,
  chain: options,
  startBlock,
  span,
} = JSON.parse(process.argv[2] ?? '') as BackfillLife;
const token = FAKE_TOKENS[0]!;
const chain = createLongChain(options);
const store = await createSqliteStore({ file });
const stored = await store.market.readCheckpoint('devnet');
// As far as an earlier life has seen it.
while (chain.head.position < (stored?.block ?? 0)) chain.extend(1);
const callsPerMinute = Number.POSITIVE_INFINITY;
const indexed = startIndexer(chain, store.market, {
  startBlock,
  adoption: { callsPerMinute },
  backfill: { callsPerMinute, tokensMax: 10 },
});
indexed.adapter.history.span = span;
indexed.indexer.request(token);
for (let turn = 1, told = ''; ; turn += 1) {
  const jobs = await store.market.readBackfills('devnet', [token]);
  if (jobs.length === 2 && jobs.every(isEnded)) break;
  const place = jobs.map(({ kind, status, nextBlock }) => `${kind} ${status} ${nextBlock}`).join();
  if (place !== told) process.stdout.write(`${place}\n`);
  told = place;
  // Some steps wait for blocks to become final.
  if (turn % 200 === 0) chain.extend(1);
  await setImmediate();
}
await indexed.settle();
await indexed.indexer.stop();
await store.close();
