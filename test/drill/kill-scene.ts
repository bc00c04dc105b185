// What drills that kill processes share: settings on both engines, waiting, and the signal.

import { realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../indexing-scene.ts';
import { createTestDatabase } from '../postgres.ts';
import { type Cleanup, createTempFolder, type RunningService } from '../start-service-process.ts';

/** A generous limit: a stuck service must fail the drill, not hang it. */
const READY_MAX_MS = 300_000;

export async function untilServiceReady(service: RunningService): Promise<void> {
  const deadline = Date.now() + READY_MAX_MS;
  for (;;) {
    const ready = await fetch(`${service.origin}/v1/ready`);
    if (ready.status === 200) return;
    if (Date.now() > deadline) {
      const why = await ready.text();
      throw new Error(`the service is not ready: ${why}\n${service.output().slice(-4000)}`);
    }
    await sleep(100);
  }
}

/** A process that has ended already is left alone. */
export function killProcess(pid: number | undefined): void {
  try {
    if (pid !== undefined && pid > 0) process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The settings of a service with its own folder, and its own database on PostgreSQL. */
export async function createKillEnv(
  t: Cleanup,
  engine: Engine,
  more: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const folder = realpathSync(createTempFolder(t));
  const env = { ...more, DATA_DIR: folder };
  if (engine === 'sqlite') return env;
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const KEY_PEPPER = `1:${Buffer.alloc(32, 7).toString('base64')}`;
  return { ...env, DATABASE_URL: database.url, KEY_PEPPER };
}
