// Programs written for the DexScreener, GeckoTerminal and CoinGecko APIs, unchanged but for their
// base URL, on a service that follows the embedded EVM and Solana chains.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import Coingecko, { NotFoundError } from '@coingecko/coingecko-typescript';
import axios from 'axios';
import { DexScreenerClient } from 'dexscreener-api-client';
import {
  getLatestTokenProfiles,
  getPairsByTokenAddresses,
  getTokenPools,
  searchPairs,
} from 'dexscreener-sdk';
import { launchBrowser, openContext } from '../launch-browser.ts';
import type { Json } from '../market-scene.ts';
import { setUp } from '../root-hooks.ts';
import {
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { until } from '../trade-service.ts';

const run = promisify(execFile);
// Its `import` names a file that the package does not have.
const { GeckoTerminal } = createRequire(import.meta.url)('@cfxdevkit/geckoterminal');

let service: RunningService;

interface Subject {
  readonly chain: string;
  readonly pool: Json;
  readonly mint: string;
}

const CHAINS = ['devnet', 'devnet-solana'];
const subjects = new Map<string, Subject>();

async function read(path: string): Promise<Json> {
  return (await fetch(`${service.origin}/v1${path}`)).json();
}

setUp(async (t) => {
  service = await startServiceProcess(t, {
    env: {
      ...{ DEVNET: 'auto', DEVNET_SOLANA: 'on', DEVNET_TRADERS: 'off', DEVNET_HISTORY_HOURS: '1' },
      ...{ LIMIT_ANONYMOUS_PER_MINUTE: '100000', LIMIT_ANONYMOUS_BURST: '100000' },
      ...{ LIMIT_IP_PER_MINUTE: '100000', LIMIT_IP_BURST: '100000' },
    },
  });
  await until('both chains are ready', async () => {
    assert.equal(service.child.exitCode, null, service.output());
    return (await fetch(`${service.origin}/v1/ready`)).status === 200;
  });
  for (const chain of CHAINS) {
    const { pools } = await read(
      `/pools?chain=${chain}&sort=trades&include=windows,reserves,tokens`,
    );
    const pool = pools.find(({ base, liquidityUsd }: Json) => base.symbol && liquidityUsd);
    subjects.set(chain, { chain, pool, mint: pool.base.mint });
  }
  const before = 'https://api.dexscreener.com';
  axios.interceptors.request.use((config) => {
    config.url = config.url?.replace(before, `${service.origin}/compat/ds`) ?? '';
    return config;
  });
});

const find = (chain: string): Subject => subjects.get(chain) ?? assert.fail(`nothing of ${chain}`);

for (const chain of CHAINS) {
  describe(chain, () => {
    test('dexscreener-api-client finds pairs, by token, address and text', async () => {
      const { pool, mint } = find(chain);
      const client = new DexScreenerClient({ baseUrl: `${service.origin}/compat/ds` });
      const { pair } = (await client.getPairsByChainAndAddress(chain, pool.address)) as Json;
      assert.equal(pair.pairAddress, pool.address);
      assert.equal(pair.priceUsd, pool.priceUsd);
      const { pairs } = (await client.getPairsByTokenAddresses([mint])) as Json;
      assert.ok(pairs.some(({ pairAddress }: Json) => pairAddress === pool.address));
      const found = (await client.searchPairs(pool.base.symbol)) as Json;
      assert.ok(found.pairs.some(({ baseToken }: Json) => baseToken.address === mint));
      const own = (await client.getTokenPairs(chain, mint)) as Json;
      assert.ok(own.some(({ pairAddress }: Json) => pairAddress === pool.address));
      assert.deepEqual(await client.getLatestTokenBoosts(), []);
      assert.deepEqual(await client.getTokenOrders(chain, mint), []);
    });

    test('dexscreener-sdk finds main pairs of tokens, pools and profiles', async () => {
      const { pool, mint } = find(chain);
      const [main] = await getPairsByTokenAddresses(chain, mint);
      assert.equal(main?.baseToken.address, mint);
      const pools = await getTokenPools(chain, mint);
      assert.ok(pools.some(({ pairAddress }) => pairAddress === pool.address));
      const { pairs } = await searchPairs(pool.address);
      assert.equal(pairs[0]?.pairAddress, pool.address);
      assert.deepEqual(await getLatestTokenProfiles(), []);
    });

    test('@coingecko/coingecko-typescript reads networks, pools, tokens, candles and trades', async () => {
      const { pool, mint } = find(chain);
      const baseURL = `${service.origin}/compat/gt/api/v3`;
      const { onchain } = new Coingecko({ baseURL, demoAPIKey: 'x' });
      const { networks } = onchain;
      const all = await networks.get();
      assert.ok(all.data?.some(({ id }) => id === chain));
      const dexes = await networks.dexes.get(chain);
      const dex = dexes.data?.[0]?.id ?? assert.fail('no exchange');
      const ofDex = await networks.dexes.getPools(dex, { network: chain });
      assert.ok((ofDex.data?.length ?? 0) > 0);
      const one = await networks.pools.getAddress(pool.address, {
        ...{ network: chain, include: 'base_token,dex' },
      });
      assert.equal(Number(one.data?.attributes?.base_token_price_usd), Number(pool.priceUsd));
      assert.equal(one.included?.length, 2);
      const several = await networks.pools.multi.getAddresses(pool.address, { network: chain });
      assert.equal(several.data?.length, 1);
      for (const list of [
        await networks.pools.get(chain),
        await networks.newPools.getNetwork(chain),
        await networks.trendingPools.getNetwork(chain),
        await networks.newPools.get(),
        await networks.trendingPools.get({ duration: '1h' }),
        await networks.tokens.pools.get(mint, { network: chain }),
        await onchain.search.pools.get({ query: pool.base.symbol, network: chain }),
      ]) {
        assert.ok((list.data?.length ?? 0) > 0);
      }
      const token = await networks.tokens.getAddress(mint, { network: chain });
      const shown = chain === 'devnet' ? mint.toLowerCase() : mint;
      assert.equal(token.data?.attributes?.address, shown);
      const tokens = await networks.tokens.multi.getAddresses(mint, { network: chain });
      assert.equal(tokens.data?.length, 1);
      const info = await networks.tokens.info.get(mint, { network: chain });
      assert.equal(info.data?.attributes?.symbol, pool.base.symbol);
      const prices = await onchain.simple.networks.tokenPrice.getAddresses(mint, {
        ...{ network: chain, include_24hr_vol: true },
      });
      assert.ok(Number(prices.data?.attributes?.token_prices?.[shown]) > 0);
      const { data } = await networks.pools.ohlcv.getTimeframe('minute', {
        ...{ network: chain, pool_address: pool.address, aggregate: '5', currency: 'token' },
      });
      const times = data?.attributes?.ohlcv_list?.map(([time]) => time ?? 0) ?? [];
      assert.ok(times.length > 1);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a),
      );
      const trades = await networks.pools.trades.get(pool.address, { network: chain });
      assert.ok(trades.data?.every(({ attributes }) => Number(attributes?.volume_in_usd) >= 0));
      const unknown = networks.pools.getAddress(service.origin, { network: chain });
      await assert.rejects(unknown, NotFoundError);
    });

    test('@cfxdevkit/geckoterminal reads the same below v2', async () => {
      const { pool, mint } = find(chain);
      const base = `${service.origin}/compat/gt/api/v2`;
      const api = new GeckoTerminal(chain, undefined, base);
      assert.ok((await api.getNetworks()).data.some(({ id }: Json) => id === chain));
      const dexes = await api.getNetworkDexes(chain);
      assert.ok(dexes.data.length > 0);
      for (const list of [
        await api.getTopPools(chain, dexes.data[0].id),
        await api.getTrendingPools(chain, '24h'),
        await api.getNewPools(chain),
        await api.getTokenPools(chain, mint),
        await api.searchPools(pool.base.symbol, chain),
        await api.getPoolTrades(chain, pool.address),
        await api.getMultiPoolInfo(chain, [pool.address]),
        await api.getMultiTokenInfo(chain, [mint]),
      ]) {
        assert.ok(list.data.length > 0);
      }
      const candles = await api.getPoolOHLCV(chain, pool.address, 'hour', { limit: '24' });
      assert.ok(candles.data.attributes.ohlcv_list.length > 0);
      const [first] = (await api.getPoolTokensMetadata(chain, pool.address)).data;
      assert.equal(first.attributes.symbol, pool.base.symbol);
      assert.equal((await api.getTokenInfo(chain, mint)).data.attributes.symbol, pool.base.symbol);
      const about = await api.getTokensMetadata(chain, mint);
      assert.ok(about.data.attributes.holders.count > 0);
      const { data } = await api.getPoolInfo(chain, pool.address);
      assert.equal(Number(data.attributes.base_token_price_usd), Number(pool.priceUsd));
      const prices = await api.getSimpleTokenPrices(chain, [mint], true, true);
      assert.equal(Object.keys(prices.data.attributes.token_prices).length, 1);
    });

    test("a price bot in Python's standard library tells the price", async () => {
      const { pool, mint } = find(chain);
      const env = { ...process.env, HOST: `${service.origin}/compat/ds` };
      const { stdout } = await run('python3', ['examples/compat/price-bot.py', chain, mint], {
        env,
      });
      assert.match(stdout, new RegExp(`^${pool.base.symbol}/\\w+ \\$\\d+\\.\\d{6} \\([+-]`));
    });

    test('a chart page draws the candles of a pool in the browser', async (t) => {
      const { pool } = find(chain);
      const html = readFileSync('examples/compat/chart.html');
      // A page of another origin than the service.
      const pages = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(html);
      }).listen(0, '127.0.0.1');
      t.after(() => pages.close());
      const browser = await launchBrowser();
      t.after(() => browser.close());
      const page = await (await openContext(browser)).newPage();
      const host = `${service.origin}/compat/gt/api/v2`;
      const query = new URLSearchParams({ host, network: chain, pool: pool.address });
      const { port } = pages.address() as AddressInfo;
      await page.goto(`http://127.0.0.1:${port}/?${query}`);
      await page.locator('.candle').nth(1).waitFor({ state: 'attached' });
      const name = await page.locator('#name').textContent();
      assert.ok(name?.startsWith(`${pool.base.symbol} / `), name ?? '');
    });
  });
}

