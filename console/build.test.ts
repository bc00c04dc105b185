// The built console: every page, the same bytes each time, and within its budget of bytes.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ROUTES } from './src/routes.ts';

const SCRIPT_BYTES_MAX = 34_500;
const SCRIPT_BYTES_WITH_CHART_MAX = 93_400;

function buildConsole(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-console-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, [join(import.meta.dirname, 'build.ts'), folder]);
  return folder;
}

function hashFiles(folder: string): string {
  const hash = createHash('sha256');
  for (const name of globSync('**/*.*', { cwd: folder }).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex');
}

/** The scripts that a page asks for at once, with their compressed sizes. */
function listScripts(folder: string, path: string): { name: string; bytes: number }[] {
  const page = path === '/' ? 'index' : path.slice(1);
  const html = readFileSync(join(folder, `${page}.html`), 'utf8');
  const names = new Set(
    Array.from(html.matchAll(/\/(assets\/[^"]+\.js)"/g), ([, name = '']) => name),
  );
  return [...names].map((name) => {
    return { name, bytes: gzipSync(readFileSync(join(folder, name)), { level: 9 }).length };
  });
}

test('two builds write the same bytes', (t) => {
  assert.equal(hashFiles(buildConsole(t)), hashFiles(buildConsole(t)));
});

test('every page is within its budget of script, the chart only on the page of a token', (t) => {
  const folder = buildConsole(t);
  for (const { path } of ROUTES) {
    const scripts = listScripts(folder, path);
    const sum = (some: typeof scripts) => some.reduce((total, { bytes }) => total + bytes, 0);
    const plain = scripts.filter(({ name }) => !name.includes('token-chart'));
    assert.ok(plain.length >= 3, path);
    assert.equal(plain.length < scripts.length, path === '/token', path);
    assert.ok(sum(plain) <= SCRIPT_BYTES_MAX, `${path}: ${sum(plain)} bytes`);
    assert.ok(sum(scripts) <= SCRIPT_BYTES_WITH_CHART_MAX, `${path}: ${sum(scripts)} bytes`);
  }
});

test('pages name nothing of another host and have no script or style of their own', (t) => {
  const folder = buildConsole(t);
  for (const name of globSync('*.html', { cwd: folder })) {
    const html = readFileSync(join(folder, name), 'utf8');
    assert.doesNotMatch(html, /(?:src|href)="(?!\/)/, name);
    assert.doesNotMatch(html, /<style|<script(?![^>]* src=)| style=| on\w+=/, name);
  }
  assert.match(readFileSync(join(folder, 'licences.txt'), 'utf8'), /TradingView, Inc\./);
});
