// Solana nodes on a small chain, and adapters of them.

import type { KnownPools } from '../../src/chains/adapter.ts';
import { createSolanaAdapter } from '../../src/chains/solana/create-solana-adapter.ts';
import { SYSTEM_PROGRAM } from '../../src/chains/solana/data/solana-ids.ts';
import type { Address } from '../../src/model/ids.ts';
import { ManualClock } from './manual-clock.ts';
import { MemorySolana } from './memory-solana.ts';
import { type MisbehavingRpc, startMisbehavingRpc } from './misbehaving-rpc.ts';
import { buildCpmmSwap, QUOTE, setPool } from './solana-scene.ts';

const cleanups: (() => Promise<void> | void)[] = [];

/** For `afterEach`. */
export async function endSolanaScene(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export async function startSolanaNode(chain: MemorySolana): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc(chain.answer);
  cleanups.push(() => node.stop());
  return node;
}

/** On a clock that only moves when it sleeps. */
export function openSolanaAdapter(
  nodes: readonly MisbehavingRpc[],
  {
    stable = [],
    knownPools = async () => [],
  }: { readonly stable?: readonly Address[]; readonly knownPools?: KnownPools } = {},
) {
  const clock = new ManualClock();
  const { genesis } = new MemorySolana();
  const adapter = createSolanaAdapter({
    ...{ chain: 'solana', genesis, endpoints: nodes.map(({ url }) => url) },
    ...{ clock, random: () => 0.5, budgetMs: 10_000 },
    sleep: async (ms) => clock.advance(ms),
    knownPools,
    assets: {
      ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
      ...{ native: new Set([QUOTE, SYSTEM_PROGRAM]), stable: new Set(stable), anchorPools: [] },
    },
    limits: { timeoutMs: 300 },
  });
  cleanups.push(() => adapter.close());
  return adapter;
}

/** Slot 103 is skipped; 102 and 104 have a swap each, and 104 one that failed. */
export function buildSolanaChain(): MemorySolana {
  const chain = new MemorySolana();
  setPool(chain, 50_000_000n, 50_000_000n);
  chain.add(100);
  chain.add(101);
  chain.add(102, { transactions: [buildCpmmSwap({ id: 1, amountIn: 5000n, amountOut: 4000n })] });
  chain.add(104, {
    transactions: [
      buildCpmmSwap({ id: 2, amountIn: 7n, amountOut: 6n, err: { InstructionError: [0, 'x'] } }),
      buildCpmmSwap({ id: 3, amountIn: 300n, amountOut: 200n }),
    ],
  });
  chain.add(105);
  chain.finalized = 101;
  return chain;
}

/** All of it but the first block. */
export const WHOLE_RANGE = { fromBlock: 101, toBlock: 105, linked: true };
