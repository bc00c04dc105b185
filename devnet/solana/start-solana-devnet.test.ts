// The chain of a folder: one process at a time, and the same chain after a restart.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startSolanaDevnet } from './start-solana-devnet.ts';

test('a second start waits for the first to stop, and continues its chain', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'mintwire-solana-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const lines: string[] = [];
  const start = () =>
    startSolanaDevnet({
      ...{ dataDir, port: 0, traders: 'on', seed: 'start', historyHours: 0 },
      log: (line) => lines.push(line),
    });
  const first = await start();
  t.after(() => first.stop());
  let isSecondUp = false;
  const starting = start().then((second) => {
    isSecondUp = true;
    return second;
  });
  t.after(async () => (await starting).stop());
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(isSecondUp, false);
  await first.stop();
  const second = await starting;
  assert.equal(second.deployment.instance, first.deployment.instance);
  assert.deepEqual(second.deployment.pools, first.deployment.pools);
  assert.equal(lines.filter((line) => line === 'making tokens and pools').length, 1);
});
