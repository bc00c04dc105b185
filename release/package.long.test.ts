// The package, as somebody gets it who has only the archive: installed with scripts blocked, and
// started in an empty folder.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createTempFolder, startServiceProcess } from '../test/start-service-process.ts';
import { untilReady } from '../test/store-faults.ts';

const ARCHIVE_MAX_BYTES = 6_000_000;
const BUILD = join(import.meta.dirname, 'build-package.ts');

describe('the package', () => {
  let archive: string;
  let root: string;
  let command: string;

  const undo: (() => unknown)[] = [];
  after(() => {
    for (const work of undo) work();
  });
  before(() => {
    const t = { after: (work: () => unknown) => void undo.push(work) };
    const folder = createTempFolder(t);
    execFileSync(process.execPath, ['--no-warnings', BUILD, folder], { stdio: 'ignore' });
    const [name = '', ...others] = readdirSync(folder);
    assert.deepEqual(others, []);
    archive = join(folder, name);
    const place = createTempFolder(t);
    const install = ['install', '--prefix', place, '--ignore-scripts', '--no-audit', archive];
    execFileSync('npm', install, { cwd: place, stdio: 'ignore' });
    root = join(place, 'node_modules/mintwire');
    command = join(place, 'node_modules/.bin/mintwire');
  });

  test('is small, and has neither tests nor TypeScript nor scripts', () => {
    assert.ok(statSync(archive).size < ARCHIVE_MAX_BYTES);
    const files = readdirSync(root, { recursive: true }).map(String);
    assert.deepEqual(
      files.filter((name) => /\.ts$|\.test\.|^test\b/.test(name)),
      [],
    );
    assert.ok(files.includes('console/dist/index.html'));
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.equal(manifest.scripts, undefined);
    assert.equal(manifest.devDependencies, undefined);
  });

  test('has exact versions of all that it needs, and no addresses', () => {
    for (const name of ['npm-shrinkwrap.json', 'devnet/parts/package-lock.json']) {
      const { packages } = JSON.parse(readFileSync(join(root, name), 'utf8'));
      const { '': own, ...others } = packages;
      for (const one of Object.keys(own.dependencies))
        assert.ok(others[`node_modules/${one}`], one);
      for (const [path, one] of Object.entries<Record<string, unknown>>(others)) {
        assert.ok(one['version'], path);
        assert.ok(one['integrity'], path);
        assert.equal(one['resolved'], undefined, path);
      }
    }
  });

  test('starts from an empty folder with the embedded chains', async (t) => {
    const cache = createTempFolder(t);
    const env = { DEVNET: 'on', DEVNET_SOLANA: 'on', DEVNET_HISTORY_HOURS: '1' };
    const start = () =>
      startServiceProcess(t, {
        command: [command, 'serve'],
        root: createTempFolder(t),
        env: { ...env, DEVNET_CACHE_DIR: cache },
      });
    const service = await start();
    await untilReady(service, 200);
    const read = async (path: string) => (await fetch(`${service.origin}${path}`)).text();
    assert.match(await read('/v1/tokens/search?q=wire'), /"symbol":"WIRE"/);
    assert.match(await read('/'), /<title>Tokens · Mintwire/);
    assert.match(await read('/v1/docs'), /Quickstart/);
    const fetched = readdirSync(cache);
    assert.equal(fetched.length, 1, fetched.join(' '));
    // The second time nothing is fetched.
    const before = statSync(join(cache, fetched[0] ?? '')).ctimeMs;
    service.child.kill('SIGTERM');
    await service.exited;
    const second = await start();
    await untilReady(second, 200);
    assert.equal(statSync(join(cache, fetched[0] ?? '')).ctimeMs, before);
    assert.ok(existsSync(join(cache, fetched[0] ?? '', 'node_modules/litesvm')));
  });

  test('says what is wrong if the packages of the embedded chains cannot be fetched', async (t) => {
    const service = await startServiceProcess(t, {
      command: [process.execPath, command, 'serve'],
      root: createTempFolder(t),
      env: { DEVNET: 'on', DEVNET_CACHE_DIR: createTempFolder(t), PATH: createTempFolder(t) },
    });
    while (!service.output().includes('npm'))
      await new Promise((resolve) => setTimeout(resolve, 50));
    await untilReady(service, 503);
  });

  test('an older Node is told what is needed', () => {
    const old = "Object.defineProperty(process.versions, 'node', { value: '22.1.0' })";
    const preload = `data:text/javascript,${encodeURIComponent(old)}`;
    const { status, stderr } = spawnSync(process.execPath, ['--import', preload, command], {
      encoding: 'utf8',
    });
    assert.deepEqual(
      [status, stderr],
      [1, 'Mintwire needs Node 24 or newer; this is Node 22.1.0.\n'],
    );
  });
});
