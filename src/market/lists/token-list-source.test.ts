// Pins how lists are read from files and URLs: bounds, entity tags, and the copy that is kept.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTempFolder } from '../../../test/start-service-process.ts';
import { findFamily } from '../../engines/chain-families.ts';
import { FetchRefusedError } from './open-url.ts';
import { type FindListChain, LIST_BYTES_MAX, TokenListError } from './parse-token-list.ts';
import { openListUrl, readListFile } from './token-list-source.ts';
import { TokenLists } from './token-lists.ts';

const { addresses } = findFamily('devnet');
const findChain: FindListChain = (id) => (id === 1337 ? { slug: 'devnet', addresses } : null);
const ADDRESS = '0x00000000000000000000000000000000000000a1';
const SIGNAL = new AbortController().signal;

function toListText(name: string): string {
  return JSON.stringify({
    name,
    timestamp: '2026-01-02T03:04:05Z',
    version: { major: 1, minor: 0, patch: 0 },
    tokens: [{ chainId: 1337, address: ADDRESS, decimals: 18, name: 'A', symbol: 'A' }],
  });
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(t: TestContext, respond: Respond) {
  const server = createServer((request, response) => served.respond(request, response));
  const served = { respond, url: '' };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list.json?key=secret`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return served;
}

/** With an entity tag, and 304 for a request that has it. */
function toTagged(text: string, etag: string): Respond {
  return (request, response) => {
    const isKnown = request.headers['if-none-match'] === etag;
    response.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? '' : text);
  };
}

function isListError(pattern: RegExp) {
  return (error: unknown) => error instanceof TokenListError && pattern.test(error.message);
}

test('a URL is read, cached with its entity tag, and then asked for changes only', async (t) => {
  const folder = join(createTempFolder(t), 'token-lists');
  const served = await serve(t, toTagged(toListText('One'), '"1"'));
  const first = await openListUrl(served.url, { folder, findChain });
  assert.equal(first.list, null);
  assert.ok(!first.label.includes('secret'));
  assert.equal((await first.renew?.(SIGNAL))?.name, 'One');
  assert.equal(await first.renew?.(SIGNAL), null, 'nothing has changed');
  for (const name of readdirSync(folder)) {
    assert.equal(statSync(join(folder, name)).mode & 0o077, 0, 'only the owner may read it');
  }
  // After a restart the copy is available before the network.
  const second = await openListUrl(served.url, { folder, findChain });
  assert.equal(second.list?.name, 'One');
  assert.equal(await second.renew?.(SIGNAL), null);
  served.respond = toTagged(toListText('Two'), '"2"');
  assert.equal((await second.renew?.(SIGNAL))?.name, 'Two');
});

test('a truncated copy is read again from its URL', async (t) => {
  const folder = createTempFolder(t);
  const served = await serve(t, toTagged(toListText('One'), '"1"'));
  await (await openListUrl(served.url, { folder, findChain })).renew?.(SIGNAL);
  for (const name of readdirSync(folder))
    writeFileSync(join(folder, name), '{"etag":"\\"1\\"","te');
  const source = await openListUrl(served.url, { folder, findChain });
  assert.equal(source.list, null);
  assert.equal((await source.renew?.(SIGNAL))?.name, 'One');
});

test('a draft of another container with the same process id is left alone', async (t) => {
  const folder = createTempFolder(t);
  const served = await serve(t, toTagged(toListText('One'), '"1"'));
  const source = await openListUrl(served.url, { folder, findChain });
  await source.renew?.(SIGNAL);
  const [name = ''] = readdirSync(folder);
  const draft = `${name}.${process.pid}`;
  writeFileSync(join(folder, draft), 'half of a li');
  served.respond = toTagged(toListText('Two'), '"2"');
  await source.renew?.(SIGNAL);
  assert.deepEqual(readdirSync(folder).sort(), [name, draft].sort());
});

test('a list that could not be saved is requested in full again', async (t) => {
  const folder = join(createTempFolder(t), 'taken');
  writeFileSync(folder, '');
  const served = await serve(t, toTagged(toListText('One'), '"1"'));
  const source = await openListUrl(served.url, { folder, findChain });
  for (const _ of [1, 2])
    await assert.rejects(async () => source.renew?.(SIGNAL), /EEXIST|ENOTDIR/);
});

test('answers that are not a list, or too large, are rejected', async (t) => {
  const folder = createTempFolder(t);
  const served = await serve(t, (_, response) => response.writeHead(500).end());
  const source = await openListUrl(served.url, { folder, findChain });
  const renew = async () => source.renew?.(SIGNAL);
  await assert.rejects(renew, isListError(/status 500/));
  served.respond = (_, response) => response.end('<html>');
  await assert.rejects(renew, isListError(/not JSON/));
  served.respond = (_, response) => response.end(Buffer.alloc(LIST_BYTES_MAX + 1, ' '));
  await assert.rejects(renew, isListError(/larger than/));
  assert.deepEqual(readdirSync(folder), []);
});

test('a redirect leads to public https places only, or stays at its origin', async (t) => {
  const folder = createTempFolder(t);
  let asked = 0;
  const inner = await serve(t, (_, response) => {
    asked += 1;
    response.end(toListText('Inner'));
  });
  const served = await serve(t, (_, response) => response.end());
  const source = await openListUrl(served.url, { folder, findChain });
  const { port } = new URL(inner.url);
  for (const location of [
    ...[inner.url, `https://127.0.0.1:${port}/`, `https://[::1]:${port}/`, 'file:///etc/passwd'],
    ...[`https://localhost:${port}/`, 'https://169.254.169.254/', 'http://public.example/'],
  ]) {
    served.respond = (_, response) => response.writeHead(302, { location }).end();
    await assert.rejects(async () => source.renew?.(SIGNAL), FetchRefusedError, location);
  }
  assert.equal(asked, 0);
  served.respond = (request, response) => {
    if (request.url === '/moved') response.end(toListText('Moved'));
    else response.writeHead(302, { location: '/moved' }).end();
  };
  assert.equal((await source.renew?.(SIGNAL))?.name, 'Moved');
});

