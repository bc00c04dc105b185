// Pins that zero configuration boots and that all mistakes are reported at once, without secrets.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ConfigError, loadConfig, SETTINGS } from './config.ts';
import { COSTS } from './contract/operation.ts';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test('an empty environment is a valid configuration', () => {
  const config = loadConfig({});
  assert.equal(config.server.host, '127.0.0.1');
  assert.equal(config.server.port, 8080);
  assert.equal(config.limits.anonymousPerMinute, 120);
  assert.equal(config.limits.anonymousBurst, 60);
  assert.equal(config.limits.ipPerMinute, 3000);
  assert.equal(config.limits.ipBurst, 600);
  assert.equal(config.store.databaseUrl, null);
  assert.deepEqual(config.chains, []);
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.server));
});

test('all problems are reported at once', () => {
  const problems = problemsOf({
    PORT: 'abc',
    RPC_BASE: 'nonsense',
    LIMIT_IP_PER_MINUTE: '-1',
    TRUSTED_PROXIES: '10.0.0.0/8,true',
    LOG_LEVEL: 'loud',
  });
  assert.equal(problems.length, 5);
  for (const name of ['PORT', 'RPC_BASE', 'LIMIT_IP_PER_MINUTE', 'TRUSTED_PROXIES', 'LOG_LEVEL']) {
    assert.ok(
      problems.some((problem) => problem.startsWith(`${name} `)),
      name,
    );
  }
  assert.match(problems.find((problem) => problem.startsWith('PORT')) ?? '', /"abc"/);
});

test('a chain has a scope, and watched tokens only where that is watch', () => {
  const token = '0x4200000000000000000000000000000000000006';
  const base = { RPC_BASE: 'http://127.0.0.1:1' };
  assert.equal(loadConfig({}).devnet.scope.name, 'all');
  assert.deepEqual(loadConfig(base).chains[0]?.scope, { name: 'all', watch: [] });
  const env = { ...base, SCOPE_BASE: 'watch', WATCH_BASE: `${token}, ${token}` };
  assert.deepEqual(loadConfig(env).chains[0]?.scope, { name: 'watch', watch: [token, token] });
  for (const [more, problem] of [
    [{ SCOPE_BASE: 'some' }, /^SCOPE_BASE must be one of all, liquid, watch \(it is "some"\)$/],
    [
      { SCOPE_BASE: 'watch', WATCH_BASE: `${token},0x12` },
      /^WATCH_BASE entry 2 must be an address: 0x and 40 hex digits/,
    ],
    [{ WATCH_BASE: token }, /^WATCH_BASE needs SCOPE_BASE=watch \(it is "all"\)$/],
    [
      { SCOPE_BASE: 'watch', WATCH_BASE: token, RPC_BASE: '' },
      /^WATCH_BASE needs RPC_BASE: it is not followed$/,
    ],
    [
      { SCOPE_DEVNET: 'watch', WATCH_DEVNET: token, DEVNET: 'off' },
      /^WATCH_DEVNET needs DEVNET=on or auto$/,
    ],
    [{ LIQUID_FLOOR_USD: '0' }, /^LIQUID_FLOOR_USD must be a whole number from 1 to/],
  ] as const) {
    const problems = problemsOf({ ...base, ...more } as Record<string, string>);
    assert.equal(problems.length, 1, problems.join('; '));
    assert.match(problems[0] ?? '', problem);
  }
});

test('token lists are files, or URLs with https unless on this machine', () => {
  const { places } = loadConfig({
    TOKEN_LISTS: '/lists/a.json, https://b.example/list?v=1,http://127.0.0.1:8000/c',
  }).lists;
  assert.deepEqual(places, [
    { kind: 'file', path: '/lists/a.json' },
    { kind: 'url', url: 'https://b.example/list?v=1' },
    { kind: 'url', url: 'http://127.0.0.1:8000/c' },
  ]);
  assert.deepEqual(loadConfig({}).lists.places, []);
  for (const text of ['http://b.example/list', 'ftp://b.example/list', 'https://']) {
    assert.equal(problemsOf({ TOKEN_LISTS: text }).length, 1, text);
  }
});

test('a wrong secret is refused without being shown', () => {
  const problems = problemsOf({
    DATABASE_URL: 'mysql://root:hunter2@db',
    RPC_BASE: 'ftp://key-hunter2.example.com',
  });
  assert.equal(problems.length, 2);
  assert.ok(!problems.join().includes('hunter2'));
});

