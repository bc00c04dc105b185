// `doctor` as an operator runs it, before a first start.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { endScene, startNode } from '../fakes/chain-scene.ts';
import { MemoryChain } from '../fakes/memory-chain.ts';
import { createTempFolder } from '../start-service-process.ts';

afterEach(endScene);

async function runDoctor(env: Readonly<Record<string, string>>) {
  const free = { PATH: process.env['PATH'] ?? '', PORT: '0', METRICS_PORT: '0' };
  const child = spawn(process.execPath, ['src/cli/main.ts', 'doctor'], {
    env: { ...free, ...env },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, lines: text.trim().split('\n') };
}

test('what is well is said, with the head and age of an endpoint; nothing is made', async (t) => {
  const chain = new MemoryChain({ chainId: 8453, blockTimestamps: true });
  while (chain.head < 20) chain.add([]);
  const { url } = await startNode((method, params) => chain.answer(method, params));
  const dataDir = join(createTempFolder(t), 'data');
  const { code, lines } = await runDoctor({ DATA_DIR: dataDir, RPC_BASE: `${url}/sEcReT` });
  assert.equal(code, 0, lines.join('\n'));
  assert.match(
    lines.join('\n'),
    /base: 127\.0\.0\.1:\d+ answers in \d+ ms, at block 20, [\d.]+ s old/,
  );
  assert.match(lines.join('\n'), /SQLite, made at the first start/);
  assert.ok(!lines.join('\n').includes('sEcReT'));
  assert.ok(!existsSync(dataDir));
});

test('what would fail is named with what to do, and the exit code is 1', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const chain = new MemoryChain({ chainId: 1, blockTimestamps: true });
  const wrong = await startNode((method, params) => chain.answer(method, params));
  const { code, lines } = await runDoctor({
    DATA_DIR: createTempFolder(t),
    PORT: String(port),
    RPC_BASE: wrong.url,
    RPC_NOWHERE: 'https://node.example',
  });
  assert.equal(code, 1);
  const faults = lines.filter((line) => line.startsWith('  fault'));
  assert.match(faults[0] ?? '', new RegExp(`PORT: port ${port} is in use`));
  assert.match(faults[1] ?? '', /base: 127\.0\.0\.1:\d+: .*chain/);
  assert.equal(faults.length, 2, lines.join('\n'));
  assert.match(lines.join('\n'), /note +RPC_NOWHERE is no setting/);
});

test('settings that cannot be read are listed', async () => {
  const { code, lines } = await runDoctor({ PORT: 'x', RPC_BASE: 'ftp://node.example' });
  assert.equal(code, 1);
  assert.match(lines.join('\n'), /fault .*PORT must be/);
  assert.match(lines.join('\n'), /fault .*RPC_BASE/);
});
