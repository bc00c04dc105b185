// `npm run soak -- --minutes 10`: mixed load against both embedded chains, then checks.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestChain } from '../devnet/test-chain.ts';
import { readCommand, refuseCommand } from '../src/cli/read-command.ts';
import { createAccessClient } from './access-client.ts';
import { createIndexingScene, type Engine } from './indexing-scene.ts';
import {
  rest,
  runQuoter,
  runReader,
  runWallet,
  type SoakToken,
  type Stage,
} from './soak/actors.ts';
import { runChain } from './soak/chain-mover.ts';
import { buildCollectingEnv, readKept } from './soak/collect.ts';
import { runForks, type SoakSolana, startSoakSolana } from './soak/solana-mover.ts';
import { finishStream, runStreamReader, type TradeFold } from './soak/stream-reader.ts';
import { Tally } from './soak/tally.ts';
import { computeTrend, type Sample, watch } from './soak/watch.ts';
import {
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from './start-service-process.ts';
import { createEvmWallet } from './wallets.ts';

const run = promisify(execFile);

const READERS = 6;
const QUOTERS = 2;
const WALLETS = 2;
const STREAMS_PER_TOKEN = 3;
const STREAMED_PER_CHAIN = 6;
const CHAINS = ['devnet', 'devnet-solana'] as const;
/** Fewer samples show no trend. */
const SAMPLES_MIN = 8;

async function untilReady(service: RunningService): Promise<void> {
  while ((await fetch(`${service.origin}/v1/ready`)).status !== 200) await rest(250);
}

/** Tokens that others are quoted in; what all chains share. */
const QUOTE_SYMBOLS = new Set(['ETH', 'WETH', 'SOL', 'USDC']);
const TOKENS_PER_CHAIN = 12;

/** The busiest tokens have the most events. */
async function findTokens(origin: string, chain: string): Promise<SoakToken[]> {
  const answer = await fetch(`${origin}/v1/tokens?chain=${chain}&sort=trades&limit=50`);
  const { tokens } = (await answer.json()) as {
    tokens: { mint: string; symbol: string | null; trades24h: number | null }[];
  };
  return tokens
    .filter(({ symbol, trades24h }) => trades24h && !QUOTE_SYMBOLS.has(symbol ?? ''))
    .sort((a, b) => (b.trades24h ?? 0) - (a.trades24h ?? 0))
    .slice(0, TOKENS_PER_CHAIN)
    .map(({ mint }) => ({ chain, mint }));
}

/** A key, because the soak needs more streams than an anonymous caller may have. */
async function issueStreamKey(origin: string): Promise<string> {
  const client = createAccessClient(origin);
  const { token } = await client.signIn(createEvmWallet());
  return (await client.issueKey(token, 'streams')).key;
}

/** Every trade of the fold must be among the reads, and none of its time may be missing. */
async function compareFold(
  stage: Stage,
  { chain, mint }: SoakToken,
  fold: TradeFold,
): Promise<void> {
  const url = `${stage.origin}/v1/token/trades?chain=${chain}&mint=${mint}&limit=100`;
  const listed = new Set<string>();
  let cursor: string | null = '';
  while (cursor !== null && listed.size < fold.trades.size + 200) {
    const next = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await (await fetch(`${url}${next}`)).json();
    const page = answer as { trades: { id: string }[]; nextCursor: string | null };
    for (const { id } of page.trades) listed.add(id);
    cursor = page.nextCursor;
  }
  const extra = [...fold.trades].filter((id) => !listed.has(id));
  const newest = [...listed].slice(0, fold.trades.size);
  const missing = newest.filter((id) => !fold.trades.has(id));
  if (extra.length > 0) stage.tally.fail('stream has trades that the reads have not', extra.join());
  if (missing.length > 0) stage.tally.fail('stream has missed trades', missing.join());
  stage.tally.add('folds compared');
}

interface Played {
  readonly samples: readonly Sample[];
  /** Megabytes that the service kept, by collection. */
  readonly keptMb: readonly number[];
}

async function play(
  service: RunningService,
  options: {
    readonly tally: Tally;
    readonly chain: TestChain;
    readonly solana: SoakSolana;
    readonly minutes: number;
    readonly everyMs: number;
  },
): Promise<Sample[]> {
  const { origin } = service;
  const { tally } = options;
  const untilMs = Date.now() + options.minutes * 60_000;
  const lists = await Promise.all(CHAINS.map((chain) => findTokens(origin, chain)));
  const tokens = lists.flat();
  const streamed = lists.flatMap((list) => list.slice(0, STREAMED_PER_CHAIN));
  const streamKey = await issueStreamKey(origin);
  const isOver = () => Date.now() >= untilMs;
  const stage: Stage = { origin, tally, tokens, streamKey, isOver };
  const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work);
  const streams = streamed.flatMap((token) =>
    times(STREAMS_PER_TOKEN, () => ({ token, work: runStreamReader(stage, token) })),
  );
  const watching = watch(stage, { pid: service.child.pid ?? 0, everyMs: options.everyMs });
  await Promise.all([
    ...times(READERS, () => runReader(stage)),
    ...times(QUOTERS, () => runQuoter(stage)),
    ...times(WALLETS, () => runWallet(stage)),
    runChain(stage, options.chain),
    runForks(stage, options.solana),
  ]);
  const folds = await Promise.all(
    streams.map(async ({ token, work }) => ({ token, fold: await work })),
  );
  await options.solana.settle();
  await Promise.all(folds.map(({ token, fold }) => finishStream(stage, token, fold)));
  for (const { token, fold } of folds) await compareFold(stage, token, fold);
  return watching;
}

