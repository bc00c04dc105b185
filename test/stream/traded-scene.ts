// A token with one pool, whose trades and block times a test writes by hand, and its streams.

import type { Streams, StreamsOptions } from '../../src/market/stream/create-streams.ts';
import type { MarketEvent } from '../../src/model/block-events.ts';
import { buildFakeAddress } from '../fakes/fake-market.ts';
import { buildSwapEvent, createPool } from '../fakes/index-events.ts';
import { setReserves } from '../fakes/pool-events.ts';
import { createMarketScene, type MarketScene } from '../market-scene.ts';
import { type OpenOptions, openTestStream, startTestStreams } from '../stream-scene.ts';
import { poolId, transactionId } from '../test-ids.ts';
import { waitUntil } from '../wait-until.ts';

export const TOKEN = buildFakeAddress('aaaa', 18);
const WETH = buildFakeAddress('eeee', 5);
export const POOL = poolId(buildFakeAddress('dddd', 77));
export const INPUT = { chain: 'devnet', mint: TOKEN };

export interface TradedScene extends MarketScene {
  readonly streams: Streams;
  /** Mines and indexes a block with this many trades of the token, this long after the last one. */
  trade(count: number, stepMs?: number): Promise<void>;
  open: (
    options?: OpenOptions,
    input?: Record<string, string>,
  ) => ReturnType<typeof openTestStream>;
}

let hashes = 0;

export function buildTrades(count: number): MarketEvent[] {
  return Array.from({ length: count }, (_, logIndex) => {
    hashes += 1;
    return buildSwapEvent(POOL, [10n ** 18n, -(10n ** 15n)], {
      txHash: transactionId(`0x${hashes}`),
      logIndex,
    });
  });
}

export async function createTradedScene(
  t: { after(work: () => unknown): void },
  options: Partial<StreamsOptions> = {},
): Promise<TradedScene> {
  const cleanups: (() => unknown)[] = [];
  t.after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  const late = { after: (work: () => unknown) => cleanups.push(work) };
  const chain = { seed: 1, finalityDepth: 50, eventCountMax: 0, clock: 'steady' } as const;
  const scene = await createMarketScene(late, { engine: 'sqlite', blocks: 3, ...chain });
  const streams = startTestStreams(scene.market, options);
  late.after(() => streams.stop());
  const reserves = setReserves(POOL, 10n ** 24n, 10n ** 21n);
  scene.chain.extend(1, [createPool(POOL, [TOKEN, WETH]), reserves, ...buildTrades(1)]);
  await scene.settle();
  return {
    ...scene,
    streams,
    trade: async (count, stepMs) => {
      scene.chain.extend(1, buildTrades(count), stepMs);
      await scene.settle();
    },
    // The scene's trades have a price in the coin only.
    open: (how, input) =>
      openTestStream(streams, { ...INPUT, currency: 'native', outliers: 'include', ...input }, how),
  };
}

/** Connects, reads the snapshot, and disconnects. */
export async function visit(scene: TradedScene): Promise<string> {
  const stream = await scene.open();
  await waitUntil(() => stream.events.length > 0);
  const id = stream.events.findLast((event) => event.id !== null)?.id;
  stream.leave();
  return id!;
}

export const namesOf = (stream: { events: readonly { event: string }[] }) =>
  stream.events.map(({ event }) => event);
