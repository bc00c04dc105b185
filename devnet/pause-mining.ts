// Run by a node's guard before it ends the node: `pause-mining.ts <port> ['at rest']`.
//
// The node copies its blocks first and its accounts later. A block that is mined in between is in
// the saved accounts but not among the saved blocks, and balances no longer match the logs. So
// nothing may be mined while the state is saved: neither by the node itself, nor on request of the
// devnet, which may have been killed since.

import { createJsonRpc, type JsonRpc } from './json-rpc.ts';

/**
 * How many consecutive blocks of ours, without another in between, show that the queue is empty.
 */
const QUIET_BLOCKS = 3;

async function readHead(rpc: JsonRpc): Promise<number> {
  return Number(await rpc.call<string>('eth_blockNumber'));
}

/** `isAtRest`: all requested blocks have been mined. */
export async function pauseMining(rpc: JsonRpc, isAtRest: boolean): Promise<void> {
  const [isAutomatic, intervalS] = await rpc.batch<unknown>([
    { method: 'anvil_getAutomine', params: [] },
    { method: 'anvil_getIntervalMining', params: [] },
  ]);
  if (isAtRest && isAutomatic !== true && intervalS === null) return;
  await rpc.call('evm_setAutomine', false);
  await rpc.call('evm_setIntervalMining', 0);
  // Blocks requested before are still mined, interleaved with ours: wait until ours are
  // consecutive.
  let head = await readHead(rpc);
  for (let quiet = 0; quiet < QUIET_BLOCKS; ) {
    await rpc.call('evm_mine');
    const next = await readHead(rpc);
    quiet = next === head + 1 ? quiet + 1 : 0;
    head = next;
  }
}

if (import.meta.main) {
  const [, , port, miners] = process.argv;
  await pauseMining(createJsonRpc(`http://127.0.0.1:${port}`), miners === 'at rest');
  process.exit(0);
}
