// Keeps the market moving: a few actions per second, as long as the chain keeps up.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { buildSendCall, type TxRequest } from './block-writer.ts';
import type { JsonRpc } from './json-rpc.ts';
import { advanceDrift, type DevnetMarket } from './market.ts';
import { settleDrift, syncMarket } from './market-sync.ts';
import { planNext } from './plan-next.ts';
import type { SeededRandom } from './random.ts';

export interface Traders {
  stop(): Promise<void>;
}

export interface TradersOptions {
  readonly rpc: JsonRpc;
  readonly market: DevnetMarket;
  readonly random: SeededRandom;
  readonly log: (line: string) => void;
  /** Resolves when the chain has another block, or on abort. */
  readonly untilBlock: (signal: AbortSignal) => Promise<void>;
  /** The mean time between two actions. */
  readonly pauseMeanMs: number;
}

const PAUSE_AFTER_FAILURE_MS = 2_000;
/** The traders' model drifts from reality, so it is read again at this interval. */
const SYNC_EVERY_MS = 120_000;
/** Traders send nothing while this many of their transactions are pending. */
export const PENDING_MAX = 8;
/** Far less than wallets offer, so that users' transactions come first in a block. */
const PRIORITY_FEE_PER_GAS = 1_000n;

/** The pending transactions of the traders. */
class PendingTransactions {
  readonly #rpc: JsonRpc;
  #hashes: Hex[] = [];

  constructor(rpc: JsonRpc) {
    this.#rpc = rpc;
  }

  get count(): number {
    return this.#hashes.length;
  }

  add(hash: Hex): void {
    this.#hashes.push(hash);
  }

  /** Drops what was mined, and what the node no longer has. */
  async refresh(): Promise<void> {
    const found = await this.#rpc.batch<{ readonly blockNumber: Hex | null } | null>(
      this.#hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] })),
    );
    this.#hashes = this.#hashes.filter((_, index) => found[index]?.blockNumber === null);
  }
}

/** The base fee rises by at most an eighth per block; wallets offer a fifth more and a tip. */
async function readFloorFees(rpc: JsonRpc) {
  const head = await rpc.call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', 'latest', false);
  const maxFeePerGas = (BigInt(head.baseFeePerGas) * 9n) / 8n + 1n + PRIORITY_FEE_PER_GAS;
  return { maxFeePerGas, maxPriorityFeePerGas: PRIORITY_FEE_PER_GAS };
}

/** One at a time, because the node counts the nonces and a sender may act twice in a row. */
async function send(
  { rpc, untilBlock }: TradersOptions,
  pending: PendingTransactions,
  order: { readonly txs: readonly TxRequest[]; readonly signal: AbortSignal },
): Promise<void> {
  for (const tx of order.txs) {
    while (pending.count >= PENDING_MAX && !order.signal.aborted) {
      await pending.refresh();
      if (pending.count >= PENDING_MAX) await untilBlock(order.signal);
    }
    if (order.signal.aborted) return;
    const { method, params } = buildSendCall(tx, await readFloorFees(rpc));
    pending.add(await rpc.call<Hex>(method, ...params));
  }
}

async function trade(options: TradersOptions, signal: AbortSignal): Promise<void> {
  const { rpc, market, random, log, pauseMeanMs } = options;
  const pending = new PendingTransactions(rpc);
  let failures = 0;
  let syncedAt = 0;
  let actedAt = Date.now();
  while (!signal.aborted) {
    try {
      if (Date.now() - syncedAt > SYNC_EVERY_MS) {
        await syncMarket(rpc, market);
        if (syncedAt === 0) settleDrift(market);
        syncedAt = Date.now();
      }
      advanceDrift(market, random, (Date.now() - actedAt) / 1_000);
      actedAt = Date.now();
      await send(options, pending, { txs: planNext(market, random), signal });
      failures = 0;
    } catch (error) {
      failures += 1;
      // Somebody may have rewritten the chain: log it once, then read the state again.
      if (failures === 1 && !signal.aborted) log(`a trader failed: ${String(error)}`);
      syncedAt = Date.now() - SYNC_EVERY_MS;
      await sleep(PAUSE_AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined);
    }
    const pauseMs = pauseMeanMs * (0.2 + 1.6 * random.next());
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

export function startTraders(options: TradersOptions): Traders {
  const controller = new AbortController();
  const ended = trade(options, controller.signal);
  return {
    async stop() {
      controller.abort();
      await ended;
    },
  };
}