test('the path of a Redis address is the number of a database, or empty', () => {
  const shared = { DATABASE_URL: 'postgres://db/mintwire', KEY_PEPPER: `1:${'a'.repeat(43)}=` };
  for (const path of ['', '/', '/0', '/12']) {
    const problems = problemsOf({ ...shared, REDIS_URL: `redis://:hunter2@redis${path}` });
    assert.doesNotMatch(problems.join(), /REDIS_URL/, path);
  }
  for (const path of ['/limits', '/0/1', '/-1']) {
    const problems = problemsOf({ ...shared, REDIS_URL: `redis://:hunter2@redis${path}` });
    assert.match(problems.join(), /REDIS_URL must have the number of a database/, path);
    assert.doesNotMatch(problems.join(), /hunter2/);
  }
});

test('pages that use sessions are exact origins, with https unless on this machine', () => {
  const good = ['https://a.example', 'https://a.example:8443', 'http://localhost:3000'];
  for (const text of good)
    assert.equal(loadConfig({ PUBLIC_ORIGIN: text }).access.publicOrigin, text);
  const bad = ['a.example', 'https://a.example/', 'https://a.example/x', 'http://a.example', '*'];
  for (const text of bad) {
    assert.equal(problemsOf({ PUBLIC_ORIGIN: text }).length, 1, text);
    assert.equal(problemsOf({ SESSION_ORIGINS: `https://b.example,${text}` }).length, 1, text);
  }
});

test('the pepper is versions with secrets, needed with PostgreSQL, never shown', () => {
  const secret = Buffer.alloc(32, 7).toString('base64');
  const [newest, older] =
    loadConfig({ KEY_PEPPER: `1:${secret},2:${secret}` }).access.keyPepper ?? [];
  assert.deepEqual([newest?.version, older?.version], [2, 1]);
  const short = Buffer.alloc(31, 7).toString('base64');
  for (const text of [
    secret,
    `0:${secret}`,
    `1:${short}`,
    `1:${secret},1:${secret}`,
    '1:',
    '1:é',
  ]) {
    const problems = problemsOf({ KEY_PEPPER: text });
    assert.equal(problems.length, 1, text);
    assert.ok(!problems.join().includes(short.slice(0, 20)));
  }
  const databaseUrl = { DATABASE_URL: 'postgres://db/mintwire' };
  assert.match(problemsOf(databaseUrl).join(), /KEY_PEPPER must be set/);
  assert.deepEqual(problemsOf({ ...databaseUrl, KEY_PEPPER: `1:${secret}` }), []);
});

test('several workers need a database that several processes share', () => {
  const chains = { RPC_BASE: 'http://localhost:1' };
  const secret = Buffer.alloc(32, 7).toString('base64');
  const shared = { DATABASE_URL: 'postgres://db/mintwire', KEY_PEPPER: `1:${secret}` };
  assert.deepEqual(problemsOf({ ...chains, WORKERS: '2' }), [
    'WORKERS above 1 needs DATABASE_URL: SQLite serves one process',
  ]);
  assert.deepEqual(problemsOf({ ...chains, ...shared, WORKERS: '2' }), []);
  assert.match(problemsOf({ ...shared, WORKERS: '2' }).join(), /a devnet serves one process/);
});

test('a role and chains to index are for processes that share a database', () => {
  const secret = Buffer.alloc(32, 7).toString('base64');
  const shared = { DATABASE_URL: 'postgres://db/mintwire', KEY_PEPPER: `1:${secret}` };
  const chains = { RPC_BASE: 'https://a.example', RPC_POLYGON: 'https://b.example' };
  assert.equal(loadConfig({}).node.role, 'all');
  for (const role of ['api', 'indexer']) {
    assert.match(problemsOf({ ...chains, ROLE: role }).join(), /needs DATABASE_URL/);
    assert.deepEqual(problemsOf({ ...chains, ...shared, ROLE: role }), []);
  }
  assert.equal(problemsOf({ ROLE: 'both' }).length, 1);
  assert.match(problemsOf({ ...shared, ROLE: 'api' }).join(), /no devnet of its own/);
  assert.deepEqual(problemsOf({ ...shared, ROLE: 'api', DEVNET_DEPLOYMENT: './d.json' }), []);
  const { indexedChains } = loadConfig({ ...chains, INDEX_CHAINS: 'base, polygon' }).node;
  assert.deepEqual(indexedChains, ['base', 'polygon']);
  for (const name of ['arbitrum', 'devnet', 'Base!']) {
    assert.equal(problemsOf({ ...chains, INDEX_CHAINS: name }).length, 1, name);
  }
});

