// Writes the history of a new chain: blocks of trades with timestamps that end about now.

import type { Address } from 'viem';
import { MAKER } from './accounts.ts';
import { createBlockWriter } from './block-writer.ts';
import type { Deployment } from './deployment.ts';
import type { JsonRpc } from './json-rpc.ts';
import { advanceDrift, createDevnetMarket, type DevnetMarket } from './market.ts';
import { planNext } from './plan-next.ts';
import { createSeededRandom } from './random.ts';

export interface HistoryOptions {
  readonly blocks: number;
  /** On average; each comes with the approvals that it needs. */
  readonly actionsPerBlock: number;
  readonly fromTimestamp: number;
  readonly toTimestamp: number;
  /** Called periodically with a value from 0 to 1, and awaited. */
  readonly onProgress: (share: number) => void | Promise<void>;
}

export interface HistorySummary {
  readonly market: DevnetMarket;
  readonly blocks: number;
  readonly transactions: number;
}

/** Above 1, blocks are denser towards the present, where charts are viewed in detail. */
const DENSITY = 1.7;
const PROGRESS_EVERY = 25;

function planTimestamps(options: HistoryOptions): number[] {
  const { blocks, fromTimestamp, toTimestamp } = options;
  const span = toTimestamp - fromTimestamp;
  const stamps = Array.from({ length: blocks }, (_, index) => {
    const past = 1 - (index + 1) / blocks;
    return toTimestamp - Math.floor(span * past ** DENSITY);
  });
  // Timestamps are whole seconds and each block must be later than the previous one.
  for (let index = blocks - 2; index >= 0; index--) {
    stamps[index] = Math.min(stamps[index] ?? 0, (stamps[index + 1] ?? 0) - 1);
  }
  return stamps;
}

/** Requires a fresh deployment, whose transactions are the maker's first. */
export async function writeHistory(
  rpc: JsonRpc,
  deployment: Deployment,
  options: HistoryOptions & { readonly makerNonce: number },
): Promise<HistorySummary> {
  const random = createSeededRandom(deployment.seed);
  const market = createDevnetMarket(deployment);
  const writer = createBlockWriter(rpc, new Map<Address, number>([[MAKER, options.makerNonce]]));
  let transactions = 0;
  let previous = options.fromTimestamp;
  for (const [index, timestamp] of planTimestamps(options).entries()) {
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
