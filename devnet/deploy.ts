// Deploys the whole scene in a few blocks and throws if any transaction failed.

import { MAKER, TEST_ADDRESSES } from './accounts.ts';
import { CHAIN_ID } from './anvil-node.ts';
import { createBlockWriter } from './block-writer.ts';
import {
  impersonateActors,
  prepareChain,
  queueContracts,
  queueTokens,
} from './deploy-contracts.ts';
import { deployOthers } from './deploy-others.ts';
import { queuePools } from './deploy-pools.ts';
import type { Deployment } from './deployment.ts';
import type { JsonRpc } from './json-rpc.ts';

/** Seconds between the blocks of the deployment. */
const BLOCK_INTERVAL_S = 12;
const ANCHOR_POOLS = 2;

interface Receipt {
  readonly status: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly gasUsed: string;
}

async function assertAllSucceeded(rpc: JsonRpc, blocks: readonly number[]): Promise<void> {
  const receipts = await rpc.batch<Receipt[]>(
    blocks.map((block) => ({
      method: 'eth_getBlockReceipts',
      params: [`0x${block.toString(16)}`],
    })),
  );
  const failed = receipts.flat().find((receipt) => receipt.status !== '0x1');
  if (failed === undefined) return;
  const { transactionHash, transactionIndex, gasUsed } = failed;
  throw new Error(
    `deployment transaction ${Number(transactionIndex)} (${transactionHash}) failed after ` +
      `${Number(gasUsed)} gas`,
  );
}

/** Everything except what depends on this run of the node. */
export type DeployedScene = Omit<Deployment, 'rpcUrl' | 'instance' | 'seed'>;

/**
 * On a chain with only its genesis block; returns when the last block of the deployment is mined.
 * With `hasOthers` there are pools of other exchanges than Uniswap, too.
 */
export async function deployScene(
  rpc: JsonRpc,
  genesisTimestamp: number,
  { hasOthers }: { readonly hasOthers: boolean },
): Promise<DeployedScene> {
  await prepareChain(rpc);
  await impersonateActors(rpc);
  const writer = createBlockWriter(rpc);
  const contracts = queueContracts(writer);
  const tokens = queueTokens(writer);
  const pools = queuePools({ writer, contracts, tokens });
  const blocks: number[] = [];
  let sent = 0;
  const mineAll = async () => {
    while (writer.queuedCount > 0) {
      blocks.push(blocks.length + 1);
      const hashes = await writer.mine(genesisTimestamp + blocks.length * BLOCK_INTERVAL_S);
      sent += hashes.length;
    }
  };
  await mineAll();
  const scene = { writer, contracts, tokens };
  const others = hasOthers ? await deployOthers(rpc, scene, mineAll) : {};
  const total = writer.nonceOf(MAKER);
  if (sent !== total) throw new Error(`sent ${sent} of ${total} deployment transactions`);
  await assertAllSucceeded(rpc, blocks);
  return {
    ...others,
    chainId: CHAIN_ID,
    startBlock: 0,
    genesisTimestamp,
    contracts,
    tokens,
    pools,
    anchorPools: pools.slice(0, ANCHOR_POOLS).map((pool) => pool.id),
    accounts: TEST_ADDRESSES,
  };
}
