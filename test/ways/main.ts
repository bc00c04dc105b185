// `npm run ways [-- --files]`: which files of src each of five ways executes, from a real run with
// coverage: a hot and a cold klines request, a quote, a swap log up to a reader's socket, a Solana
// block up to its trade rows. It is information, not a gate.
//
// A commit also sets off work that neither the rows nor the reader wait for: rolling stats, search,
// the pool graph of trading, cached answers that are dropped, adoption, history, names, retention.
// It runs in the same turn, so coverage has it in every run. Those files (`BESIDE`) are counted and
// listed apart; everything else is on the way, shared tools such as endpoints' health included. The
// ways of requests have no such list: all that they execute is on the way.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createSeededRandom } from '../../devnet/random.ts';
import { SimulatedMarket } from '../../devnet/solana/simulated-market.ts';
import { untilAtHead } from '../indexed-service.ts';
import { createIndexingScene } from '../indexing-scene.ts';
import { openHttpStream } from '../open-http-stream.ts';
import { SLUG, startSolanaTradeService } from '../solana-trade-service.ts';
import {
  type Cleanup,
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';

/** Background work rarely falls into each of so many runs of a way: only what all share counts. */
const RUNS = 8;

/** What a block or a commit sets off beside its way; each entry is a file or a folder of `src`. */
const BESIDE = [
  'chains/evm/trading/',
  'ingest/adopt/',
  'ingest/backfill/',
  'ingest/commit/row-retention.ts',
  'ingest/demand/',
  'ingest/follow/background-jobs.ts',
  'ingest/follow/name-backlog.ts',
  'market/rolling-stats/',
  'market/token-search.ts',
  'trading/',
].map((path) => `src/${path}`);

interface Ran {
  readonly main: readonly string[];
  /** Of all other threads: the index and its writer. */
  readonly threads: readonly string[];
}

type Take = () => Promise<Ran>;

function prepareRecording(t: Cleanup): { env: Readonly<Record<string, string>>; take: Take } {
  const path = join(createTempFolder(t), 'ways.sock');
  const hook = new URL('record-ways.ts', import.meta.url).href;
  return {
    env: { NODE_OPTIONS: `--import ${hook}`, MINTWIRE_WAYS_SOCKET: path },
    take: async () => JSON.parse(await text(connect(path))) as Ran,
  };
}

/** The files that each run of `work` executes. */
async function measureWay(
  take: Take,
  pick: (ran: Ran) => readonly string[],
  work: (run: number) => Promise<unknown>,
): Promise<string[]> {
  let shared: Set<string> | null = null;
  for (let run = 0; run < RUNS; run += 1) {
    await take();
    await work(run);
    const files = new Set(pick(await take()));
    shared = new Set([...files].filter((file) => shared?.has(file) ?? true));
  }
  return [...(shared ?? [])].sort();
}

const onMain = ({ main }: Ran) => main;
const onThreads = ({ threads }: Ran) => threads;
const everywhere = ({ main, threads }: Ran) => [...main, ...threads];

async function read(service: RunningService, path: string): Promise<void> {
  const response = await fetch(`${service.origin}/v1${path}`);
  const body = await response.text();
  assert.equal(response.status, 200, body);
}

interface Way {
  /** Whether it is that of a commit, beside which other work is set off. */
  readonly isCommit: boolean;
  readonly files: readonly string[];
}

const ways = new Map<string, Way>();

function addWay(name: string, files: readonly string[], isCommit = false): void {
  ways.set(name, { files, isCommit });
}

function printWay(name: string, { files, isCommit }: Way, withFiles: boolean): void {
  const isBeside = (file: string) => isCommit && BESIDE.some((path) => file.startsWith(path));
  const beside = files.filter(isBeside);
  const onWay = files.filter((file) => !isBeside(file));
  const suffix = beside.length === 0 ? '' : `, and ${beside.length} set off beside it`;
  console.log(`${String(onWay.length).padStart(4)}  ${name}${suffix}`);
  if (!withFiles) return;
  for (const file of onWay) console.log(`        ${file}`);
  for (const file of beside) console.log(`        beside: ${file}`);
}

async function measureEvm(t: Cleanup): Promise<void> {
  const { chain, env } = await createIndexingScene(t, { engine: 'sqlite' });
  const recording = prepareRecording(t);
  const { take } = recording;
  const service = await startServiceProcess(t, { env: { ...env, ...recording.env } });
  await untilAtHead(service, chain);
  const mint = chain.deployment.tokens.find(({ symbol }) => symbol === 'WIRE')?.address ?? '';
  assert.ok(mint);
  const quote = async (run: number) => {
    const amountInRaw = String(10n ** 16n + BigInt(run));
    const response = await fetch(`${service.origin}/v1/trade/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chain: 'devnet', mint, side: 'buy', amountInRaw }),
    });
    const body = await response.text();
    if (response.status === 503) return false;
    assert.equal(response.status, 200, body);
    return (JSON.parse(body) as { exact: boolean }).exact;
  };
  // The pools are probed first, so that the background is quiet.
  while (!(await quote(RUNS))) await setTimeout(200);
  const klines = (interval: string, limit: number) =>
    read(service, `/token/klines?chain=devnet&mint=${mint}&interval=${interval}&limit=${limit}`);
  await klines('1m', 100);
  addWay('a hot klines request', await measureWay(take, onMain, () => klines('1m', 100)));
  addWay(
    'a cold klines request',
    // A question that nobody asked before.
    await measureWay(take, onMain, (run) => klines('5m', 101 + run)),
  );
  addWay('a quote', await measureWay(take, onMain, quote));
  const stream = await openHttpStream(
    `${service.origin}/v1/token/stream?chain=devnet&mint=${mint}&events=trade`,
  );
  const swap = async (run: number) => {
    const amountInRaw = 10n ** 15n * BigInt(run + 1);
    await chain.buy({ token: 'wire', venue: 'uniswap-v3', amountInRaw });
    const count = () => stream.events.filter(({ event }) => event === 'trade').length;
    const before = count();
    await stream.until(() => count() > before);
  };
  await swap(RUNS);
  addWay("a swap log up to a reader's socket", await measureWay(take, everywhere, swap), true);
  stream.leave();
}

async function measureSolana(t: Cleanup): Promise<void> {
  const { env, take } = prepareRecording(t);
  const solana = await startSolanaTradeService(t, { coinCount: 1, env });
  const { chain, scene } = solana;
  const random = createSeededRandom('ways');
  const market = new SimulatedMarket({ chain, scene, random, seed: 'ways' });
  const readHead = async () => {
    const { chains } = await solana.read('/chains');
    return chains.find(({ slug }: { slug: string }) => slug === SLUG)?.head;
  };
  addWay(
    'a Solana block up to its trade rows',
    await measureWay(take, onThreads, async () => {
      for (let action = 0; action < 6; action += 1) market.act();
      solana.seal();
      while ((await readHead()) !== chain.head.slot) await setTimeout(20);
    }),
    true,
  );
}

const cleanups: (() => unknown)[] = [];
try {
  const t = { after: (work: () => unknown) => cleanups.unshift(work) };
  await measureEvm(t);
  await measureSolana(t);
  const withFiles = process.argv.includes('--files');
  for (const [name, way] of ways) printWay(name, way, withFiles);
} finally {
  for (const work of cleanups) await work();
}