test('a file is read, or all of its errors are reported', async (t) => {
  const folder = createTempFolder(t);
  const path = join(folder, 'list.json');
  writeFileSync(path, toListText('File'));
  assert.equal((await readListFile(path, findChain)).list?.name, 'File');
  writeFileSync(path, Buffer.alloc(LIST_BYTES_MAX + 1, ' '));
  await assert.rejects(readListFile(path, findChain), isListError(/larger than/));
  await assert.rejects(readListFile(join(folder, 'none'), findChain), isListError(/ENOENT/));
  mkdirSync(join(folder, 'folder'));
  await assert.rejects(readListFile(join(folder, 'folder'), findChain), isListError(/EISDIR/));
});

test('a URL that fails keeps its list, is reported once, and is retried', async (t) => {
  const served = await serve(t, toTagged(toListText('One'), '"1"'));
  const heard: string[] = [];
  const waits: { readonly ms: number; readonly wake: () => void }[] = [];
  const slept = async (count: number) => {
    while (waits.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
    return waits[count - 1]!;
  };
  const lists = new TokenLists({
    sources: [await openListUrl(served.url, { folder: createTempFolder(t), findChain })],
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        waits.push({ ms, wake: resolve });
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
    random: () => 1,
    onFailure: () => heard.push('failed'),
    onRecovered: () => heard.push('recovered'),
  });
  lists.subscribe(() => heard.push('changed'));
  const listsOf = () => lists.directory.get('devnet')?.get(addresses.parse(ADDRESS)!)?.lists;
  assert.equal(listsOf(), undefined);
  lists.start();
  t.after(() => lists.stop());
  const first = await slept(1);
  assert.deepEqual(listsOf(), ['One']);
  served.respond = (_, response) => response.end('broken');
  first.wake();
  const second = await slept(2);
  assert.deepEqual(listsOf(), ['One'], 'the last good list stays');
  assert.deepEqual(
    lists.statuses.map(({ tokens, isFailing }) => [tokens, isFailing]),
    [[1, true]],
  );
  second.wake();
  const third = await slept(3);
  assert.ok(second.ms < third.ms && third.ms < first.ms, 'it waits longer each time');
  served.respond = toTagged(toListText('Two'), '"2"');
  third.wake();
  await slept(4);
  assert.deepEqual(listsOf(), ['Two']);
  assert.deepEqual(heard, ['changed', 'failed', 'recovered', 'changed']);
});
