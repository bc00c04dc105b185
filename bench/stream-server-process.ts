// A process with the real streams and HTTP server, fed by an indexer's thread.

import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { createIdentify } from '../src/access/identify.ts';
import { loadConfig } from '../src/config.ts';
import type { AnyHandler } from '../src/contract/handler.ts';
import { operations } from '../src/contract/operations.ts';
import { findFamily } from '../src/engines/chain-families.ts';
import { openStore } from '../src/engines/open-store.ts';
import { DEFAULT_TIMEOUTS } from '../src/http/create-bare-server.ts';
import { createHttpServer } from '../src/http/create-http-server.ts';
import { systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/retry.ts';
import { decodeBatch, type EncodedBatch } from '../src/live/encode-batch.ts';
import { LocalFeed } from '../src/live/local-feed.ts';
import { createMarket } from '../src/market/create-market.ts';
import { TokenLists } from '../src/market/lists/token-lists.ts';
import { TokenLogos } from '../src/market/lists/token-logos.ts';
import type { MarketChain } from '../src/market/market-parts.ts';
import { createStreams } from '../src/market/stream/create-streams.ts';
import { ChainRegistry } from '../src/model/chain-registry.ts';
import { createLogger } from '../src/telemetry/logger.ts';
import { Metrics } from '../src/telemetry/metrics.ts';
import { ASSETS, CHAINS } from './stream-market.ts';
import type { WriterCommand } from './stream-writer.ts';

const PLENTY = { perMinute: 1e9, burst: 1e9 };

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}

const config = loadConfig({ DATA_DIR: process.argv[2], DEVNET: 'off' });
const store = await openStore(config.store);
const feed = new LocalFeed({ onError: fail });
/** A thread for each chain. */
const workers = await Promise.all(
  CHAINS.map(async (slug) => {
    const worker = new Worker(new URL('./stream-writer.ts', import.meta.url), {
      workerData: { store: config.store, chain: slug },
    });
    const begun = Promise.withResolvers<void>();
    worker.on('message', (batch: EncodedBatch) => {
      feed.publish(decodeBatch(batch));
      begun.resolve();
    });
    worker.on('error', fail);
    await begun.promise;
    return { slug, worker };
  }),
);

const { addresses } = findFamily('devnet');
const chains = CHAINS.map(
  (slug): MarketChain => ({
    slug,
    addresses,
    assets: ASSETS,
    tradedVenues: new Set(),
    findHook: () => null,
    vaults: new Set(),
    burnAddresses: new Set(),
    findLogoUrl: () => null,
    noteIncomplete: () => undefined,
    requestHistory: () => undefined,
    findContracts: async () => new Map(),
    readHoldings: async () => null,
  }),
);
const market = createMarket({
  findSafety: () => null,
  store,
  feed,
  chains: {
    known: new ChainRegistry(),
    list: () => CHAINS,
    findAddresses: () => addresses,
    find: (slug) => chains.find((one) => one.slug === slug) ?? null,
  },
  clock: systemClock,
  logos: new TokenLogos({
    ...{ cache: null, ipfsGateway: null, clock: systemClock, onFailure: fail },
    fetchLogo: () => Promise.reject(new Error('there are no logos')),
  }),
  lists: new TokenLists({
    sources: [],
    sleep,
    random: Math.random,
    onFailure: () => undefined,
    onRecovered: () => undefined,
  }),
  depthOf: () => ({ trades: 100, holders: 100, klines: 1000, prices: 30, alerts: 0 }),
  buildSegment: () => Promise.reject(new Error('nobody searches here')),
  cacheBytesMax: 1024 * 1024,
  onError: () => undefined,
});
await market.pauses.start();
await market.states.start();
market.parts.stats.start();
const streams = createStreams({
  parts: market.parts,
  directory: { list: () => [] },
  clock: systemClock,
  random: Math.random,
  sleep: (ms) => sleep(ms),
  limits: {
    resumeMs: 86_400_000,
    resumeEventsMax: 50_000,
    snapshotTrades: 50,
    pageEvents: 500,
    waitingBytesMax: 256 * 1024,
    stallMs: 60_000,
  },
  slots: { limitOf: () => 1e6, totalMax: 1e6 },
  tokensMax: () => 100,
  watch: () => () => undefined,
  onError: fail,
});
streams.start();
const server = createHttpServer({
  operations: operations.filter(({ id }) => id === 'getTokenStream'),
  handlers: streams.handlers as unknown as Readonly<Record<string, AnyHandler>>,
  limits: {
    ipBudget: { policy: 'ip', ...PLENTY },
    budgets: {
      anonymous: { policy: 'anonymous', ...PLENTY },
      key: { policy: 'key', ...PLENTY },
      session: { policy: 'session', ...PLENTY },
    },
    identitiesMax: 1000,
  },
  access: {
    identify: createIdentify({ key: () => null, session: () => null }),
    countUse: () => undefined,
  },
  isAllowedOrigin: () => false,
  isSecure: false,
  trustedProxies: [],
  overload: { requestsMax: 1e6, lagMaxMs: 1e9 },
  timeouts: DEFAULT_TIMEOUTS,
  clock: systemClock,
  createRequestId: () => 'bench',
  logger: createLogger({ level: 'silent', format: 'json' }),
  metrics: new Metrics(),
  isDraining: () => false,
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('message', (command: WriterCommand | 'collect') => {
  if (command !== 'collect') {
    // One chain alone, or all of them at the same time.
    for (const { slug, worker } of workers) {
      if (command.chains.includes(slug)) worker.postMessage(command);
    }
    return;
  }
  globalThis.gc?.();
  const heapMb = process.memoryUsage().heapUsed / 1024 / 1024;
  process.send?.({ streams: streams.hub.clientCount, heapMb });
});
process.on('disconnect', () => process.exit(0));
