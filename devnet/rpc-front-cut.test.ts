// A node that breaks off in the middle of a reply: the client gets an error at once.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ArchiveKeeper, DEVNET_KEEPING } from './archive-keeper.ts';
import { BlockArchive } from './block-archive.ts';
import { startBlockClock } from './block-clock.ts';
import { createFrontParts } from './front-parts.ts';
import { createJsonRpc } from './json-rpc.ts';
import { startRpcFront } from './rpc-front.ts';

/** A generous limit: a reply that never ends must fail the test. */
const WAIT_MAX_MS = 20_000;

test('an answer that the node aborts is aborted', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-front-'));
  const node = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('{"jsonrpc":', () => response.destroy());
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  const rpc = createJsonRpc(`http://127.0.0.1:${(node.address() as AddressInfo).port}`);
  const archive = new BlockArchive(join(folder, 'blocks.sqlite'), DEVNET_KEEPING.chunkBlocks);
  const keeper = new ArchiveKeeper(rpc, archive, DEVNET_KEEPING);
  const clock = startBlockClock({ rpc, intervalMs: 0, beforeBlock: async () => undefined });
  const front = await startRpcFront(0);
  t.after(async () => {
    await front.close();
    await clock.stop();
    rpc.close();
    node.close();
    archive.close();
    rmSync(folder, { recursive: true });
  });
  front.open(createFrontParts({ rpc, archive, keeper, clock }));
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const signal = AbortSignal.timeout(WAIT_MAX_MS);
  const answer = await fetch(front.url, { method: 'POST', body, signal });
  await assert.rejects(answer.text(), ({ name }) => name !== 'TimeoutError');
});