const readGt = async (path: string): Promise<Json> => {
  const response = await fetch(`${service.origin}/compat/gt/api/v2${path}`);
  const text = await response.text();
  assert.equal(response.status, 200, `${path} ${text}`);
  return JSON.parse(text);
};

test('an exchange has one name in every route', async () => {
  for (const chain of CHAINS) {
    const listed = await readGt(`/networks/${chain}/dexes`);
    const names = listed.data.map(({ id }: Json) => id);
    const { pools } = await read(`/pools?chain=${chain}&sort=trades&limit=100`);
    const venues = new Map<string, Set<string>>();
    for (const dex of names) {
      const { data } = await readGt(`/networks/${chain}/dexes/${dex}/pools`);
      const found = data.map(({ attributes, relationships }: Json) => {
        assert.equal(relationships.dex.data.id, dex);
        return attributes.address;
      });
      const own = pools.filter(({ address }: Json) =>
        found.includes(chain === 'devnet' ? address.toLowerCase() : address),
      );
      assert.equal(own.length, found.length, dex);
      venues.set(dex, new Set(own.map(({ venue }: Json) => venue)));
    }
    const all = [...venues.values()].flatMap((some) => [...some]);
    assert.equal(new Set(all).size, all.length, 'no venue has two names');
    for (const { venue } of pools) assert.ok(all.includes(venue), venue);
  }
});

