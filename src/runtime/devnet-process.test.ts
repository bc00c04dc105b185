// The devnet as the service's child: what it says counts as its status only until it is ready.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogger } from '../telemetry/logger.ts';
import { DevnetParts } from './devnet-parts.ts';
import { DevnetProcess } from './devnet-process.ts';

test('a line of a running devnet is logged and does not change its status', async (t) => {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'mintwire-devnet-process-')));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const progress: string[] = [];
  const logged: string[] = [];
  let becameReady: () => void = () => undefined;
  let stopped: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (becameReady = resolve));
  const isStopped = new Promise<void>((resolve) => (stopped = resolve));
  const devnet = new DevnetProcess({
    chain: 'devnet',
    parts: new DevnetParts(null),
    dataDir,
    port: 0,
    traders: 'off',
    historyHours: 0,
    logger: createLogger({
      level: 'info',
      format: 'json',
      sink: { write: (line) => logged.push(line) },
    }),
    onProgress(text) {
      progress.push(text);
      if (text.includes('is restarted')) stopped();
    },
    onReady: () => becameReady(),
    onGiveUp: (_reason, message) => assert.fail(message),
  });
  t.after(() => devnet.stop());
  await ready;
  const before = progress.length;
  assert.ok(before > 0);
  const lease = join(dataDir, 'devnet', 'state.json.running');
  // It says that it saves its chain, and ends.
  process.kill(JSON.parse(readFileSync(lease, 'utf8')).ownerPid, 'SIGTERM');
  await isStopped;
  assert.match(logged.join(''), /saving the chain/);
  assert.deepEqual(progress.slice(before), ['the devnet stopped and is restarted, see the log']);
});
