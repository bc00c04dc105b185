// Every problem has words: ours, the server's, or at least that there is one.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createClient } from '../../../sdk/src/create-client.ts';
import { toProblem } from '../api/shown-problem.ts';
import { texts } from '../texts.ts';
import { describeProblem } from './describe-problem.ts';

const PROBLEM = { code: 'X', status: 500, title: '', detail: '', retryAtMs: null };

test("a problem without a text of ours has the server's, and never none", () => {
  assert.equal(describeProblem({ ...PROBLEM, title: 'a', detail: 'b' }), 'b');
  assert.equal(describeProblem({ ...PROBLEM, title: 'a' }), 'a');
  assert.equal(describeProblem(PROBLEM), texts.problem.other);
});

/** What a page says of a server that answers like this, or not at all. */
async function describeServer(t: TestContext, status: number | null): Promise<string> {
  const server = createServer((_, response) => {
    if (status !== null) response.writeHead(status, '').end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  t.after(close);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  // One that answers may be slow.
  const timeoutMs = status === null ? 500 : 60_000;
  const client = createClient({ baseUrl, retry: { countMax: 0 }, timeoutMs });
  return client.getChains().then(
    () => assert.fail('it answered'),
    (error: unknown) => describeProblem(toProblem(error)),
  );
}

test('a proxy that answers, and a server that does not, are told apart', async (t) => {
  const { byCode } = texts.problem;
  assert.equal(await describeServer(t, 502), byCode.UNEXPECTED_ANSWER);
  assert.equal(await describeServer(t, null), byCode.TIMEOUT);
});

test('a language without a text for a code of the client does not compile', () => {
  const { TIMEOUT: _timeout, ...others } = texts.problem.byCode;
  // @ts-expect-error: `npm run check` fails here if it compiles
  const byCode: typeof texts.problem.byCode = others;
  assert.ok(!('TIMEOUT' in byCode));
});
