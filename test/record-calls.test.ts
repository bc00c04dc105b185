// Every call of the service is recorded, from any library and process; nobody else's is.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startMisbehavingRpc } from './fakes/misbehaving-rpc.ts';
import { findForbidden, findScenes, readNotes, sumCounts } from './rpc-notes.ts';
import { type Cleanup, createTempFolder } from './start-service-process.ts';

const run = promisify(execFile);
const MODULE = new URL('record-calls.ts', import.meta.url).href;

/** Different ways to call: node:http in two pieces, fetch, a bare socket. */
const ASK = `
import { request } from 'node:http';
import { connect } from 'node:net';
const toBody = (...methods) =>
  JSON.stringify(methods.map((method) => ({ jsonrpc: '2.0', id: 1, method, params: [] })));
export const byHttp = (url, ...methods) => new Promise((resolve) => {
  const body = toBody(...methods);
  const headers = { 'content-length': body.length };
  const asked = request(url, { method: 'POST', headers }, (reply) => reply.resume().on('end', resolve));
  asked.write(body.slice(0, 20));
  asked.end(body.slice(20));
});
export const byFetch = async (url, ...methods) =>
  (await fetch(url, { method: 'POST', body: toBody(...methods) })).text();
export const bySocket = (url, ...methods) => new Promise((resolve) => {
  const { port, pathname } = new URL(url);
  const body = toBody(...methods);
  const socket = connect(Number(port), '127.0.0.1').on('close', resolve).on('data', () => socket.destroy());
  socket.end('POST ' + pathname + ' HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: ' + body.length + '\\r\\n\\r\\n' + body);
});
`;

/** Runs a script from files in a temporary folder, or in one below that. */
async function execute(
  t: Cleanup,
  files: Readonly<Record<string, string>>,
  where: { readonly script: string; readonly below?: string },
) {
  const folder = join(createTempFolder(t), where.below ?? '');
  const notes = createTempFolder(t);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const node = await startMisbehavingRpc(() => null);
  t.after(() => node.stop());
  const { NODE_OPTIONS: _, MINTWIRE_TEST_FILE: __, ...rest } = process.env;
  const env = { ...rest, NODE_OPTIONS: `--import ${MODULE}`, MINTWIRE_TEST_RPC_NOTES: notes };
  await run(process.execPath, [join(folder, where.script)], {
    env: { ...env, NODE_URL: node.url, NODE_NO_WARNINGS: '1' },
    cwd: folder,
  });
  return { counts: sumCounts(readNotes(notes).values()), arrived: node.calls };
}

function sortUnique(methods: Iterable<string>): string[] {
  return [...new Set(methods)].sort();
}

test('every outgoing request of a service is recorded, by any library and from any thread', async (t) => {
  const files = {
    'src/ask.ts': ASK,
    'src/cli/main.ts': `
      import { Worker } from 'node:worker_threads';
      import { byFetch, byHttp, bySocket } from '../ask.ts';
      const url = process.env['NODE_URL'];
      await byHttp(url, 'eth_call', 'eth_byHttp');
      await byFetch(url, 'eth_call', 'eth_byFetch');
      await bySocket(url, 'eth_call', 'eth_bySocket');
      await new Promise((resolve) => new Worker(new URL('thread.ts', import.meta.url)).on('exit', resolve));
    `,
    'src/cli/thread.ts': `
      import { byHttp } from '../ask.ts';
      await byHttp(process.env['NODE_URL'], 'eth_sendRawTransaction');
    `,
  };
  const { counts, arrived } = await execute(t, files, { script: 'src/cli/main.ts' });
  assert.equal(counts.get('eth_call'), 3);
  assert.deepEqual(sortUnique(counts.keys()), sortUnique(arrived.map(({ method }) => method)));
  assert.deepEqual(findForbidden(counts).sort(), [
    'eth_byFetch',
    'eth_byHttp',
    'eth_bySocket',
    'eth_sendRawTransaction',
  ]);
});

test('in a test only requests of the service itself are recorded', async (t) => {
  const files = {
    'ask.ts': ASK,
    'src/ask.ts': ASK,
    'src/some.test.ts': `
      import { byFetch, byHttp } from '../ask.ts';
      import { byHttp as serviceAsks } from './ask.ts';
      const url = process.env['NODE_URL'];
      await byHttp(url, 'eth_sendTransaction');
      await byFetch(url, 'anvil_mine');
      await serviceAsks(url, 'eth_getLogs');
    `,
  };
  const { counts, arrived } = await execute(t, files, { script: 'src/some.test.ts' });
  assert.deepEqual([...counts], [['eth_getLogs', 1]]);
  assert.equal(arrived.length, 3);
});

test('a checkout below a folder called src is recognised as well', async (t) => {
  const files = {
    'ask.ts': ASK,
    'some.test.ts': `
      import { byHttp } from './ask.ts';
      await byHttp(process.env['NODE_URL'], 'eth_sendTransaction');
    `,
  };
  const { counts, arrived } = await execute(t, files, { script: 'some.test.ts', below: 'src/app' });
  assert.equal(counts.size, 0);
  assert.equal(arrived.length, 1);
});

test('the devnet is no service', async (t) => {
  const files = {
    'src/ask.ts': ASK,
    'devnet/main.ts': `
      import { byHttp } from '../src/ask.ts';
      await byHttp(process.env['NODE_URL'], 'evm_mine');
    `,
  };
  const { counts, arrived } = await execute(t, files, { script: 'devnet/main.ts' });
  assert.equal(counts.size, 0);
  assert.equal(arrived.length, 1);
});

test('the files in which the service meets a real node are known', () => {
  const met = [
    'src/ingest/apply/value-pools.test.ts',
    'test/e2e/docs.long.test.ts',
    'test/e2e/embedded-devnet.long.test.ts',
    'test/e2e/examples.long.test.ts',
    'test/e2e/trades.long.test.ts',
  ];
  const others = [
    'devnet/scene.test.ts',
    'src/amm/constant-product/constant-product-pool.test.ts',
    'test/tidy.test.ts',
  ];
  assert.deepEqual(findScenes([...met, ...others]), met);
});
