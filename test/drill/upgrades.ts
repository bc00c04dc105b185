// Restarts one of two processes on a PostgreSQL after the other, under load, each time with the
// other version: this one, and a copy of it with one more migration, which only adds.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ClusterNode,
  createClusterScene,
  readMetric,
  untilThere,
} from '../cluster/cluster-scene.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { showTestAddress } from '../fakes/test-family.ts';
import { assertVerified } from '../indexed-service.ts';
import { type Cleanup, createTempFolder } from '../start-service-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['src', 'test', 'devnet', 'docs', 'package.json', 'tsconfig.json'];
const READER_COUNT = 4;

const MIGRATION = `// A table that the version before does not know.

import type { Migration } from './migration.ts';

export const DRILL_MIGRATION: Migration = {
  id: NEWEST,
  name: 'drill',
  isAdditive: true,
  toStatements: () => [
    'CREATE TABLE drill (n BIGINT PRIMARY KEY)',
    'CREATE INDEX drill_trades ON trades (chain, block)',
  ],
};
`;

/** Returns the folder of the next version. */
function createNextVersion(t: Cleanup): string {
  const folder = createTempFolder(t);
  for (const one of COPIED) cpSync(join(ROOT, one), join(folder, one), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const migrations = join(folder, 'src/store/migrations');
  const list = join(migrations, 'migrations.ts');
  const text = readFileSync(list, 'utf8');
  const newest = (text.match(/^ {2}\w+_MIGRATION,$/gm) ?? assert.fail()).length + 1;
  writeFileSync(join(migrations, 'drill.ts'), MIGRATION.replace('NEWEST', String(newest)));
  const changed = text
    .replace(/^import /m, "import { DRILL_MIGRATION } from './drill.ts';\nimport ")
    .replace(/^];$/m, '  DRILL_MIGRATION,\n];');
  assert.notEqual(changed, text);
  writeFileSync(list, changed);
  return folder;
}

/** Asks all nodes, one request after the other; a node that stops refuses connections. */
function startLoad(listNodes: () => readonly ClusterNode[]) {
  const counts = { answers: 0, refused: 0 };
  const failures: string[] = [];
  let isStopped = false;
  const about = FAKE_TOKENS.map((token) => `chain=devnet&mint=${showTestAddress(token)}`);
  const paths = about.flatMap((one) => [`token/klines?${one}&interval=1m`, `token/trades?${one}`]);
  const run = async (number: number) => {
    for (let turn = number; !isStopped; turn += 1) {
      const nodes = listNodes();
      const path = paths[turn % paths.length];
      try {
        const response = await fetch(`${nodes[turn % nodes.length]?.origin}/v1/${path}`);
        const text = await response.text();
        counts.answers += 1;
        if (response.status >= 500) failures.push(`${response.status} ${path} ${text}`);
      } catch {
        counts.refused += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const running = Promise.all(Array.from({ length: READER_COUNT }, (_, index) => run(index)));
  const stop = async () => {
    isStopped = true;
    await running;
  };
  return { counts, failures, stop };
}

export async function drillUpgrades(
  t: Cleanup,
  options: { readonly restarts: number; readonly log: (line: string) => void },
): Promise<string> {
  const { restarts, log } = options;
  const next = createNextVersion(t);
  const { chain, startNode } = await createClusterScene(t, { seed: 12, blocks: 60 });
  const nodes: ClusterNode[] = [await startNode(), await startNode()];
  const { env } = nodes[0] ?? assert.fail();
  for (const node of nodes) await untilThere(chain, node);
  const load = startLoad(() => nodes);
  t.after(() => load.stop());
  for (let restart = 1; restart <= restarts; restart += 1) {
    // Each process has each version in turn, and mostly the two differ.
    const place = restart % 2;
    const isNext = restart % 4 === 1 || restart % 4 === 2;
    const old = nodes[place] ?? assert.fail();
    await old.kill('SIGTERM');
    assert.equal(await old.exited, 0, old.output().slice(-3000));
    chain.extend(1);
    nodes[place] = await startNode({}, isNext ? next : undefined);
    chain.extend(2);
    for (const node of nodes) await untilThere(chain, node);
    log(`restart ${restart}: version ${isNext ? 'N+1' : 'N'} on the store of N+1`);
  }
  await load.stop();
  assert.deepEqual(load.failures, [], 'no answer was an error of the server');
  const reloads = await Promise.all(nodes.map((one) => readMetric(one, 'mintwire_feed_reloads')));
  await Promise.all(nodes.map((node) => node.kill('SIGTERM')));
  await assertVerified(env);
  return [
    `${restarts} restarts of versions N and N+1 in turn: ${load.counts.answers} answers under load, none ≥ 500`,
    `connections to a process that was stopping: ${load.counts.refused} refused; reloads: ${reloads.join(', ')}`,
  ].join('\n');
}