/** Prints the trend over time; false if it grew. */
function reportTrend(name: string, memory: readonly number[]): boolean {
  if (memory.length < SAMPLES_MIN) {
    console.log(`${name}: too short a run to judge`);
    return true;
  }
  const trend = computeTrend(memory);
  const step = Math.max(1, Math.floor(memory.length / 12));
  const shown = memory.filter((_, index) => index % step === 0);
  console.log(`${name} in MB over time: ${shown.map((one) => one.toFixed(0)).join(' ')}`);
  const early = `${trend.earlyMb.toFixed(0)} MB in the second quarter`;
  const late = `${trend.lateMb.toFixed(0)} MB in the last`;
  console.log(`  ${early}, ${late}: ${trend.isFlat ? 'flat' : 'IT GROWS'}`);
  return trend.isFlat;
}

function report(tally: Tally, { samples, keptMb }: Played): boolean {
  console.log('\nwhat was done');
  for (const [kind, count] of [...tally.done].sort()) console.log(`  ${kind.padEnd(36)} ${count}`);
  for (const chain of CHAINS) {
    const lags = samples.flatMap(({ lags }) => lags.get(chain) ?? []).sort((a, b) => a - b);
    const lagAt = (share: number) =>
      lags[Math.min(lags.length - 1, Math.floor(lags.length * share))];
    const [middle, late] = [lagAt(0.5), lagAt(0.99)];
    console.log(
      `lag behind ${chain}: median ${middle} ms, 99 % ${late} ms, most ${lags.at(-1)} ms`,
    );
  }
  const flat = [
    reportTrend(
      'memory',
      samples.map(({ memoryMb }) => memoryMb),
    ),
    reportTrend('what was kept after collections', keptMb),
  ];
  console.log(tally.troubles.size === 0 ? 'errors: none' : 'errors');
  for (const [kind, { count, samples: first }] of tally.troubles) {
    console.log(`  ${kind}: ${count}\n    ${first.join('\n    ')}`);
  }
  return tally.troubles.size === 0 && flat.every((one) => one);
}

const FORM = {
  name: 'npm run soak',
  help: `usage: npm run soak -- --minutes <from above 0 to 1440> --engine sqlite|postgres

Reads, streams, quotes, sign-ins and reorganisations at once on both embedded chains (by default 10
minutes on sqlite), then errors, memory, lag and verify of both chains.
`,
  flags: { minutes: { type: 'string' }, engine: { type: 'string' } },
} as const;

const command = readCommand(process.argv.slice(2), FORM);
if (command === null) process.exit();
const minutes = Number(command.values.minutes ?? 10);
const engine: Engine = command.values.engine === 'postgres' ? 'postgres' : 'sqlite';
if (!(minutes > 0 && minutes <= 24 * 60)) {
  refuseCommand(FORM, '--minutes must be above 0 and at most 1440');
  process.exit();
}
if (engine !== (command.values.engine ?? engine)) {
  refuseCommand(FORM, `no engine "${command.values.engine}"; known: sqlite, postgres`);
  process.exit();
}
const works: (() => unknown)[] = [];
const cleanup = { after: (work: () => unknown) => void works.unshift(work) };
let passed = false;
try {
  const { chain, env: followed } = await createIndexingScene(cleanup, { engine });
  const solana = await startSoakSolana(cleanup);
  const env = {
    ...{ ...followed, ...solana.env },
    // Blocks come only with trades: a pause is no stall here.
    STALL_SECONDS: '60',
    LOG_LEVEL: 'warn',
    // A small cache that is soon full: growth after that is a leak.
    ANSWER_CACHE_MB: '8',
    LIMIT_KEY_PER_MINUTE: '1000000',
    LIMIT_KEY_BURST: '1000000',
  };
  const notes = join(createTempFolder(cleanup), 'kept');
  const service = await startServiceProcess(cleanup, {
    env: { ...env, ...buildCollectingEnv(notes) },
  });
  console.log(`the service serves on ${service.origin}; waiting for its chain`);
  await untilReady(service);
  console.log(`${minutes} minutes of reads, streams, quotes, sign-ins and reorganisations`);
  const tally = new Tally();
  const samples = await play(service, { tally, chain, solana, minutes, everyMs: 2000 });
  passed = report(tally, { samples, keptMb: readKept(notes) });
  for (const slug of CHAINS) {
    const args = ['src/cli/main.ts', 'verify', '--chain', slug];
    const verified = await run(process.execPath, args, { env: { ...process.env, ...env } }).catch(
      (error) => ({ stdout: `${error.stdout}\n${error.stderr}` }),
    );
    const clean = verified.stdout.includes('no differences');
    console.log(`verify ${slug}: ${clean ? 'no differences' : `DIFFERENCES\n${verified.stdout}`}`);
    passed = passed && clean;
  }
  const warnings = service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  if (!passed) console.log(`what the service warned of\n  ${warnings.slice(0, 20).join('\n  ')}`);
} finally {
  for (const work of works) await work();
}
console.log(passed ? 'soak passed' : 'soak FAILED');
process.exit(passed ? 0 : 1);
