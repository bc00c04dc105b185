// Starting, stopping and misconfiguring the service.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { findFreePort } from '../guarded-server.ts';
import { startSilentDatabase } from '../silent-database.ts';
import { createTempFolder, spawnService, startServiceProcess } from '../start-service-process.ts';

async function getJson(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

test('npm start serves and prints its address', async (t) => {
  const service = await startServiceProcess(t, { through: 'npm' });
  for (const path of ['docs', 'openapi.json', 'ready']) {
    assert.ok(service.output().includes(`${service.origin}/v1/${path}`), path);
  }
  assert.deepEqual(await getJson(`${service.origin}/v1/health`), { status: 'ok' });
  const ready = await fetch(`${service.origin}/v1/ready`);
  assert.equal(ready.status, 200);
  assert.match(await (await fetch(`${service.origin}/v1/docs`)).text(), /<h1>Mintwire API<\/h1>/);
  assert.match(await (await fetch(`${service.origin}/v1/llms.txt`)).text(), /^# Mintwire API/);
  assert.match(await (await fetch(service.metricsUrl)).text(), /mintwire_http_requests_total/);
  assert.equal((await fetch(`${service.origin}/metrics`)).status, 404);
});

test('request ids cannot be guessed from each other', async (t) => {
  const service = await startServiceProcess(t);
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    const { headers } = await fetch(`${service.origin}/v1/health`);
    ids.push(headers.get('x-request-id') ?? '');
  }
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-/);
  // Each part separately: a counter in one of them would leave the others unchanged.
  for (const [start, end] of [
    [0, 8],
    [24, 36],
  ] as const) {
    const parts = ids.map((id) => Number.parseInt(id.slice(start, end), 16));
    const isCounted = parts
      .slice(1)
      .every((part, index) => Math.abs(part - (parts[index] ?? 0)) < 1000);
    assert.equal(new Set(parts).size, ids.length);
    assert.ok(!isCounted, `they are counted: ${ids.slice(0, 3).join()}`);
  }
});

test('an invalid configuration stops the start and lists every problem', async (t) => {
  const service = spawnService(t, {
    through: 'npm',
    env: { PORT: 'abc', RPC_BASE: 'nonsense', LIMIT_IP_BURST: '0' },
  });
  assert.notEqual(await service.exited, 0);
  for (const name of ['PORT', 'RPC_BASE', 'LIMIT_IP_BURST']) {
    assert.match(service.output(), new RegExp(`- ${name} must|- ${name} entry`));
  }
  assert.doesNotMatch(service.output(), /\n\s+at .*\.ts/, 'no stack trace');
});

test('invalid token lists stop the start and list every problem', async (t) => {
  const folder = createTempFolder(t);
  const token = { chainId: 1, address: '0x12', decimals: 18, name: 'A', symbol: 'A' };
  const list = {
    ...{ name: 'Ours', timestamp: '2026-01-02T03:04:05Z' },
    ...{ version: { major: 1, minor: 0, patch: 0 }, tokens: [token] },
  };
  const broken = join(folder, 'broken.json');
  const missing = join(folder, 'missing.json');
  writeFileSync(broken, JSON.stringify(list));
  const service = spawnService(t, { env: { TOKEN_LISTS: `${broken},${missing}` } });
  assert.equal(await service.exited, 1);
  const output = service.output();
  assert.match(output, /broken\.json: tokens\.0\.address is not an address of ethereum/);
  assert.match(output, /missing\.json: the file cannot be read \(ENOENT\)/);
});

test('the error for a port in use names the setting to change', async (t) => {
  const first = await startServiceProcess(t);
  const { port } = new URL(first.origin);
  const second = spawnService(t, { env: { PORT: port } });
  assert.equal(await second.exited, 1);
  assert.match(second.output(), new RegExp(`Port ${port} is in use.*set PORT`));
});

