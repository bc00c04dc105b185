// A Solana chain that makes a block every 400 ms whatever its readers do, behind an endpoint whose
// every answer takes a while.

import assert from 'node:assert/strict';
import { createSolanaAdapter } from '../../src/chains/solana/create-solana-adapter.ts';
import { SYSTEM_PROGRAM } from '../../src/chains/solana/data/solana-ids.ts';
import { Indexer } from '../../src/ingest/follow/indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../../src/ingest/follow/indexer-options.ts';
import { createSqlitePlace } from '../conformance/store-place.ts';
import type { Cleanup } from '../start-service-process.ts';
import { startMisbehavingRpc } from './misbehaving-rpc.ts';
import { QUOTE } from './solana-scene.ts';
import { TRADED_START, TradedSolana } from './traded-solana.ts';
import { VirtualTime } from './virtual-time.ts';

export const SLOT_MS = 400;
const FINAL_SLOTS = 32;
const START_MS = 1_700_000_000_000;
const WAIT_MAX_MS = 300_000;

export async function startSlowSolana(
  t: Cleanup,
  options: {
    readonly latencyMs: number;
    /** How many slots the chain has when the index begins. */
    readonly historySlots: number;
    readonly scene?: TradedSolana;
  },
) {
  const { scene = new TradedSolana() } = options;
  const { chain } = scene;
  const firstMs = START_MS - options.historySlots * SLOT_MS;
  const grow = (nowMs: number) => {
    const slot = TRADED_START + Math.floor((nowMs - firstMs) / SLOT_MS);
    while (chain.head < slot) scene.trade();
    chain.finalized = Math.max(TRADED_START, chain.head - FINAL_SLOTS);
  };
  grow(START_MS);
  const time = new VirtualTime(START_MS, grow);
  const place = await createSqlitePlace();
  const store = await place.open();
  const node = await startMisbehavingRpc(async (method, params) => {
    await time.sleep(options.latencyMs);
    return chain.answer(method, params);
  });
  const { market } = store;
  const assets = {
    ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
    ...{ native: new Set([QUOTE, SYSTEM_PROGRAM]), stable: new Set<never>(), anchorPools: [] },
  };
  const { sleep } = time;
  const adapter = createSolanaAdapter({
    ...{ chain: 'devnet', genesis: chain.genesis, endpoints: [node.url], clock: time, sleep },
    ...{ random: () => 0.5, knownPools: (pools) => market.readPools('devnet', pools), assets },
  });
  const warnings: string[] = [];
  const indexer = new Indexer({
    ...DEFAULT_INDEXER_OPTIONS,
    ...{ adapter, store: market, startBlock: TRADED_START, clock: time, sleep },
    ...{ random: () => 0.5, onCommitted: () => undefined, headStallAfterMs: null },
    adoption: { callsPerMinute: 6000, idleMs: 2000 },
    log: {
      info: () => undefined,
      warn: (fields, message) => {
        const cause = 'err' in fields && fields.err instanceof Error ? fields.err.message : '';
        warnings.push(`${message} ${cause}`);
      },
    },
  });
  const running = time.run();
  t.after(async () => {
    await indexer.stop();
    await adapter.close();
    time.stop();
    await running;
    await node.stop();
    await store.close();
    await place.remove();
  });
  indexer.start();
  /** Fails after five minutes of the chain's time. */
  const until = async (isDone: () => boolean | Promise<boolean>, what: string) => {
    const endMs = time.nowMs() + WAIT_MAX_MS;
    while (!(await isDone())) {
      if (time.nowMs() > endMs) {
        assert.fail(`${what}: ${JSON.stringify(indexer.status())} ${warnings.at(-1)}`);
      }
      await time.sleep(SLOT_MS);
    }
  };
  return { scene, chain, node, time, store: market, indexer, until, warnings };
}
