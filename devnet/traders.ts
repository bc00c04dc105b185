// Keeps the market moving: a few things happen every second for as long as the devnet runs.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { toSendCall } from './block-writer.ts';
import type { JsonRpc } from './json-rpc.ts';
import { advanceDrift, type Market } from './market.ts';
import { settleDrift, syncMarket } from './market-sync.ts';
import type { Random } from './random.ts';
import { planNext } from './trade-plan.ts';

export interface Traders {
  stop(): Promise<void>;
}

export interface TradersOptions {
  readonly rpc: JsonRpc;
  readonly market: Market;
  readonly random: Random;
  readonly log: (line: string) => void;
}

/** Between two things that happen, on average. */
const PAUSE_MEAN_MS = 350;
const PAUSE_AFTER_FAILURE_MS = 2_000;
/** What the traders believe drifts from what is so; they look again this often. */
const SYNC_EVERY_MS = 120_000;

/** One at a time, because the node counts the nonces and a sender may act twice in a row. */
async function act({ rpc, market, random }: TradersOptions): Promise<void> {
  for (const tx of planNext(market, random)) {
    const { method, params } = toSendCall(tx);
    await rpc.call<Hex>(method, ...params);
  }
}

async function trade(options: TradersOptions, signal: AbortSignal): Promise<void> {
  const { rpc, market, random, log } = options;
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
      await act(options);
      failures = 0;
    } catch (error) {
      failures += 1;
      // Somebody may have rewritten the chain under the traders: say so once, then look afresh.
      if (failures === 1 && !signal.aborted) log(`traders stumbled: ${String(error)}`);
      syncedAt = Date.now() - SYNC_EVERY_MS;
      await sleep(PAUSE_AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined);
    }
    const pauseMs = PAUSE_MEAN_MS * (0.2 + 1.6 * random.next());
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
