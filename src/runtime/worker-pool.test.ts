// Processes that the system cannot create, with workers that only say that they serve.

import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTempFolder } from '../../test/start-service-process.ts';
import { systemClock } from '../lib/clock.ts';
import { createLogger } from '../telemetry/logger.ts';
import { WorkerHub, WorkerPool } from './worker-pool.ts';

const WORKER = `
process.on('message', ({ type }) => {
  if (type === 'stop') process.disconnect();
  else if (type === 'begin') process.send({ type: 'serving', url: '', engine: 'sqlite' });
});
process.send({ type: 'ready' });
`;

test('a worker that cannot be created is tried again, and is none to wait for', async (t) => {
  const folder = createTempFolder(t);
  const exec = join(folder, 'worker.mjs');
  writeFileSync(exec, WORKER);
  const hub = new WorkerHub({ identitiesMax: 1, clock: systemClock });
  const failures: string[] = [];
  const sink = { write: (line: string) => void failures.push(line) };
  const open = () => {
    const pool = new WorkerPool({
      ...{ count: 1, hub, clock: systemClock, stopMaxMs: 60_000 },
      logger: createLogger({ level: 'error', format: 'json', sink }),
      ...{ onReady: () => undefined, onMessage: () => undefined, onEnd: () => undefined },
    });
    t.after(() => pool.stop());
    return pool;
  };
  // A process cannot be created in a folder that does not exist: an error without an exit.
  const missing = join(folder, 'missing');
  cluster.setupPrimary({ exec, execArgv: [], cwd: missing });
  const failed = open();
  await assert.rejects(failed.serving);
  await failed.stop();

  cluster.setupPrimary({ cwd: folder });
  const pool = open();
  await pool.serving;
  cluster.setupPrimary({ cwd: missing });
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
  while (!failures.some((line) => line.includes('ENOENT'))) await sleep(5);
  cluster.setupPrimary({ cwd: folder });
  while (pool.servingCount < 1) await sleep(5);
  await pool.stop();
});
