// Pins what lists and `/pool` reject, and that they can be asked for conditionally, over HTTP.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildFakeAddress } from '../../test/fakes/fake-market.ts';
import { createMarketScene, type Json } from '../../test/market-scene.ts';
import { setUp } from '../../test/root-hooks.ts';
import { startTestServer, type TestServer } from '../../test/start-http-server.ts';
import type { AnyHandler } from '../contract/handler.ts';
import { getPool } from '../contract/operations/get-pool.ts';
import { listPools } from '../contract/operations/list-pools.ts';
import { listTokens } from '../contract/operations/list-tokens.ts';
import { createInputParser } from '../contract/parse-input.ts';

const MINT = buildFakeAddress('aaaa', 10);
const UNKNOWN = buildFakeAddress('bbbb', 1);

let server: TestServer;

setUp(async (t) => {
  const options = { engine: 'sqlite', seed: 12, finalityDepth: 30, blocks: 60 } as const;
  const scene = await createMarketScene(t, options);
  server = await startTestServer(t, {
    operations: [listTokens, listPools, getPool],
    handlers: scene.market.handlers as unknown as Record<string, AnyHandler>,
  });
});

const REFUSALS: readonly [path: string, status: number, code: string, field: string | null][] = [
  ['/tokens?sort=price', 400, 'INVALID_INPUT', 'sort'],
  ['/tokens?window=7d', 400, 'INVALID_INPUT', 'window'],
  ['/tokens?minLiquidityUsd=-1', 400, 'INVALID_INPUT', 'minLiquidityUsd'],
  ['/tokens?minVolumeUsd=1e3', 400, 'INVALID_INPUT', 'minVolumeUsd'],
  ['/tokens?maxAgeSeconds=0', 400, 'INVALID_INPUT', 'maxAgeSeconds'],
  ['/tokens?venue=', 400, 'INVALID_INPUT', 'venue'],
  ['/tokens?verified=yes', 400, 'INVALID_INPUT', 'verified'],
  ['/tokens?launchpad=', 400, 'INVALID_INPUT', 'launchpad'],
  ['/tokens?include=scams', 400, 'INVALID_INPUT', 'include.0'],
  ['/tokens?sparkline=7d', 400, 'INVALID_INPUT', 'sparkline'],
  ['/tokens?limit=101', 400, 'INVALID_INPUT', 'limit'],
  ['/tokens?cursor=abc', 400, 'INVALID_CURSOR', 'cursor'],
  ['/tokens?chain=devnet&chain=atlantis', 400, 'UNKNOWN_CHAIN', 'chain'],
  ['/tokens?chain=devnet,base', 400, 'CHAIN_NOT_FOLLOWED', 'chain'],
  ['/tokens?sort=new&sort=new', 400, 'INVALID_INPUT', 'sort'],
  ['/pools?sort=price', 400, 'INVALID_INPUT', 'sort'],
  ['/pools?limit=101', 400, 'INVALID_INPUT', 'limit'],
  ['/pools?venue=', 400, 'INVALID_INPUT', 'venue'],
  ['/pools?cursor=abc', 400, 'INVALID_CURSOR', 'cursor'],
  ['/pools?chain=devnet,base', 400, 'CHAIN_NOT_FOLLOWED', 'chain'],
  [`/pools?mint=${MINT}`, 400, 'INVALID_INPUT', 'chain'],
  ['/pools?chain=devnet&mint=0x12', 400, 'INVALID_ADDRESS', 'mint'],
  [`/pools?chain=devnet&mint=${UNKNOWN}`, 404, 'TOKEN_NOT_FOUND', null],
  ['/pool?chain=devnet', 400, 'INVALID_INPUT', 'pool'],
  [`/pool?chain=base&pool=${UNKNOWN}`, 400, 'CHAIN_NOT_FOLLOWED', 'chain'],
  ['/pool?chain=devnet&pool=abc', 400, 'INVALID_ADDRESS', 'pool'],
  [`/pool?chain=devnet&pool=${UNKNOWN}`, 404, 'POOL_NOT_FOUND', null],
];

describe('lists and pools', () => {
  for (const [path, status, code, field] of REFUSALS) {
    test(`${path} is ${status} ${code}${field ? ` naming ${field}` : ''}`, async () => {
      const response = await server.get(`/v1${path}`);
      const json = (await response.json()) as Json;
      assert.equal(response.status, status, JSON.stringify(json));
      assert.equal(json.code, code);
      if (field !== null) assert.equal(json.errors?.[0]?.path, field);
    });
  }

  test('rows are token summaries with windows, and a sparkline only where asked for', async () => {
    const read = async (query: string) => {
      return (await (await server.get(`/v1/tokens?sort=liquidity${query}`)).json()) as Json;
    };
    const [plain] = (await read('')).tokens;
    assert.equal(plain.match, null);
    assert.ok(!('sparkline' in plain));
    const [row] = (await read('&sparkline=24h')).tokens;
    assert.equal(row.sparkline.length, 48);
  });

  test('no token comes from a launchpad', async () => {
    const json = (await (await server.get('/v1/tokens?sort=new&launchpad=any')).json()) as Json;
    assert.deepEqual([json.tokens, json.nextCursor], [[], null]);
    assert.deepEqual(Object.keys(json.asOf), ['devnet']);
  });

  test('a list of no chains, or of nothing to include, is refused', () => {
    for (const [operation, input, field] of [
      [listTokens, { chain: [] }, 'chain'],
      [listTokens, { include: [] }, 'include'],
      [listPools, { chain: [] }, 'chain'],
    ] as const) {
      const parse = createInputParser(operation.input, 'json');
      assert.throws(
        () => parse(input),
        (error: Json) => error.code === 'INVALID_INPUT' && error.errors[0].path === field,
      );
    }
  });

  const pool = `/pool?chain=devnet&pool=${buildFakeAddress('dddd', 0)}`;
  for (const path of ['/tokens', '/pools', pool]) {
    test(`${path} has a weak tag, and is 304 as long as that holds`, async () => {
      const first = await server.get(`/v1${path}`);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^W\/"[\w-]+"$/);
      await first.text();
      const again = await server.get(`/v1${path}`, { headers: { 'if-none-match': etag } });
      assert.deepEqual([again.status, await again.text()], [304, '']);
    });
  }
});
