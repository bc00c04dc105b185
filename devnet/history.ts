// Gives a fresh chain a past: blocks of trades with timestamps that end about now.

import type { Address } from 'viem';
import { MAKER } from './accounts.ts';
import { createBlockWriter } from './block-writer.ts';
import type { Deployment } from './deployment.ts';
import type { JsonRpc } from './json-rpc.ts';
import { advanceDrift, createMarket, type Market } from './market.ts';
import { createRandom } from './random.ts';
import { planNext } from './trade-plan.ts';

export interface HistoryOptions {
  readonly blocks: number;
  /** On average; each comes with the approvals that it needs. */
  readonly actionsPerBlock: number;
  readonly fromTimestamp: number;
  readonly toTimestamp: number;
  /** Told now and then, from 0 to 1, and waited for. */
  readonly onProgress: (share: number) => void | Promise<void>;
}

export interface HistorySummary {
  readonly market: Market;
  readonly blocks: number;
  readonly transactions: number;
}

/** Above 1, blocks lie closer together towards the present, where charts are looked at closely. */
const DENSITY = 1.7;
const PROGRESS_EVERY = 25;

function toTimestamps(options: HistoryOptions): number[] {
  const { blocks, fromTimestamp, toTimestamp } = options;
  const span = toTimestamp - fromTimestamp;
  const stamps = Array.from({ length: blocks }, (_, index) => {
    const past = 1 - (index + 1) / blocks;
    return toTimestamp - Math.floor(span * past ** DENSITY);
  });
  // Seconds are whole and each block must be later than the one before.
  for (let index = blocks - 2; index >= 0; index--) {
    stamps[index] = Math.min(stamps[index] ?? 0, (stamps[index + 1] ?? 0) - 1);
  }
  return stamps;
}

/** Right after the deployment, whose transactions are the maker's first. */
export async function writeHistory(
  rpc: JsonRpc,
  deployment: Deployment,
  options: HistoryOptions & { readonly makerNonce: number },
): Promise<HistorySummary> {
  const random = createRandom(deployment.seed);
  const market = createMarket(deployment);
  const writer = createBlockWriter(rpc, new Map<Address, number>([[MAKER, options.makerNonce]]));
  let transactions = 0;
  let previous = options.fromTimestamp;
  for (const [index, timestamp] of toTimestamps(options).entries()) {
    advanceDrift(market, random, timestamp - previous);
    previous = timestamp;
    const actions = 1 + random.below(options.actionsPerBlock * 2 - 1);
    for (let n = 0; n < actions; n++) {
      for (const tx of planNext(market, random)) writer.queue(tx);
    }
    transactions += (await writer.mine(timestamp)).length;
    if (index % PROGRESS_EVERY === 0) await options.onProgress(index / options.blocks);
  }
  return { market, blocks: options.blocks, transactions };
}
