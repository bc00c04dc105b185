// The devnet's own token list, as a newcomer sees it: verified tokens with logos from this server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findToken } from '../../devnet/deployment.ts';
import { drawLogo } from '../../devnet/draw-logo.ts';
import { writeTokenList } from '../../devnet/write-token-list.ts';
import { createAccessClient } from '../access-client.ts';
import { untilAtHead } from '../indexed-service.ts';
import { createIndexingScene } from '../indexing-scene.ts';
import type { Json } from '../market-scene.ts';
import { startServiceProcess } from '../start-service-process.ts';
import { until } from '../trade-service.ts';

test('listed tokens of the devnet are verified and have logos on our own origin', async (t) => {
  const { chain, env } = await createIndexingScene(t, { engine: 'sqlite' });
  await writeTokenList(env['DATA_DIR'] ?? '', chain.deployment);
  const service = await startServiceProcess(t, { env });
  await untilAtHead(service, chain);
  const client = createAccessClient(service.origin);
  const mintOf = (key: string) => findToken(chain.deployment, key).address;
  const read = async (key: string): Promise<Json> =>
    (await client.send('GET', `/token?chain=devnet&mint=${mintOf(key)}`)).body;
  await until('the list is read', async () => (await read('wire')).verified.length > 0);

  const wire = await read('wire');
  assert.deepEqual(wire.verified, ['Devnet']);
  assert.deepEqual(wire.links, { website: 'https://wire.example/', x: null, telegram: null });
  assert.ok(wire.logoUrl.startsWith(`${service.origin}/v1/token/logo?chain=devnet&mint=0x`));
  const answer = await fetch(wire.logoUrl);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'image/png');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=3600');
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), drawLogo('wire'));
  const etag = answer.headers.get('etag') ?? '';
  const again = await fetch(wire.logoUrl, { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);

  const twin = await read('twin-b');
  assert.deepEqual([twin.verified, twin.links, twin.logoUrl], [[], null, null]);
  const path = `/token/logo?chain=devnet&mint=${mintOf('twin-b')}`;
  const none = await client.send('GET', path);
  assert.deepEqual([none.status, none.body.code], [404, 'LOGO_NOT_FOUND']);
  const { body } = await client.send('GET', '/tokens/search?q=TWIN&chain=devnet');
  const [first] = (body as Json).tokens;
  assert.equal(first.mint.toLowerCase(), mintOf('twin-a'), 'the listed one comes first');
  for (const [query, code] of [
    ['chain=devnet&mint=0x12', 'INVALID_ADDRESS'],
    ['chain=nowhere&mint=0x12', 'UNKNOWN_CHAIN'],
    [`chain=devnet&mint=${mintOf('wire')}&url=https://evil.example/`, 'INVALID_INPUT'],
  ]) {
    assert.equal((await client.send('GET', `/token/logo?${query}`)).body.code, code);
  }
});