const SIGNALS: readonly {
  readonly name: string;
  send(pid: number): void;
}[] = [
  { name: 'SIGTERM to npm alone', send: (pid) => process.kill(pid, 'SIGTERM') },
  { name: 'SIGINT to npm alone', send: (pid) => process.kill(pid, 'SIGINT') },
  { name: 'SIGTERM to the group', send: (pid) => process.kill(-pid, 'SIGTERM') },
  { name: 'SIGINT to the group, as Ctrl-C does', send: (pid) => process.kill(-pid, 'SIGINT') },
];

for (const { name, send } of SIGNALS) {
  test(`${name} ends the service with exit code 0`, async (t) => {
    const service = await startServiceProcess(t, { through: 'npm' });
    send(service.child.pid ?? 0);
    assert.equal(await service.exited, 0, service.output());
    assert.match(service.output(), /stopped/);
    await assert.rejects(fetch(`${service.origin}/v1/health`));
  });
}

test('requests in progress when the signal comes are still answered', async (t) => {
  const service = await startServiceProcess(t);
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  // The request has begun, so the connection is not idle.
  socket.write('GET /v1/entitlements HTTP/1.1\r\nhost: x\r\n');
  await new Promise((resolve) => setTimeout(resolve, 100));
  service.child.kill('SIGTERM');
  while (!service.output().includes('stopping')) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  socket.write('\r\n');
  await closed;
  assert.match(answer, /^HTTP\/1.1 200/);
  assert.match(answer, /connection: close/i);
  assert.equal(await service.exited, 0);
});

test('a connection that never finishes is cut when the grace time is over', async (t) => {
  const service = await startServiceProcess(t, { env: { SHUTDOWN_GRACE_SECONDS: '0' } });
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => {});
  socket.write('GET /v1/entitlements HTTP/1.1\r\nhost: x\r\n');
  await new Promise((resolve) => setTimeout(resolve, 100));
  service.child.kill('SIGTERM');
  await closed;
  assert.equal(await service.exited, 0);
});

test('secrets sent in any part of a request are not in the log', async (t) => {
  const service = await startServiceProcess(t, { env: { LOG_LEVEL: 'trace' } });
  const hex = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
  const secrets = ['mw_live_4fzzzxjyl9FvbkoLXQ2pqz', 'mw_sess_zT81jdkLw9', hex, 'hunter2hunter2'];
  for (const secret of secrets) {
    const headers = { authorization: `Bearer ${secret}`, cookie: `mw_session=${secret}` };
    await fetch(`${service.origin}/v1/entitlements?key=${secret}`, { headers });
    await fetch(`${service.origin}/v1/entitlements`, { headers });
    await fetch(`${service.origin}/v1/${secret}`, { method: 'POST', body: secret });
    await fetch(`${service.origin}/v1/chains?${secret}=1`, { headers: { 'x-api-key': secret } });
  }
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0);
  assert.equal(service.output().match(/"msg":"request"/g)?.length, secrets.length * 4);
  for (const secret of secrets) assert.ok(!service.output().includes(secret), secret);
});

test('the port answers before the service is loaded and its store is open', async (t) => {
  const database = await startSilentDatabase(t);
  const port = await findFreePort();
  const keyPepper = { KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}` };
  const env = { PORT: String(port), DATABASE_URL: database.url, ...keyPepper };
  const { child, output, exited } = spawnService(t, { env });
  const untilSo = async (isSo: () => boolean | Promise<boolean>) => {
    while (!(await isSo())) {
      assert.equal(child.exitCode, null, output());
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}/v1/${path}`);
  const isHealthy = () =>
    ask('health').then(
      ({ status }) => status === 200,
      () => false,
    );
  await untilSo(isHealthy);
  const ready = await ask('ready');
  assert.equal(ready.status, 503);
  const { detail } = (await ready.json()) as { readonly detail: string };
  assert.equal(detail, 'The server is starting.');
  await untilSo(() => database.sockets.size > 0);
  assert.ok(await isHealthy());
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
});
