// The routes in the shape of other APIs over HTTP, on a market that an indexer fills from a fake
// chain.

import { createCompatShapes } from '../src/compat/compat-shapes.ts';
import type { AnyHandler } from '../src/contract/handler.ts';
import { operations } from '../src/contract/operations.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createMarketScene, type Json, type MarketScene } from './market-scene.ts';
import { buildLimits, startTestServer } from './start-http-server.ts';
import type { Cleanup } from './start-service-process.ts';

export interface CompatServer {
  readonly scene: MarketScene;
  get(path: string): Promise<{
    readonly status: number;
    readonly headers: Headers;
    readonly json: Json;
  }>;
  /** All pools with a known value, the deepest first, with everything in them. */
  listPools(): Promise<Json[]>;
}

export async function startCompatServer(
  t: Cleanup,
  limits = buildLimits({}),
): Promise<CompatServer> {
  const options = { engine: 'sqlite', seed: 44, finalityDepth: 30, blocks: 300 } as const;
  const scene = await createMarketScene(t, options);
  const handlers = scene.market.handlers as unknown as Record<string, AnyHandler>;
  const server = await startTestServer(t, {
    operations: operations.filter(({ id }) => Object.hasOwn(handlers, id)),
    ...{ handlers, limits },
    compat: createCompatShapes({
      listChains: () => [{ slug: 'devnet', caip2: 'eip155:1337' }],
      readOrigin: () => 'http://localhost',
      clock: systemClock,
    }),
  });
  const get: CompatServer['get'] = async (path) => {
    const response = await server.get(path);
    const { status, headers } = response;
    return { status, headers, json: (await response.json()) as Json };
  };
  return {
    scene,
    get,
    listPools: async () => {
      const { json } = await get('/v1/pools?limit=100&include=windows,reserves,tokens');
      return json.pools;
    },
  };
}
