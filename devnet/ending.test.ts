// A devnet ends, even if its node does not answer while another is to replace it.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { AnvilNode } from './anvil-node.ts';
import type { BlockArchive } from './block-archive.ts';
import { ChangeGate } from './change-gate.ts';
import { Ending } from './ending.ts';
import { createJsonRpc } from './json-rpc.ts';
import { NodeMemory } from './node-memory.ts';
import { NodeRoller } from './node-roller.ts';

/** A node at block 5 that says nothing more once `isMute`. */
async function startMuteNode(t: TestContext) {
  const state = { isMute: false, endings: [] as string[] };
  const server = createServer((request, response) => {
    request.resume();
    if (state.isMute) return;
    const result = { number: '0x5', hash: `0x${'5'.repeat(64)}`, timestamp: '0x1' };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ended = Promise.withResolvers<void>();
  const end = (how: string) => async () => {
    state.endings.push(how);
    server.closeAllConnections();
    ended.resolve();
  };
  const node: AnvilNode = {
    ...{ rpc: createJsonRpc(`http://127.0.0.1:${port}`), port, exited: ended.promise },
    ...{ emulated: false, origin: 'a test', guardPid: 0 },
    ...{ stop: end('stopped'), discard: end('discarded') },
  };
  return { node, state };
}

test('it ends in time although the node that is to be replaced does not answer', async (t) => {
  const { node, state } = await startMuteNode(t);
  const marks: string[] = [];
  const lease = {
    ...{ isSaved: true, begin: async () => undefined },
    markStopping: async () => void marks.push('stopping'),
    release: () => void marks.push('released'),
  };
  const keeping = { archiveDepth: 4, transactionBlocks: 20, chunkBlocks: 4, stateBytes: 0 };
  const roller = await NodeRoller.create(
    {
      ...{ lines: [], gate: new ChangeGate(), lease, memory: new NodeMemory() },
      ...{ archive: null as unknown as BlockArchive, keeping: { ...keeping, rollBlocks: 1 } },
      ...{ stateFile: '', isAutomatic: false, startNode: assert.fail },
      ...{ onNode: () => undefined, log: () => undefined },
    },
    node,
  );
  state.isMute = true;
  const replaced = roller.afterBlocks();
  const ending = new Ending(lease, 50);
  ending.roller = roller;
  ending.node = node;
  await ending.run();
  assert.deepEqual(state.endings, ['stopped']);
  assert.deepEqual(marks, ['stopping', 'stopping', 'released']);
  await replaced;
});
