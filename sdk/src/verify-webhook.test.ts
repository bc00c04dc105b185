// Deliveries that are signed as the standard says are accepted, whatever else is not.

import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { test } from 'node:test';
import { verifyWebhook, WebhookError } from './verify-webhook.ts';

const SECRET_BYTES = randomBytes(32);
const SECRET = `whsec_${SECRET_BYTES.toString('base64')}`;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const PUBLIC_KEY = `whpk_${publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')}`;
const NOW_MS = 1_760_000_000_000;
const BODY = JSON.stringify({
  ...{ type: 'events', timestamp: '2026-01-01T00:00:00.000Z', webhookId: 'wh_1', cursor: 'c' },
  data: { events: [{ id: 'a.1', type: 'alert', data: { alertId: 'al_1', value: '1.5€' } }] },
});

function deliver(body = BODY, ageSeconds = 0) {
  const timestamp = String(NOW_MS / 1000 - ageSeconds);
  const text = Buffer.from(`a.1.${timestamp}.${body}`);
  const signatures = [
    `v1,${createHmac('sha256', randomBytes(32)).update(text).digest('base64')}`,
    `v1,${createHmac('sha256', SECRET_BYTES).update(text).digest('base64')}`,
    `v1a,${sign(null, text, privateKey).toString('base64')}`,
    'v9,???',
  ];
  const headers = {
    ...{ 'Webhook-Id': 'a.1', 'webhook-timestamp': timestamp },
    'webhook-signature': signatures.join(' '),
  };
  return { body, headers };
}

test('a delivery is verified by the secret and by the public key, as text and as bytes', async () => {
  const { body, headers } = deliver();
  for (const key of [SECRET, PUBLIC_KEY, [`whsec_${randomBytes(32).toString('base64')}`, SECRET]]) {
    for (const request of [
      { body, headers },
      { body: new TextEncoder().encode(body), headers: new Headers(headers) },
    ]) {
      const { data } = await verifyWebhook(request, key, { nowMs: NOW_MS });
      const [event] = data.events;
      assert.ok(event?.type === 'alert');
      assert.equal(event.data.value, '1.5€');
    }
  }
});

test('what is changed, old, from the future or without a header is refused by its code', async () => {
  const { body, headers } = deliver();
  const { 'webhook-signature': _gone, ...unsigned } = headers;
  for (const [request, code] of [
    [{ body: `${body} `, headers }, 'WRONG_SIGNATURE'],
    [{ body, headers: { ...headers, 'Webhook-Id': 'a.2' } }, 'WRONG_SIGNATURE'],
    [{ body, headers: { ...headers, 'webhook-signature': 'v1,AAAA' } }, 'WRONG_SIGNATURE'],
    [{ body, headers: unsigned }, 'MISSING_HEADERS'],
    [deliver(BODY, 301), 'TOO_OLD'],
    [deliver(BODY, -301), 'TOO_NEW'],
  ] as const) {
    for (const key of [SECRET, PUBLIC_KEY]) {
      await assert.rejects(
        verifyWebhook(request, key, { nowMs: NOW_MS }),
        (error) => error instanceof WebhookError && error.code === code,
      );
    }
  }
  await verifyWebhook(deliver(BODY, 299), SECRET, { nowMs: NOW_MS });
});
