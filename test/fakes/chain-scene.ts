// A small market on a recorded chain, nodes that serve it, and adapters that do not really wait.

import type { BlockRange } from '../../src/chains/adapter.ts';
import {
  createEvmAdapter,
  type EvmAdapter,
  type EvmAdapterOptions,
} from '../../src/chains/evm/create-evm-adapter.ts';
import type { EvmDeployment } from '../../src/chains/evm/data/deployments/evm-deployment.ts';
import { addressWord, uintWord } from '../../src/chains/evm/data/hex-data.ts';
import { TRANSFER_TOPIC } from '../../src/chains/evm/tokens/decode-transfer.ts';
import {
  SWAP_TOPIC,
  SYNC_TOPIC,
} from '../../src/chains/evm/venues/uniswap-v2/decode-uniswap-v2.ts';
import { PAIR_CREATED_TOPIC } from '../../src/chains/evm/venues/uniswap-v2/v2-layouts.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { BlockEvents } from '../../src/model/block-events.ts';
import type { Address } from '../../src/model/ids.ts';
import { address as toId } from '../test-ids.ts';
import { type AnnouncingNode, startAnnouncingNode } from './announcing-node.ts';
import { MemoryChain, type MemoryChainOptions, type MemoryLog } from './memory-chain.ts';
import { type MisbehavingRpc, startMisbehavingRpc, type TrueAnswer } from './misbehaving-rpc.ts';

export const address = (n: number) => toId(`0x${n.toString(16).padStart(40, '0')}`);
export const topic = (value: Address) => `0x${addressWord(value)}`;

export const FACTORY = address(0xfac);
export const PAIR = address(0x9a1);
export const FALSE_PAIR = address(0xbad);
export const TOKEN = address(0x70c);
export const WETH = address(0xe7);
export const TRADER = address(0x7);

export const SCENE_DEPLOYMENT: EvmDeployment = {
  chain: 'devnet',
  chainId: 1337,
  native: { symbol: 'ETH', decimals: 18 },
  wrapped: WETH,
  wrappedEmitsTransfers: false,
  stables: [],
  anchorPools: [],
  v2: [
    { venue: 'uniswap-v2', factory: FACTORY, feePips: 3000, router: null, universalRouter: true },
  ],
  v3: [],
  v4: null,
  universalRouter: null,
  permit2: null,
  multicall3: null,
  finalityDepth: 8,
};

export function transfer(amount: number): MemoryLog {
  const topics = [TRANSFER_TOPIC, topic(TRADER), topic(PAIR)];
  return { address: TOKEN, topics, data: `0x${uintWord(amount)}` };
}

/** A transfer that changes the supply. */
export function mint(amount: number): MemoryLog {
  const topics = [TRANSFER_TOPIC, `0x${uintWord(0)}`, topic(TRADER)];
  return { address: TOKEN, topics, data: `0x${uintWord(amount)}` };
}

export function buildSwapLogs(pool: string, amount: number): MemoryLog[] {
  const words = [amount, 0, 0, amount + 1].map(uintWord).join('');
  return [
    { address: pool, topics: [SYNC_TOPIC], data: `0x${uintWord(amount)}${uintWord(7)}` },
    { address: pool, topics: [SWAP_TOPIC, topic(TRADER), topic(TRADER)], data: `0x${words}` },
  ];
}

export const PAIR_CREATED: MemoryLog = {
  address: FACTORY,
  topics: [PAIR_CREATED_TOPIC, topic(TOKEN), topic(WETH)],
  data: `0x${addressWord(PAIR)}${uintWord(1)}`,
};

/** A log with an irrelevant topic. */
const NOISE: MemoryLog = {
  address: address(0x401),
  topics: [`0x${'ab'.repeat(32)}`],
  data: '0x',
};

/** Sixty blocks: a pair, then transfers in most, swaps in some, nothing in a few. */
export function recordChain(options: Partial<MemoryChainOptions> = {}): MemoryChain {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true, ...options });
  chain.add([{ from: TRADER, logs: [PAIR_CREATED] }]);
  for (let n = 2; n <= 60; n += 1) {
    if (n % 7 === 0) chain.add([]);
    else if (n % 3 === 0) {
      const one = { from: TRADER, logs: [transfer(n), ...buildSwapLogs(PAIR, n), NOISE] };
      chain.add([one, { from: address(n), logs: [NOISE, ...buildSwapLogs(PAIR, n + 500)] }]);
    } else chain.add([{ from: TRADER, logs: [transfer(n), NOISE, transfer(n + 1_000)] }]);
  }
  return chain;
}

const cleanups: (() => Promise<void>)[] = [];

/** Stops every node and adapter started here; call it after each test. */
export async function endScene(): Promise<void> {
  for (const cleanup of cleanups.splice(0)) await cleanup();
}

export async function startNode(chain: MemoryChain | TrueAnswer): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc(chain instanceof MemoryChain ? chain.answer : chain);
  cleanups.push(() => node.stop());
  return node;
}

/** Waits are skipped: only the adapter's clock advances. */
export function createSceneAdapter(
  nodes: readonly { readonly url: string }[],
  options: Partial<EvmAdapterOptions> = {},
): EvmAdapter {
  let skippedMs = 0;
  const adapter = createEvmAdapter({
    chain: 'devnet',
    endpoints: nodes.map((node) => node.url),
    deployment: SCENE_DEPLOYMENT,
    clock: {
      nowMs: systemClock.nowMs,
      monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    },
    sleep: async (ms) => {
      skippedMs += ms;
    },
    random: () => 0.5,
    knownPools: async () => [],
    budgetMs: 120_000,
    limits: { timeoutMs: 1000 },
    ...options,
  });
  cleanups.push(() => adapter.close());
  return adapter;
}

/** A node that announces blocks; stopped with the scene. */
export async function startAnnouncer(
  behaviour: Parameters<typeof startAnnouncingNode>[0] = { chainId: '0x539' },
): Promise<AnnouncingNode> {
  const node = await startAnnouncingNode(behaviour);
  cleanups.push(() => node.stop());
  return node;
}

/** The whole recorded chain. */
export const ALL: BlockRange = { fromBlock: 0, toBlock: 60, linked: false };
export const LINKED: BlockRange = { ...ALL, linked: true };

export function toEvents(blocks: readonly BlockEvents[]) {
  return blocks.map(({ header, events }) => ({ number: header.position, events }));
}

/** What an honest node returns for the recorded chain. */
export async function readHonestly(chain: MemoryChain) {
  const range = { ...ALL, toBlock: chain.head };
  return toEvents((await createSceneAdapter([await startNode(chain)]).readBlocks(range)).blocks);
}
