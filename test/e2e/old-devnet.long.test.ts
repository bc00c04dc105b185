// A devnet whose node has dropped old blocks and was replaced, and services that start late, follow
// all the time or restart.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { TEST_ADDRESSES } from '../../devnet/accounts.ts';
import { createJsonRpc } from '../../devnet/json-rpc.ts';
import { startDevnet } from '../../devnet/start-devnet.ts';
import { assertVerified, stopService } from '../indexed-service.ts';
import {
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';

const KEEPING = {
  ...{ archiveDepth: 4, transactionBlocks: 20, chunkBlocks: 4, stateBytes: 0 },
  rollBlocks: 30,
};

/** Waits until the service is ready and has indexed the block. */
async function untilIndexed(service: RunningService, block: number): Promise<void> {
  for (;;) {
    const { status } = await fetch(`${service.origin}/v1/ready`);
    const answer = await (await fetch(`${service.origin}/v1/chains`)).json();
    const { chains } = answer as { chains: { head: number | null }[] };
    if (status === 200 && (chains[0]?.head ?? -1) >= block) return;
    assert.equal(service.child.exitCode, null, service.output());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('a fresh index of an old devnet is complete, and goes on when the node is replaced', async (t) => {
  const devnet = await startDevnet({
    dataDir: createTempFolder(t),
    traders: 'off',
    history: { hours: 2, blocksPerHour: 4, actionsPerBlock: 4 },
    seed: 'old',
    log: () => undefined,
    keeping: KEEPING,
  });
  t.after(() => devnet.stop());
  const rpc = createJsonRpc(devnet.rpcUrl);
  t.after(() => rpc.close());
  const head = Number(await rpc.call('eth_blockNumber'));
  await rpc.call('anvil_mine', '0x18');
  const own = await devnet.node.rpc.call('eth_getBlockByNumber', '0x1', true);
  assert.equal(own, null, 'another node has taken over without the first trades');

  const env = {
    DEVNET: 'on',
    DEVNET_DEPLOYMENT: devnet.deploymentPath,
    DATA_DIR: join(createTempFolder(t), 'data'),
  };
  const fresh = await startServiceProcess(t, { env });
  await untilIndexed(fresh, head + 24);
  await assertVerified(env);
  const { guardPid } = devnet.node;
  await rpc.call('anvil_mine', '0x20');
  assert.notEqual(devnet.node.guardPid, guardPid, 'and another, while the service followed');
  await untilIndexed(fresh, head + 56);
  await assertVerified(env);
  await stopService(fresh);

  const [from, to] = TEST_ADDRESSES;
  await rpc.call('eth_sendTransaction', { from, to, value: '0x1' });
  await rpc.call('anvil_mine', '0x18');
  const again = await startServiceProcess(t, { env });
  await untilIndexed(again, head + 80);
  await assertVerified(env);
  await stopService(again);
});
