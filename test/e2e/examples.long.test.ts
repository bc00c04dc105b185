// Runs every example as a reader would, one after another on one service.

import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { privateKeyToAccount } from 'viem/accounts';
import { deriveTestAccounts } from '../../devnet/accounts.ts';
import { createClient, signIn } from '../../sdk/src/client.ts';
import { WIRE } from '../docs-scene.ts';
import { setUp } from '../root-hooks.ts';
import {
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { until } from '../trade-service.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;

let service: RunningService;
let folder: string;
let env: Record<string, string | undefined>;

setUp(async (t) => {
  folder = createTempFolder(t);
  service = await startServiceProcess(t, {
    env: {
      ...{ DEVNET: 'auto', DEVNET_SOLANA: 'on' },
      ...{ DEVNET_TRADERS: 'off', DEVNET_HISTORY_HOURS: '1' },
    },
  });
  env = { ...process.env, MINTWIRE_URL: `${service.origin}/v1` };
  await until('the devnet is ready', async () => {
    assert.equal(service.child.exitCode, null, service.output());
    return (await fetch(`${service.origin}/v1/ready`)).status === 200;
  });
});

async function runExample(name: string, ...args: readonly string[]): Promise<string> {
  const options = { env, timeout: TIMEOUT_MS };
  const { stdout } = await run(process.execPath, [`examples/${name}.ts`, ...args], options);
  return stdout;
}

/** An example that runs until it is told to stop. */
function startExample(
  t: { after(work: () => unknown): void },
  name: string,
  options: { readonly args?: readonly string[]; readonly env?: Record<string, string> },
) {
  const { args = [], env: more = {} } = options;
  const child = spawn(process.execPath, [`examples/${name}.ts`, ...args], {
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const untilPrinted = async (pattern: RegExp) => {
    await until(`${name} prints ${pattern}`, async () => {
      assert.equal(child.exitCode, null, output);
      return pattern.test(output);
    });
    return pattern.exec(output) ?? [];
  };
  return { exited, untilPrinted, output: () => output };
}

test('the guide shows the trade that is run here', () => {
  const shown = /```ts\n(.*?)```/s.exec(readFileSync('docs/api/trading.md', 'utf8'))?.[1];
  assert.equal(shown, readFileSync('examples/trade.ts', 'utf8'));
});

test('an example that needs arguments says which', async () => {
  for (const name of ['portfolio', 'price-bot', 'download-candles', 'key-proxy']) {
    const { status, stderr } = spawnSync(process.execPath, [`examples/${name}.ts`], {
      encoding: 'utf8',
      env: { ...process.env, MINTWIRE_KEY: '' },
    });
    assert.equal(status, 1, name);
    assert.match(stderr, new RegExp(`usage: .*npx node examples/${name}\\.ts`), stderr);
    assert.doesNotMatch(stderr, /\n\s+at /, name);
  }
});

test('a trade is made and arrives on the stream, and the price bot sees it', async (t) => {
  const args = [`devnet:${WIRE}`, '--percent', '0.0001', '--alerts', '1'];
  const bot = startExample(t, 'price-bot', { args });
  await bot.untilPrinted(/^WIRE at \$[\d.]+, watching for 0\.0001 %$/m);
  const stdout = await runExample('trade');
  assert.match(stdout, /^0\.1 ETH buys [\d.]+ WIRE$/m);
  assert.match(stdout, /^You pay 0\.1 ETH$/m);
  assert.match(stdout, /^confirmed in block \d+$/m);
  assert.match(stdout, /^on the stream: devnet:0x[0-9a-f]{64}:0$/m);
  assert.equal(await bot.exited, 0);
  assert.match(bot.output(), /^WIRE (?:up|down) -?\d+\.\d{4} % to \$[\d.]+$/m);
});

test('a trade on Solana is signed with its own library, sent and found by its status', async () => {
  const stdout = await runExample('trade-solana');
  assert.match(stdout, /^0\.5 SOL buys [\d.]+ BOLT$/m);
  assert.match(stdout, /^You pay 0\.5 SOL$/m);
  // One for each pool on the route.
  const [, trade] = /^(?:confirmed|finalized) in slot \d+: (\S+?)(?:,|$)/m.exec(stdout) ?? [];
  assert.match(trade ?? stdout, /^devnet-solana:[1-9A-Za-z]{80,90}:0$/);
});

test('the portfolio shows the coins, the position and the trade', async () => {
  const [account] = deriveTestAccounts();
  const stdout = await runExample('portfolio', account?.address ?? '');
  assert.match(stdout, /^ {2}ETH [\d.]+ \(\$[\d.]+\)$/m);
  assert.match(stdout, /^ {2}WIRE: realised \$0\.00, open \$-?[\d.]+/m);
  assert.match(stdout, /^ {2}20\d\d-\S+ buy [\d.]+ WIRE$/m);
});

test('candles are downloaded as CSV and as Parquet with the same rows', async () => {
  const client = createClient({ baseUrl: `${service.origin}/v1` });
  const interval = '1s';
  const input = { chain: 'devnet', mint: WIRE, interval } as const;
  await until('a candle is closed', async () =>
    (await client.getKlines(input)).klines.some(({ closed }) => closed),
  );
  const file = join(folder, 'wire');
  const args = ['devnet', WIRE, interval, '2020-01-01', file];
  const [, count] = /^(\d+) candles in /.exec(await runExample('download-candles', ...args)) ?? [];
  const [head, ...lines] = readFileSync(`${file}.csv`, 'utf8').trimEnd().split('\n');
  assert.equal(head, 'openTime,open,high,low,close,volume,quoteVolume,trades');
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(`${file}.parquet`) });
  assert.ok(Number(count) > 0);
  assert.deepEqual(
    rows.map((row) => [Number(row['openTime']), ...Object.values(row).slice(1)].join(',')),
    lines,
  );
  assert.equal(lines.length, Number(count));
});

test('the agent finds the token, its safety and a quote over MCP', async () => {
  const stdout = await runExample('agent', 'wire', 'devnet');
  assert.match(
    stdout,
    /^\d+ tools, all of them reads\nsearch_tokens .*\nget_token_safety .*\nget_quote /,
  );
  assert.match(stdout, /^WIRE costs \$[\d.]+, is vouched for by Devnet, .* buys [\d.]+ WIRE\.$/m);
  assert.match(await runExample('agent', 'zzzzqqqq'), /There is no token like "zzzzqqqq"\./);
});

test('the proxy serves a page with its key, within a budget, and nothing else', async (t) => {
  const client = createClient({ baseUrl: `${service.origin}/v1` });
  const [account] = deriveTestAccounts();
  assert.ok(account !== undefined);
  await signIn(client, privateKeyToAccount(account.privateKey));
  const { id, key = '' } = await client.createKey({ name: 'the proxy' });
  const proxy = startExample(t, 'key-proxy', {
    env: { MINTWIRE_KEY: key, PORT: '0', VISITOR_PER_MINUTE: '4' },
  });
  const [, origin] = await proxy.untilPrinted(/^(http:\S+)\/api\/tokens$/m);
  const ask = async (path: string) => {
    const response = await fetch(`${origin}${path}`);
    const body = await response.text();
    assert.ok(!body.includes(key));
    return { status: response.status, body: JSON.parse(body) };
  };
  const which = `chain=devnet&mint=${WIRE}`;
  assert.equal((await ask(`/api/token?${which}`)).body.symbol, 'WIRE');
  assert.equal((await ask('/api/token?chain=devnet&mint=0x12')).body.code, 'INVALID_ADDRESS');
  // A thousand rows are for keys; 5000 is their limit.
  const klines = await ask(`/api/klines?${which}&interval=1m&limit=2000`);
  assert.equal(klines.status, 200);
  assert.deepEqual([(await ask('/api/keys')).status, (await ask('/v1/keys')).status], [404, 404]);
  await client.revokeKey({ id });
  assert.deepEqual(await ask('/api/tokens'), { status: 502, body: { code: 'UNAVAILABLE' } });
  assert.equal((await ask('/api/tokens')).status, 429);
});