// The OpenAPI document of CoinGecko (MIT) is in no package, but the types of its client are made
// from it: the compiler checks every answer against them, unknown and missing fields included.

/** Where an answer may be null although the types know text, numbers or objects only: no other. */
const NULLS: ReadonlySet<string> = new Set([
  // Nullable in the types of the lists, and only there.
  ...['coingecko_coin_id', 'image_url', 'base_token_price_native_currency', 'reserve_in_usd'],
  ...['quote_token_price_native_currency', 'base_token_price_quote_token'],
  'quote_token_price_base_token',
  // What an index cannot know of a pool or token that is older than itself, or has no price yet.
  ...['base_token_price_usd', 'quote_token_price_usd', 'token_price_usd', 'pool_created_at'],
  ...['pool_fee_percentage', 'decimals', 'total_supply', 'normalized_total_supply'],
  ...['total_reserve_in_usd', 'price_from_in_usd', 'price_to_in_usd', 'volume_in_usd'],
  ...['count', 'distribution_percentage', 'base_token_balance', 'quote_token_balance'],
  ...['base_token_liquidity_usd', 'quote_token_liquidity_usd'],
  // What others add of their own.
  ...['coingecko_asset_platform_id', 'gt_score', 'gt_score_details', 'last_updated'],
  ...['thumb', 'small', 'large'],
]);
/** Required there, and left out here: the last one in that API's examples, too. */
const LEFT_OUT = [
  { field: 'locked_liquidity_percentage', path: /\/pools\/(multi\/[^/]+|\w+)\?/ },
  { field: 'holders', path: /\/pools\/\w+\/info$/ },
];

/** An answer as an expression; what may differ is of a type that fits anywhere. */
function writeAnswer(path: string, answer: Json): string {
  const fields = LEFT_OUT.filter((one) => one.path.test(path)).map(({ field }) => field);
  for (const { attributes } of fields.length > 0 ? [answer.data].flat() : []) {
    for (const field of fields) {
      assert.ok(!Object.hasOwn(attributes, field), `${path} ${field}`);
      attributes[field] = null;
    }
  }
  const text = JSON.stringify(answer, null, 1);
  return text.replaceAll(/^ *"(\w+)": null/gm, (line, name) =>
    NULLS.has(name) || fields.includes(name) ? `${line} as never` : line,
  );
}

