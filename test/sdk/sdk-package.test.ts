// The package as it is published: small, without dependencies, typed, and its README runs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { launchBrowser, openContext } from '../launch-browser.ts';
import { createTempFolder } from '../start-service-process.ts';
import { startStreamServer } from '../stream/stream-server.ts';

const run = promisify(execFile);

const GZIP_BYTES_MAX = 15_000;
const TIMEOUT_MS = 120_000;
/** The test run's own options are for its version of Node. */
const { NODE_OPTIONS: _options, ...PLAIN_ENV } = process.env;

const OUTPUT = /^\S.* has [1-9]\d* trades\ntrue: last trade devnet:\S+:\d+\n$/;

const README = readFileSync('sdk/README.md', 'utf8');

/** What a reader would type to see that the types arrive. */
const TYPED = `import { createClient, eachRow, isProblem, type Trade } from '@mintwire/client';
const client = createClient({ baseUrl: 'http://localhost:8080/v1' });
const { klines } = await client.getKlines({ chain: 'base', mint: '0x', interval: '1m' });
const close: string | null | undefined = klines[0]?.close;
for await (const trade of eachRow(client, 'getTrades', { chain: 'base', mint: '0x' })) {
  const row: Trade = trade;
  void row;
}
// @ts-expect-error: the interval is required
void client.getKlines({ chain: 'base', mint: '0x' });
// @ts-expect-error: there is no such code
void isProblem(null, 'NO_SUCH_CODE');
void close;
`;

/** Those that the package promises and that this machine has, besides the one that runs tests. */
async function findOlderNodes(t: TestContext): Promise<string[]> {
  const folders = new Set((process.env['PATH'] ?? '').split(delimiter));
  const files = [...folders]
    .map((folder) => join(folder, 'node'))
    .filter((file) => existsSync(file));
  const found = new Map<string, string>();
  for (const file of files) {
    const version = (
      await run(file, ['--version'], { env: PLAIN_ENV, timeout: TIMEOUT_MS })
    ).stdout.trim();
    const major = Number(/^v(\d+)\./.exec(version)?.[1]);
    if (major >= 20 && version !== process.version) found.set(version, file);
  }
  t.diagnostic(`also run by Node ${[...found.keys()].join(', ') || '(no other is installed)'}`);
  return [...found.values()];
}

/** A page of another origin than the API's, with modules to load. */
async function openPage(t: TestContext, files: Readonly<Record<string, string>>): Promise<Page> {
  const web = createServer((request, response) => {
    const file = files[request.url ?? ''];
    const type = file === undefined ? 'text/html' : 'text/javascript';
    response.writeHead(200, { 'content-type': type });
    response.end(file?.replace('@mintwire/client', '/client.js') ?? '<!doctype html>');
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    web.close();
    web.closeAllConnections();
  });
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await (await openContext(browser)).newPage();
  await page.goto(`http://127.0.0.1:${(web.address() as AddressInfo).port}/`);
  return page;
}

/** What the example prints in a page, or in a worker of it. */
function runInBrowser(page: Page, place: 'page' | 'worker'): Promise<string> {
  const inPage = `(async () => {
    let text = '';
    console.log = (line) => { text += line + '\\n'; };
    await import('/example.js');
    return text;
  })()`;
  const inWorker = `new Promise((resolve, reject) => {
    const code = \`let text = '';
      console.log = (line) => { text += line + '\\\\n'; };
      import('\${location.origin}/example.js').then(() => postMessage(text), (error) => postMessage(String(error)));\`;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  })`;
  return page.evaluate<string>(place === 'page' ? inPage : inWorker);
}

test('the built package is small and typed; its README runs in Node, a page and a worker', async (t) => {
  const folder = createTempFolder(t);
  const installed = join(folder, 'node_modules/@mintwire/client');
  mkdirSync(installed, { recursive: true });
  await run(process.execPath, ['sdk/build-package.ts', installed], { timeout: TIMEOUT_MS });

  const code = readFileSync(join(installed, 'dist/client.js'));
  const size = gzipSync(code, { level: 9 }).length;
  t.diagnostic(`${size} bytes gzipped`);
  assert.ok(size < GZIP_BYTES_MAX, `${size} bytes gzipped`);
  assert.doesNotMatch(code.toString('utf8'), /\bfrom\s*["']|\bimport\s*\(|\brequire\(|\bprocess\./);
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(dependencies, undefined);

  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'typed.ts'), TYPED);
  const rules = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022'];
  await run(
    join(process.cwd(), 'node_modules/.bin/tsc'),
    [...rules, '--lib', 'es2023,dom', '--types', '', 'typed.ts'],
    { cwd: folder, timeout: TIMEOUT_MS },
  ).catch((error: { stdout?: string }) => assert.fail(error.stdout ?? String(error)));

  const server = await startStreamServer(t);
  const [, example = ''] = /```ts\n(.*?)```/s.exec(README) ?? [];
  const text = example.replace('http://localhost:8080', server.server.origin);
  assert.notEqual(text, example);
  writeFileSync(join(folder, 'example.js'), text);
  for (const node of [process.execPath, ...(await findOlderNodes(t))]) {
    const { stdout } = await run(node, ['example.js'], {
      cwd: folder,
      env: PLAIN_ENV,
      timeout: TIMEOUT_MS,
    });
    assert.match(stdout, OUTPUT, node);
  }
  const page = await openPage(t, { '/client.js': code.toString('utf8'), '/example.js': text });
  for (const place of ['page', 'worker'] as const) {
    assert.match(await runInBrowser(page, place), OUTPUT, place);
  }
});
