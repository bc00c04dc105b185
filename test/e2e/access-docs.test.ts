// Runs the example of docs/api/access.md as a reader would, and compares the output.

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
