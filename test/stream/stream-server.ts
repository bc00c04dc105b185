// Streams and reads behind the real HTTP layer, with access, on a market that a fake chain fills.

import type { TestContext } from 'node:test';
import { type Access, createAccess } from '../../src/access/create-access.ts';
import { loadConfig } from '../../src/config.ts';
import type { AnyHandler } from '../../src/contract/handler.ts';
import { operations } from '../../src/contract/operations.ts';
import { findFamily } from '../../src/engines/chain-families.ts';
import type { HttpServerOptions } from '../../src/http/create-http-server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createAlerts } from '../../src/market/create-alerts.ts';
import type { Streams, StreamsOptions } from '../../src/market/stream/create-streams.ts';
import { type AccessClient, createAccessClient } from '../access-client.ts';
import type { FakeChainOptions } from '../fakes/fake-chain.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { createMarketScene, type MarketScene, type SceneEngine } from '../market-scene.ts';
import { type HttpStream, type HttpStreamOptions, openHttpStream } from '../open-http-stream.ts';
import { createTestPeppers, PLENTY_ENV } from '../start-access.ts';
import { OWN_PAGE, startTestServer, type TestServer } from '../start-http-server.ts';
import { startTestStreams } from '../stream-scene.ts';

export interface StreamServer extends AccessClient {
  readonly scene: MarketScene;
  readonly streams: Streams;
  readonly server: TestServer;
  readonly access: Access;
  /** Another node of the service, on the same store. */
  readonly otherAccess: Access;
  /** A token of the chain, from final blocks. */
  readonly mint: string;
  /** The stream's URL with a query for that token. */
  buildUrl(query?: string): string;
  open(query?: string, options?: HttpStreamOptions): Promise<HttpStream>;
}

export interface StreamServerOptions {
  readonly engine?: SceneEngine;
  readonly chain?: Partial<FakeChainOptions>;
  readonly env?: Readonly<Record<string, string>>;
  readonly streams?: Partial<StreamsOptions>;
  readonly http?: Partial<HttpServerOptions>;
}

async function findToken(scene: MarketScene): Promise<string> {
  const rows = await scene.store.market.readTokens('devnet', FAKE_TOKENS);
  const trading = rows.filter(({ firstSeenBlock, tradeCount, decimals }) => {
    return firstSeenBlock <= scene.chain.finalized && tradeCount > 3 && decimals !== null;
  });
  const [row] = trading;
  if (row === undefined) throw new Error('no token of the chain has trades');
  return row.token;
}

export async function startStreamServer(
  t: TestContext,
  options: StreamServerOptions = {},
): Promise<StreamServer> {
  const cleanups: (() => unknown)[] = [];
  // Last first: a store closes after its users.
  t.after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });
  const late = { after: (work: () => unknown) => cleanups.push(work) };
  const chain = { seed: 4, finalityDepth: 12, clock: 'steady', ...options.chain } as const;
  const engine = options.engine ?? 'sqlite';
  const scene = await createMarketScene(late, { engine, blocks: 40, ...chain });
  const config = loadConfig({ ...PLENTY_ENV, PUBLIC_ORIGIN: OWN_PAGE, ...options.env });
  const parts = {
    ...{ config, store: scene.store.access, peppers: createTestPeppers(), operations },
    listChains: () => [],
    findFamily,
    verifyContractSignature: async () => false,
    clock: systemClock,
    log: { warn: () => undefined },
  };
  const [access, otherAccess] = [createAccess(parts), createAccess(parts)];
  access.start();
  late.after(() => Promise.all([access.stop(), otherAccess.stop()]));
  const streams = startTestStreams(scene.market, {
    slots: {
      limitOf: (identity) => access.tiers[identity.kind].depth.streams,
      totalMax: 10_000,
    },
    tokensMax: (identity) => access.tiers[identity.kind].depth.streamTokens,
    watch: (identity, onEnded) => access.watch.watch(identity, onEnded),
    ...options.streams,
  });
  late.after(() => streams.stop());
  let alerts = 0;
  const createId = () => {
    alerts += 1;
    return `al_${alerts}`;
  };
  const handlers = {
    ...{ ...scene.market.handlers, ...access.handlers, ...streams.handlers },
    ...createAlerts({
      ...{ ...scene.market.parts, webhooks: scene.store.webhooks },
      ...{ clock: systemClock, createId },
    }),
  };
  const names = new Set(Object.keys(handlers));
  const { anonymous, key, session } = access.tiers;
  const server = await startTestServer(late, {
    operations: operations.filter(({ id }) => names.has(id)),
    handlers: handlers as unknown as Readonly<Record<string, AnyHandler>>,
    limits: {
      ipBudget: { policy: 'ip', perMinute: 1_000_000, burst: 1_000_000 },
      budgets: { anonymous: anonymous.budget, key: key.budget, session: session.budget },
      identitiesMax: 1000,
    },
    access,
    isAllowedOrigin: (origin) => access.origins.isAllowed(origin),
    isSecure: access.origins.isSecure,
    ...options.http,
  });
  const mint = await findToken(scene);
  const buildUrl = (query = '') =>
    `${server.origin}/v1/token/stream?chain=devnet&mint=${mint}${query}`;
  return {
    ...createAccessClient(server.origin),
    ...{ scene, streams, server, access, otherAccess, mint, buildUrl },
    open: (query, how) => openHttpStream(buildUrl(query), how),
  };
}
