// The recorder forwards and counts everything, and fails a caller that does more than read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMisbehavingRpc } from './fakes/misbehaving-rpc.ts';
import { startRpcRecorder } from './rpc-recorder.ts';

async function ask(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return reply.json();
}

function buildCall(method: string) {
  return { jsonrpc: '2.0', id: 1, method, params: [] };
}

test('what is asked singly and in batches is answered and counted', async () => {
  const node = await startMisbehavingRpc((method) => `answer to ${method}`);
  const recorder = await startRpcRecorder(node.url);
  try {
    const single = await ask(recorder.url, buildCall('eth_call'));
    assert.deepEqual(single, { jsonrpc: '2.0', id: 1, result: 'answer to eth_call' });
    await ask(recorder.url, [buildCall('eth_call'), buildCall('eth_chainId')]);
    const counts = [...recorder.methods()];
    assert.deepEqual(counts, [
      ['eth_call', 2],
      ['eth_chainId', 1],
    ]);
  } finally {
    await recorder.stop();
    await node.stop();
  }
});

test('methods that sign, send or control a node fail the scene, as do unknown ones', async () => {
  const node = await startMisbehavingRpc(() => null);
  for (const method of [
    'eth_sendRawTransaction',
    'eth_sendTransaction',
    'eth_sign',
    'eth_signTypedData_v4',
    'personal_unlockAccount',
    'eth_accounts',
    'anvil_mine',
    'evm_mine',
    'eth_somethingNew',
  ]) {
    const recorder = await startRpcRecorder(node.url);
    await ask(recorder.url, [buildCall('eth_call'), buildCall(method)]);
    await assert.rejects(recorder.stop(), new RegExp(method));
  }
  await node.stop();
});