const MINTS_MAX = 30;

/** Paths below a prefix, by the method of the client that asks for them. */
function listTypedPaths({ chain, pool, mint }: Subject, all: Json): [string, string][] {
  const net = `/networks/${chain}`;
  const include = 'include=base_token,quote_token,dex';
  const figures = ['market_cap', '24hr_vol', '24hr_price_change', 'total_reserve_in_usd'];
  const flags = figures.map((one) => `include_${one}=true`).join('&');
  const [pools, mints] = [all.pools.slice(0, MINTS_MAX), all.mints.slice(0, MINTS_MAX)];
  return [
    ['/networks', "Networks['get']"],
    [`${net}/dexes`, "Networks['dexes']['get']"],
    [`${net}/dexes/${all.dex}/pools`, "Networks['dexes']['getPools']"],
    [`${net}/pools?${include}`, "Networks['pools']['get']"],
    [
      `${net}/pools/${pool.address}?${include}&include_composition=true`,
      "Networks['pools']['getAddress']",
    ],
    [`${net}/pools/multi/${pools}?${include}`, "Networks['pools']['multi']['getAddresses']"],
    [`${net}/pools/${pool.address}/info`, "Networks['pools']['info']['get']"],
    [`${net}/pools/${pool.address}/trades`, "Networks['pools']['trades']['get']"],
    [`${net}/pools/${pool.address}/ohlcv/minute`, "Networks['pools']['ohlcv']['getTimeframe']"],
    [`${net}/new_pools?${include}`, "Networks['newPools']['getNetwork']"],
    [`/networks/new_pools?${include},network`, "Networks['newPools']['get']"],
    [`${net}/trending_pools?${include}`, "Networks['trendingPools']['getNetwork']"],
    [`/networks/trending_pools?${include},network`, "Networks['trendingPools']['get']"],
    [`${net}/tokens/${mint}?include=top_pools`, "Networks['tokens']['getAddress']"],
    [`${net}/tokens/${mint}/info`, "Networks['tokens']['info']['get']"],
    [`${net}/tokens/${mint}/pools?${include}`, "Networks['tokens']['pools']['get']"],
    [
      `${net}/tokens/multi/${mints}?include=top_pools`,
      "Networks['tokens']['multi']['getAddresses']",
    ],
    [`/search/pools?query=${pool.base.symbol}&${include}`, "Onchain['search']['pools']['get']"],
    [
      `/simple${net}/token_price/${mints}?${flags}&mcap_fdv_fallback=true`,
      "Onchain['simple']['networks']['tokenPrice']['getAddresses']",
    ],
  ];
}

const TYPES = `type Onchain = Coingecko['onchain'];
type Networks = Onchain['networks'];
type Answer<Method extends (...args: never[]) => unknown> = Awaited<ReturnType<Method>>;
`;

test("answers have the types that CoinGecko's client declares", { timeout: 600_000 }, async (t) => {
  const client = join(process.cwd(), 'node_modules/@coingecko/coingecko-typescript/index.mjs');
  const lines = [`import type { Coingecko } from ${JSON.stringify(client)};\n${TYPES}`];
  for (const subject of subjects.values()) {
    const { chain } = subject;
    const { pools } = await read(`/pools?chain=${chain}&limit=100`);
    const { tokens } = await read(`/tokens?chain=${chain}&limit=100`);
    const dexes = await readGt(`/networks/${chain}/dexes`);
    const all = {
      pools: pools.map(({ address }: Json) => address),
      mints: tokens.map((one: Json) => one.mint),
      dex: dexes.data[0].id,
    };
    for (const [path, method] of listTypedPaths(subject, all)) {
      const written = writeAnswer(path, await readGt(path));
      lines.push(`// ${path}\nexport const a${lines.length}: Answer<${method}> = ${written};`);
    }
  }
  const folder = createTempFolder(t);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'answers.ts'), lines.join('\n'));
  const rules = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
  await run(join(process.cwd(), 'node_modules/.bin/tsc'), [...rules, 'answers.ts'], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout?: string }) => {
    const told = error.stdout ?? String(error);
    const [, line = '1'] = /\((\d+),/.exec(told) ?? [];
    const before = lines.join('\n').split('\n').slice(0, Number(line)).reverse();
    const path = before.find((one) => one.startsWith('// ')) ?? '';
    assert.fail(`${path}\n${before[0]}\n${told}`);
  });
});
