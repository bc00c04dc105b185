// A fault is reported with a minimal request, as a shell command.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCurl } from './format-curl.ts';
import type { FuzzRequest } from './send-request.ts';
import { shrinkRequest } from './shrink-request.ts';

const REQUEST: FuzzRequest = {
  method: 'POST',
  target: '/v1/thing?a=1&b=2&c=3',
  headers: [
    ['X-One', '1'],
    ['X-Two', '2'],
  ],
  body: Buffer.from('{"x":1,"y":2,"z":3}'),
};

test('only what causes the fault is left', async () => {
  const smallest = await shrinkRequest(REQUEST, async ({ target, headers, body }) => {
    const hasField = body?.toString().includes('"y":2') === true;
    return target.includes('b=2') && headers.some(([name]) => name === 'X-Two') && hasField;
  });
  assert.equal(
    formatCurl('http://127.0.0.1:1', smallest),
    `curl -i -X POST --path-as-is 'http://127.0.0.1:1/v1/thing?b=2' -H 'X-Two: 2' --data-binary '{"y":2}'`,
  );
});

test('a minimal request stays unchanged', async () => {
  assert.deepEqual(await shrinkRequest(REQUEST, async () => false), REQUEST);
});

test('bytes that a shell would change are escaped', () => {
  const request = { method: 'POST', target: '/v1/x', headers: [], body: Buffer.from("'\n\\é") };
  assert.match(formatCurl('http://h', request), /--data-binary \$'\\'\\x0a\\\\\\xc3\\xa9'$/);
  const nul = { ...request, body: Buffer.from('a\0') };
  assert.match(formatCurl('http://h', nul), /^printf '\\141\\000' \| curl .* --data-binary @-$/);
  const long = { ...request, method: 'GET', body: null, target: `/v1/x?q=${'q'.repeat(500)}` };
  assert.match(formatCurl('http://h', long), /\?q='"\$\(printf 'q%\.0s' \{1\.\.500\}\)"$/);
});
