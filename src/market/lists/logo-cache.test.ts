// Images on disk stay within their bound and survive a restart.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { LogoImage } from './fetch-logo.ts';
import { LogoCache } from './token-logos.ts';

const DRAFT_END = '0123456789abcdef';

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-logos-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function image(size: number): LogoImage {
  const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(size - 8)]);
  return { type: 'image/png', bytes };
}

test('an image is found again, also after a restart', async (t) => {
  const folder = createFolder(t);
  const cache = new LogoCache({ folder, bytesMax: 1000 });
  assert.equal(await cache.read('https://a.example/x'), null);
  await cache.keep('https://a.example/x', image(300));
  assert.deepEqual(await cache.read('https://a.example/x'), image(300));
  const again = new LogoCache({ folder, bytesMax: 1000 });
  assert.deepEqual(await again.read('https://a.example/x'), image(300));
  assert.equal(again.bytes, 300);
});

test('what was used longest ago is deleted first, and the bound holds', async (t) => {
  const folder = createFolder(t);
  const cache = new LogoCache({ folder, bytesMax: 1000 });
  for (const name of ['a', 'b', 'c']) await cache.keep(name, image(300));
  assert.notEqual(await cache.read('a'), null);
  await cache.keep('d', image(300));
  assert.equal(await cache.read('b'), null);
  assert.notEqual(await cache.read('a'), null);
  assert.equal(readdirSync(folder).length, 3);
  await cache.keep('huge', image(2000));
  assert.equal(await cache.read('huge'), null);
  assert.ok(cache.bytes <= 1000);
  assert.ok(readdirSync(folder).length <= 3);
});

test('a smaller bound, a damaged file and a draft are dealt with at start', async (t) => {
  const folder = createFolder(t);
  const cache = new LogoCache({ folder, bytesMax: 1000 });
  for (const name of ['a', 'b', 'c']) await cache.keep(name, image(300));
  const [name = ''] = readdirSync(folder);
  const draft = join(folder, `${name}.${DRAFT_END}`);
  writeFileSync(draft, 'x');
  utimesSync(draft, 0, 0);
  writeFileSync(join(folder, 'notes.txt'), 'not ours');
  const smaller = new LogoCache({ folder, bytesMax: 350 });
  const names = readdirSync(folder).filter((one) => one !== 'notes.txt');
  assert.equal(names.length, 1);
  writeFileSync(join(folder, names[0] ?? ''), 'no image');
  for (const url of ['a', 'b', 'c']) assert.equal(await smaller.read(url), null);
  assert.deepEqual(readdirSync(folder), ['notes.txt']);
});

test('the folder may be in use by another process', (t) => {
  const folder = createFolder(t);
  const draft = join(folder, `${'a'.repeat(64)}.${DRAFT_END}`);
  writeFileSync(draft, 'x');
  // Like a file that is deleted after the folder was listed.
  symlinkSync(join(folder, 'gone'), join(folder, 'b'.repeat(64)));
  const cache = new LogoCache({ folder, bytesMax: 1000 });
  assert.ok(existsSync(draft));
  assert.equal(cache.bytes, 0);
});

test('an image that cannot be kept leaves no draft', async (t) => {
  const folder = createFolder(t);
  const cache = new LogoCache({ folder, bytesMax: 1000 });
  await cache.keep('a', image(300));
  const [name = ''] = readdirSync(folder);
  rmSync(join(folder, name));
  mkdirSync(join(folder, name));
  await assert.rejects(cache.keep('a', image(300)));
  assert.deepEqual(readdirSync(folder), [name]);
});