test('numbers are plain decimal numbers in range', () => {
  for (const text of ['1e3', '0x10', '8080.5', '65536', '-1', '８０８０', 'NaN']) {
    assert.equal(problemsOf({ PORT: text }).length, 1, text);
  }
  assert.equal(loadConfig({ PORT: '' }).server.port, 8080);
  assert.equal(loadConfig({ PORT: ' 3000 ' }).server.port, 3000);
});

test('a burst is always enough for the most expensive request', () => {
  const dearest = Math.max(...Object.values(COSTS));
  assert.equal(problemsOf({ LIMIT_ANONYMOUS_BURST: String(dearest - 1) }).length, 1);
  assert.equal(problemsOf({ LIMIT_ANONYMOUS_BURST: '10' }).length, 0);
});

test('a chain is followed if it has endpoints', () => {
  const config = loadConfig({
    RPC_BASE: 'https://one.example.com, https://two.example.com',
    START_BLOCK_BASE: '100',
    START_BLOCK_POLYGON: '5',
  });
  assert.deepEqual(config.chains, [
    {
      chain: 'base',
      rpcUrls: ['https://one.example.com', 'https://two.example.com'],
      sockets: [],
      startBlock: 100,
      credits: null,
      creditsPerDay: null,
      creditsPerSecond: null,
      scope: { name: 'all', watch: [] },
      contracts: null,
      lookupTables: [],
      archives: { places: [], samplePct: 2 },
    },
  ]);
});

test('archives are told apart by their form, and kept secret', () => {
  const RPC_BASE = 'https://one.example.com';
  const [chain] = loadConfig({
    RPC_BASE,
    HISTORY_BASE:
      'https://key@portal.example.com/datasets/base-mainnet, /data/era, era+https://era.example.com/era1/, https://rpc.example.com/key',
    HISTORY_SAMPLE_PCT: '100',
  }).chains;
  assert.deepEqual(chain?.archives, {
    places: [
      { kind: 'portal', place: 'https://key@portal.example.com/datasets/base-mainnet' },
      { kind: 'eraFolder', place: '/data/era' },
      { kind: 'eraUrl', place: 'https://era.example.com/era1/' },
      { kind: 'rpc', place: 'https://rpc.example.com/key' },
    ],
    samplePct: 100,
  });
  const [problem] = problemsOf({ RPC_BASE, HISTORY_BASE: 'ftp://secret.example.com' });
  assert.match(problem ?? '', /^HISTORY_BASE entry 1 must be a URL/);
  assert.doesNotMatch(problem ?? '', /secret/);
  assert.deepEqual(loadConfig({ HISTORY_NOWHERE: 'x' }).unknownNames, ['HISTORY_NOWHERE']);
  const solana = { RPC_SOLANA: 'https://a.example', HISTORY_SOLANA: '/data/era' };
  assert.match(problemsOf(solana).join(), /^HISTORY_SOLANA .*must be datasets of an SQD Portal/);
});

test('lookup tables are addresses of Solana', () => {
  const env = { RPC_SOLANA: 'https://one.example.com' };
  const table = 'AddressLookupTab1e1111111111111111111111111';
  const [chain] = loadConfig({ ...env, LOOKUP_TABLES_SOLANA: `${table},${table}` }).chains;
  assert.deepEqual(chain?.lookupTables, [table, table]);
  const [problem] = problemsOf({ ...env, LOOKUP_TABLES_SOLANA: '0x12' });
  assert.match(problem ?? '', /^LOOKUP_TABLES_SOLANA /);
});

test('a WebSocket entry announces blocks beside endpoints that answer', () => {
  const both = 'wss://one.example.com/key, https://one.example.com/key';
  const [chain] = loadConfig({ RPC_BASE: both }).chains;
  assert.deepEqual(chain?.rpcUrls, ['https://one.example.com/key']);
  assert.deepEqual(chain?.sockets, ['wss://one.example.com/key']);
  const problems = problemsOf({ RPC_BASE: 'wss://one.example.com/key' });
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? '', /^RPC_BASE must have an http/);
});

test('an endpoint has no fragment, which no node would get', () => {
  for (const url of ['wss://one.example.com/key#x', 'https://one.example.com/#']) {
    const problems = problemsOf({ RPC_BASE: `https://two.example.com,${url}` });
    assert.deepEqual(problems, [
      'RPC_BASE entry 2 must have no fragment (#…): nodes do not get it',
    ]);
  }
});

