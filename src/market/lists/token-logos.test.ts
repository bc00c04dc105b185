// Each logo is fetched once; failures are remembered, and fetches are bounded.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import { LOGO_BYTES_MAX, type LogoImage } from './fetch-logo.ts';
import { FetchRefusedError } from './open-url.ts';
import { LogoCache, TokenLogos } from './token-logos.ts';

const BYTES = Buffer.from('89504e470d0a1a0a00', 'hex');
const IMAGE: LogoImage = { type: 'image/png', bytes: BYTES };
const PLACE = { kind: 'url', url: 'https://a.example/x.png' } as const;

function createScene(
  t: TestContext,
  fetchLogo: (url: string) => Promise<LogoImage>,
  ipfsGateway: string | null = null,
) {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-logos-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new ManualClock();
  const fetched: string[] = [];
  const failures: unknown[] = [];
  const cache = new LogoCache({ folder, bytesMax: 10_000 });
  const logos = new TokenLogos({
    ...{ cache, ipfsGateway, clock, onFailure: (error) => void failures.push(error) },
    fetchLogo: (url) => {
      fetched.push(url);
      return fetchLogo(url);
    },
  });
  return { folder, clock, fetched, failures, logos };
}

test('a logo is fetched once, whoever asks and however often', async (t) => {
  const { logos, fetched } = createScene(t, async () => IMAGE);
  const found = await Promise.all([logos.find(PLACE), logos.find(PLACE)]);
  for (const one of [...found, await logos.find(PLACE)]) {
    assert.deepEqual(one, { kind: 'image', image: IMAGE });
  }
  assert.deepEqual(fetched, [PLACE.url]);
});

test('a place without an image is asked once a day', async (t) => {
  const { logos, fetched, clock } = createScene(t, async () => {
    throw new FetchRefusedError('no image');
  });
  for (let n = 0; n < 3; n += 1) assert.deepEqual(await logos.find(PLACE), { kind: 'none' });
  assert.equal(fetched.length, 1);
  clock.advance(24 * 3_600_000 + 1);
  await logos.find(PLACE);
  assert.equal(fetched.length, 2);
});

test('a place that fails is asked again after a minute, which the answer says', async (t) => {
  let isUp = false;
  const { logos, fetched, clock } = createScene(t, async () => {
    if (isUp) return IMAGE;
    throw new Error('ECONNRESET');
  });
  assert.deepEqual(await logos.find(PLACE), { kind: 'failed', retryAfterMs: 60_000 });
  clock.advance(20_000);
  assert.deepEqual(await logos.find(PLACE), { kind: 'failed', retryAfterMs: 40_000 });
  assert.equal(fetched.length, 1);
  isUp = true;
  clock.advance(40_000);
  assert.equal((await logos.find(PLACE)).kind, 'image');
});

test('few are fetched at once, and few may wait', async (t) => {
  const gate = Promise.withResolvers<void>();
  let atOnce = 0;
  let most = 0;
  const { logos, fetched } = createScene(t, async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await gate.promise;
    atOnce -= 1;
    return IMAGE;
  });
  const asked = Array.from({ length: 100 }, (_, n) =>
    logos.find({ kind: 'url', url: `https://a.example/${n}` }),
  );
  gate.resolve();
  const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
  assert.equal(most, 4);
  assert.equal(kinds.filter((kind) => kind === 'image').length, 68);
  assert.equal(kinds.filter((kind) => kind === 'failed').length, 32);
  assert.equal(fetched.length, 68);
});

test('a logo that cannot be kept is served, and the failure is reported', async (t) => {
  const { logos, folder, failures } = createScene(t, async () => IMAGE);
  rmSync(folder, { recursive: true });
  assert.deepEqual(await logos.find(PLACE), { kind: 'image', image: IMAGE });
  assert.equal(failures.length, 1);
});

test('few files are read at once, and few may wait', async (t) => {
  const { logos, folder } = createScene(t, () => assert.fail('nothing is fetched'));
  const paths = Array.from({ length: 100 }, (_, n) => join(folder, `${n}.png`));
  for (const path of paths) writeFileSync(path, BYTES);
  const found = await Promise.all(paths.map((path) => logos.find({ kind: 'file', path })));
  assert.equal(found.filter(({ kind }) => kind === 'image').length, 68);
  assert.equal(found.filter(({ kind }) => kind === 'failed').length, 32);
});

test('IPFS needs a gateway', async (t) => {
  const place = { kind: 'ipfs', path: 'Qm1/x.png' } as const;
  const without = createScene(t, async () => IMAGE);
  assert.equal(without.logos.canServe(place), false);
  assert.deepEqual(await without.logos.find(place), { kind: 'none' });
  const { logos, fetched } = createScene(t, async () => IMAGE, 'https://gate.example');
  assert.equal(logos.canServe(place), true);
  assert.equal((await logos.find(place)).kind, 'image');
  assert.deepEqual(fetched, ['https://gate.example/ipfs/Qm1/x.png']);
});

test('a file beside a list is served if it is a small image', async (t) => {
  const { logos, folder } = createScene(t, () => assert.fail('nothing is fetched'));
  const place = (name: string) => ({ kind: 'file', path: join(folder, name) }) as const;
  writeFileSync(join(folder, 'x.png'), BYTES);
  writeFileSync(join(folder, 'page.png'), '<html>');
  writeFileSync(join(folder, 'huge.png'), Buffer.concat([BYTES, Buffer.alloc(LOGO_BYTES_MAX)]));
  assert.deepEqual(await logos.find(place('x.png')), { kind: 'image', image: IMAGE });
  writeFileSync(join(folder, 'empty.png'), '');
  for (const name of ['page.png', 'huge.png', 'missing.png', 'empty.png']) {
    assert.deepEqual(await logos.find(place(name)), { kind: 'none' }, name);
  }
});

test('nothing is fetched where the operator wants no logos', async () => {
  const logos = new TokenLogos({
    ...{ cache: null, ipfsGateway: null, clock: new ManualClock(), onFailure: () => undefined },
    fetchLogo: () => assert.fail('nothing is fetched'),
  });
  assert.equal(logos.canServe(PLACE), false);
  assert.deepEqual(await logos.find(PLACE), { kind: 'none' });
});
