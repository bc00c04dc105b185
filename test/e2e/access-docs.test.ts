// Runs the examples of docs/api/access.md and of the README as a reader would, and compares the
// output.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startServiceProcess } from '../start-service-process.ts';

const run = promisify(execFile);

test('the example works and prints what the page says', async (t) => {
  const page = readFileSync('docs/api/access.md', 'utf8');
  const [, code = '', printed = ''] =
    /```js\n(.*?)```\n\nprints\n\n```\n(.*?)```/s.exec(page) ?? [];
  const service = await startServiceProcess(t);
  const here = code.replace('http://127.0.0.1:8080', service.origin);
  assert.notEqual(here, code);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', here]);
  assert.equal(stdout, printed);
});

test("the README's sign-in, key, use and revocation work as they stand", async (t) => {
  const page = readFileSync('README.md', 'utf8');
  const code = /```js\n(import \{ generatePrivateKey.*?)```/s.exec(page)?.[1] ?? '';
  const printed = /console\.log\(.*\/\/ (.*)\n$/.exec(code)?.[1];
  const service = await startServiceProcess(t);
  const here = code.replaceAll('http://127.0.0.1:8080', service.origin);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', here]);
  assert.equal(stdout.trim(), printed);
});