/** Writes a `CHAINS_FILE` that is deleted after the test. */
function writeChainsFile(t: TestContext, file: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-chains-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'chains.json');
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
  return path;
}

const OWN_CHAIN = {
  chainId: 4242,
  native: { symbol: 'MINE' },
  wrapped: `0x${'11'.repeat(20)}`,
  factories: [{ kind: 'v2', venue: 'own-v2', factory: `0x${'22'.repeat(20)}`, feePips: 3000 }],
};

test('a chain of the file has the settings of a built-in one', (t) => {
  const CHAINS_FILE = writeChainsFile(t, { chains: { 'my-chain': OWN_CHAIN } });
  const config = loadConfig({
    ...{ CHAINS_FILE, RPC_MY_CHAIN: 'http://127.0.0.1:1', START_BLOCK_MY_CHAIN: '7' },
    ...{ SCOPE_MY_CHAIN: 'liquid', RPC_CREDITS_PER_DAY_MY_CHAIN: '5000', RPC_MY_CHAN: 'x' },
  });
  const [chain] = config.chains;
  assert.equal(chain?.chain, 'my-chain');
  assert.equal(chain?.startBlock, 7);
  assert.equal(chain?.creditsPerDay, 5000);
  assert.equal(chain?.scope.name, 'liquid');
  assert.equal(chain?.contracts?.kind, 'own');
  assert.deepEqual(config.unknownNames, ['RPC_MY_CHAN']);
  assert.equal(config.knownChains.find('eip155:4242')?.slug, 'my-chain');
  assert.equal(config.knownChains.find('base')?.name, 'Base');
});

test('a chain of the file without an endpoint is known, but not followed', (t) => {
  const CHAINS_FILE = writeChainsFile(t, { chains: { mine: OWN_CHAIN } });
  const config = loadConfig({ CHAINS_FILE });
  assert.deepEqual(config.chains, []);
  assert.equal(config.knownChains.find('mine')?.chainId, 4242);
});

test('problems of the file are named beside those of settings, with its path', (t) => {
  const CHAINS_FILE = writeChainsFile(t, { chains: { mine: { ...OWN_CHAIN, chainId: 0 } } });
  assert.deepEqual(problemsOf({ CHAINS_FILE, PORT: 'abc' }), [
    `CHAINS_FILE ${CHAINS_FILE}: chains.mine.chainId must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
    'PORT must be a whole number from 0 to 65535 (it is "abc")',
  ]);
  const missing = problemsOf({ CHAINS_FILE: '/nowhere/chains.json' });
  assert.deepEqual(missing, ['CHAINS_FILE cannot be read: ENOENT (it is "/nowhere/chains.json")']);
});

test('a chain whose name makes the name of another setting is refused', (t) => {
  const CHAINS_FILE = writeChainsFile(t, { chains: { 'credits-base': OWN_CHAIN } });
  assert.deepEqual(problemsOf({ CHAINS_FILE }), [
    'CHAINS_FILE has a chain whose name makes RPC_CREDITS_BASE two settings: rename it',
  ]);
});

test('credits are pairs of a method and a number', () => {
  const RPC_BASE = 'https://one.example.com';
  const RPC_CREDITS_BASE = 'eth_getLogs:60, eth_chainId:0,default:20';
  const [chain] = loadConfig({ RPC_BASE, RPC_CREDITS_BASE }).chains;
  assert.deepEqual(
    [...(chain?.credits?.methods ?? [])],
    [
      ['eth_getLogs', 60],
      ['eth_chainId', 0],
    ],
  );
  assert.equal(chain?.credits?.other, 20);
  for (const text of ['eth_getLogs', 'eth_getLogs:many', 'eth_call:1;eth_x:2']) {
    assert.equal(problemsOf({ RPC_CREDITS_BASE: text }).length, 1, text);
  }
});

test('unknown names with our prefixes are listed', () => {
  assert.deepEqual(loadConfig({ RPC_BSAE: 'https://x.example.com', PATH: '/bin' }).unknownNames, [
    'RPC_BSAE',
  ]);
});

test('every setting has a unique name, a reason and an example that parses', () => {
  assert.equal(new Set(SETTINGS.map((one) => one.name)).size, SETTINGS.length);
  for (const one of SETTINGS) {
    assert.ok(one.why.endsWith('.'), one.name);
    assert.doesNotThrow(() => one.parse(one.example), one.name);
    if (one.fallback !== null) assert.doesNotThrow(() => one.parse(one.fallback ?? ''), one.name);
  }
});
