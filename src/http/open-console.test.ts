// A console that is missing or old is built by a process of its own while the server answers.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createLogger } from '../telemetry/logger.ts';
import { openConsole } from './open-console.ts';

/** A build that takes the place of the real one, which `console/build.test.ts` runs. */
const BUILD = `import { mkdirSync, writeFileSync } from 'node:fs';
const dist = new URL('./dist/', import.meta.url);
mkdirSync(dist, { recursive: true });
writeFileSync(new URL('index.html', dist), 'built');
`;

function openFolder(t: TestContext, files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'mintwire-open-console-'));
  const folder = join(root, 'console');
  for (const name of ['console/dist', 'console/src', 'sdk/src']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    format: 'json',
    sink: { write: (line) => lines.push(line) },
  });
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return {
    folder,
    lines,
    open: () => {
      const opened = openConsole(logger, folder);
      t.after(() => opened.stop());
      return { ...opened, readStart: () => opened.findFile('/')?.bytes.toString() ?? null };
    },
  };
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('a missing console is built; until then its page says so', { timeout: 60_000 }, async (t) => {
  const console = openFolder(t, { 'build.ts': BUILD, 'src/main.ts': '' }).open();
  assert.match(console.readStart() ?? '', /being built/);
  assert.equal(console.findFile('/token'), null);
  await until(() => console.readStart() === 'built');
});

test('a console older than its sources is served until the new one is there', {
  timeout: 60_000,
}, async (t) => {
  const scene = openFolder(t, { 'build.ts': BUILD, 'src/main.ts': '', 'dist/index.html': 'old' });
  utimesSync(join(scene.folder, 'dist/index.html'), 1000, 1000);
  const console = scene.open();
  assert.equal(console.readStart(), 'old');
  await until(() => console.readStart() === 'built');
});

test('a console older than the SDK, which its pages contain, is built', {
  timeout: 60_000,
}, async (t) => {
  const files = { 'build.ts': BUILD, 'src/main.ts': '', '../sdk/src/client.ts': '' };
  const scene = openFolder(t, { ...files, 'dist/index.html': 'old' });
  for (const name of ['build.ts', 'src/main.ts']) utimesSync(join(scene.folder, name), 1000, 1000);
  utimesSync(join(scene.folder, 'dist/index.html'), 2000, 2000);
  const console = scene.open();
  await until(() => console.readStart() === 'built');
});

test('a new console is not built again', (t) => {
  const scene = openFolder(t, { 'build.ts': 'throw new Error();', 'dist/index.html': 'new' });
  const future = Date.now() / 1000 + 60;
  utimesSync(join(scene.folder, 'dist/index.html'), future, future);
  const console = scene.open();
  assert.equal(console.readStart(), 'new');
  assert.equal(console.findFile('/nope'), null);
});

test('an install without sources serves what it has', (t) => {
  const console = openFolder(t, { 'dist/index.html': 'packed' }).open();
  assert.equal(console.readStart(), 'packed');
});

test('a build that fails is logged, and the start page is free', { timeout: 60_000 }, async (t) => {
  const scene = openFolder(t, { 'build.ts': 'process.exit(3);' });
  const console = scene.open();
  await until(() => console.readStart() === null);
  assert.match(scene.lines.join(''), /the console was not built/);
});
