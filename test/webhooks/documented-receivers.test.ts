// The receivers of docs/webhooks.md, as they stand there.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { createTradedScene, TOKEN } from '../stream/traded-scene.ts';
import { waitUntil } from '../wait-until.ts';
import { startReceiver, startWebhookNode } from './webhook-scene.ts';

function readReceiver(language: 'js' | 'python'): string {
  const page = readFileSync('docs/webhooks.md', 'utf8');
  const [, code] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  assert.ok(code, `docs/webhooks.md has no receiver in ${language}`);
  assert.ok(code.trim().split('\n').length <= 32, 'it is longer than the page says');
  return code;
}

test('the delivery on the page is signed as it says there', () => {
  const page = readFileSync('docs/webhooks.md', 'utf8');
  const shown =
    /POST \/hook HTTP\/1\.1\nwebhook-id: (.*)\nwebhook-timestamp: (.*)\nwebhook-signature: v1,(.*) v1a,(.*)\n\n(.*)\n```/;
  const [, id, timestamp, v1, v1a = '', body = ''] = shown.exec(page) ?? [];
  const [, secret = '', publicKey = ''] =
    /`whsec_([\w+/=]+)` and `whpk_([\w+/=]+)`/.exec(page) ?? [];
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  const key = Buffer.from(secret, 'base64');
  assert.equal(createHmac('sha256', key).update(signed).digest('base64'), v1);
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const jwk = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  assert.ok(verify(null, signed, jwk, Buffer.from(v1a, 'base64')));
  const { cursor, timestamp: at } = JSON.parse(body) as { cursor: string; timestamp: string };
  assert.deepEqual([cursor, Date.parse(at) / 1000], [id, Number(timestamp)]);
});

async function receive(t: TestContext, language: 'js' | 'python', program: string) {
  const scene = await createTradedScene(t);
  const node = startWebhookNode({ ...scene, clock: systemClock });
  t.after(() => node.stop());
  // The secret is known once the webhook is there, and so is the port only then.
  const before = await startReceiver(t);
  const tokens = [{ chain: 'devnet', mint: TOKEN }];
  const events = ['trade'];
  const { secret, webhookId } = await node.ask('createWebhook', {
    url: before.url,
    events,
    tokens,
  });
  await node.ask('updateWebhook', { id: webhookId, status: 'paused' });
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-receiver-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, language === 'js' ? 'receiver.mjs' : 'receiver.py');
  writeFileSync(file, readReceiver(language));
  const child = spawn(program, [file], {
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  await waitUntil(() => /listening \d+/.test(output));
  const [, port] = /listening (\d+)/.exec(output) ?? [];
  const url = `http://127.0.0.1:${port}/hook`;
  await node.ask('updateWebhook', { id: webhookId, url, status: 'active' });
  await scene.trade(2);
  await waitUntil(
    () => output.split('\n').filter((line) => line.startsWith('trade ')).length === 2,
  );
  const forged = await fetch(url, {
    ...{ method: 'POST', body: '{"data":{"events":[]}}' },
    headers: {
      'webhook-id': 'a',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    },
  });
  assert.equal(forged.status, 401);
}

test('the receiver in Node takes what is signed, and nothing else', async (t) => {
  await receive(t, 'js', process.execPath);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
const skip = hasPython ? false : 'NOT RUN: python3 is not installed';

test('the receiver in Python takes what is signed, and nothing else', { skip }, async (t) => {
  await receive(t, 'python', 'python3');
});
