// The console's files over HTTP: paths, policies, caching, compression.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { buildLimits, startTestServer } from '../../test/start-http-server.ts';
import { readStaticFiles } from './static-files.ts';

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))});`;

async function startWithFiles(t: TestContext, options: { perMinute?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Tokens</title>');
  writeFileSync(join(folder, 'token.html'), '<!doctype html><title>Token</title>');
  writeFileSync(join(folder, 'assets/main-ABC.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/main-ABC.js.1.draft'), 'half');
  const files = readStaticFiles(folder);
  const { perMinute } = options;
  const ip = perMinute === undefined ? {} : { ip: { policy: 'ip', perMinute, burst: perMinute } };
  return startTestServer(t, {
    findFile: (path) => files.get(path) ?? null,
    limits: buildLimits(ip),
  });
}

test('pages are at their paths, and a wrong path is 404', async (t) => {
  const app = await startWithFiles(t);
  for (const [path, title] of [
    ['/', 'Tokens'],
    ['/token?chain=x&mint=y', 'Token'],
  ] as const) {
    const response = await app.get(path);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-cache');
    assert.match(await response.text(), new RegExp(`<title>${title}<`));
  }
  const wrong = ['/token/', '/index.html', '/assets/', '/assets/nope.js', '/..%2fpackage.json'];
  for (const path of [...wrong, '/assets/main-ABC.js.1.draft']) {
    assert.equal((await app.get(path)).status, 404, path);
  }
  assert.equal((await app.get('/', { method: 'POST' })).status, 405);
  const head = await app.get('/', { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
});

test('a wrong path in a browser is a page that says so, and a problem for a program', async (t) => {
  const app = await startWithFiles(t);
  const headers = { accept: 'text/html,*/*;q=0.8' };
  const page = await app.get('/nowhere', { headers });
  assert.equal(page.status, 404);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(page.headers.get('access-control-allow-origin'), null);
  assert.match(await page.text(), /<title>Tokens</);
  for (const [path, init] of [
    ['/nowhere', {}],
    ['/v1/nowhere', { headers }],
    ['/assets/nope.js', { headers }],
    ['/nowhere', { headers, method: 'POST' }],
  ] as const) {
    const response = await app.get(path, init);
    assert.equal(response.status, 404, path);
    assert.match(response.headers.get('content-type') ?? '', /json/, path);
  }
});

test('pages have a strict policy and belong to this origin; the API keeps its own', async (t) => {
  const app = await startWithFiles(t);
  for (const path of ['/', '/assets/main-ABC.js']) {
    const { headers } = await app.get(path, { headers: { origin: 'https://other.example' } });
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(headers.get('access-control-allow-origin'), null);
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin-allow-popups');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  }
  const api = await app.get('/v1/thing');
  assert.equal(api.headers.get('access-control-allow-origin'), '*');
  assert.equal(
    api.headers.get('content-security-policy'),
    "default-src 'none'; frame-ancestors 'none'",
  );
});

test('assets are kept for ever, pages are asked again and answered with 304', async (t) => {
  const app = await startWithFiles(t);
  const asset = await app.get('/assets/main-ABC.js');
  assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(asset.headers.get('content-type'), 'text/javascript; charset=utf-8');
  const etag = (await app.get('/')).headers.get('etag') ?? '';
  assert.match(etag, /^W\/"/);
  const again = await app.get('/', { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
});

test('files are compressed where the client asks for it', async (t) => {
  const app = await startWithFiles(t);
  for (const encoding of ['br', 'gzip']) {
    const response = await app.get('/assets/main-ABC.js', {
      headers: { 'accept-encoding': encoding },
    });
    assert.equal(response.headers.get('content-encoding'), encoding);
    assert.equal(response.headers.get('vary'), 'Accept-Encoding');
    assert.ok(Number(response.headers.get('content-length')) < SCRIPT.length / 10);
    assert.equal(await response.text(), SCRIPT);
  }
});

test('files are not metered, but the ceiling of an address holds', async (t) => {
  const app = await startWithFiles(t, { perMinute: 2 });
  const [first, second, third] = [await app.get('/'), await app.get('/'), await app.get('/')];
  assert.deepEqual([first.status, second.status, third.status], [200, 200, 429]);
  assert.equal(first.headers.get('ratelimit'), null);
});

test('without a console the start page leads to the reference', async (t) => {
  const app = await startTestServer(t, { findFile: () => null });
  assert.equal((await app.get('/')).headers.get('location'), '/v1/docs');
});
