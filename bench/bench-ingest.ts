// Part `ingest`: indexing a recorded chain, against Ponder for transfers, and on each store for
// swaps.

import type { Store } from '../src/store/store.ts';
import { type OursTiming, type Timing, timeOurs } from './ingest-ours.ts';
import { timePonder } from './ingest-ponder.ts';
import { median, spread } from './measure.ts';
import { PONDER_VERSION } from './peers/ponder/install-ponder.ts';
import { type RecordedChain, startRecordedChain } from './recorded-chain-process.ts';
import type { Row } from './row.ts';

const EVENTS = 100_000;
const QUICK_EVENTS = 15_000;
const SWAPS = 100_000;
/** A run's first swaps, in which most of its code is compiled, are counted apart. */
const FIRST_SHARE = 4;
const SWAPS_PER_BLOCK = 10;
const SWAP_RATES_MIN: Readonly<Record<Store['engine'], number>> = {
  sqlite: 12_000,
  postgres: 8000,
};
const PEAK_RSS_MAX_MIB = 400;
const SWAP_BYTES_MAX: Readonly<Record<Store['engine'], number>> = { sqlite: 900, postgres: 1500 };

interface TransferCase {
  readonly goal: 'ingestSparse' | 'ingestDense';
  readonly eventsPerBlock: number;
  /** Ponder is slow, so where possible it gets only the beginning of the chain. */
  readonly partEvents: number;
  readonly quickEvents: number;
}

const TRANSFER_CASES: readonly TransferCase[] = [
  { goal: 'ingestSparse', eventsPerBlock: 5, partEvents: 10_000, quickEvents: 2000 },
  { goal: 'ingestDense', eventsPerBlock: 100, partEvents: 20_000, quickEvents: 4000 },
];

interface Part {
  readonly rows: readonly Row[];
  /** Runs without extra transfer rows. */
  readonly timings: readonly OursTiming[];
}

const ENGINE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

function perSecond(count: number, timing: Pick<Timing, 'elapsedMs'>): number {
  return (count * 1000) / timing.elapsedMs;
}

function rounded(values: readonly number[]): string {
  return Math.round(median(values)).toLocaleString('en');
}

/** Runs work while a chain is served. */
async function withChain<T>(
  options: Parameters<typeof startRecordedChain>[0],
  work: (chain: RecordedChain) => Promise<T>,
): Promise<T> {
  const chain = await startRecordedChain(options);
  try {
    return await work(chain);
  } finally {
    await chain.stop();
  }
}

interface Pair {
  readonly ours: number;
  readonly peer: number;
  readonly oursCpuMicros: number;
  readonly peerCpuMicros: number;
  readonly peerRssMiB: number;
  readonly serverShare: number;
}

/** The chain, the part of it for Ponder, and the chain as older nodes serve it. */
interface TransferChains {
  readonly whole: RecordedChain;
  readonly part: RecordedChain;
  readonly older: RecordedChain;
}

interface TransferMeasures {
  readonly pairs: readonly Pair[];
  /** Events per second without rows for transfers, and with logs without a time. */
  readonly plain: readonly number[];
  readonly older: readonly number[];
  readonly timings: readonly OursTiming[];
}

/** Interleaved, so that other load affects both alike. */
async function measureTransfers(
  chains: TransferChains & { readonly peer: RecordedChain },
  options: {
    readonly engine: Store['engine'];
    readonly quick: boolean;
    readonly repetitions: number;
  },
): Promise<TransferMeasures> {
  const { engine } = options;
  const { whole, peer } = chains;
  const pairs: Pair[] = [];
  const plain: OursTiming[] = [];
  const older: OursTiming[] = [];
  for (let i = 0; i < options.repetitions; i += 1) {
    // Progress, because a full run would be silent for minutes.
    const share = `${i + 1} of ${options.repetitions}`;
    console.error(`ingest: ${peer.logs} transfers in ${peer.head} blocks, ${engine}, ${share}`);
    const theirs = await timePonder(peer, engine);
    const ours = await timeOurs(whole, { engine, transferRows: true });
    pairs.push({
      ours: perSecond(whole.logs, ours),
      peer: perSecond(peer.logs, theirs),
      oursCpuMicros: (ours.cpuMs * 1000) / whole.logs,
      peerCpuMicros: (theirs.cpuMs * 1000) / peer.logs,
      peerRssMiB: theirs.peakRssMiB,
      serverShare: ours.serverCpuMs / ours.elapsedMs,
    });
    // Shown beside the ratio and not part of it: in a quick run once is enough.
    if (options.quick && i > 0) continue;
    plain.push(await timeOurs(whole, { engine, transferRows: false }));
    older.push(await timeOurs(chains.older, { engine, transferRows: true }));
  }
  const logsPerSecond = (timing: OursTiming) => perSecond(whole.logs, timing);
  return {
    pairs,
    plain: plain.map(logsPerSecond),
    older: older.map(logsPerSecond),
    timings: plain,
  };
}

function formatTransferNote(measures: TransferMeasures, peerEvents: number): string {
  const { pairs } = measures;
  const middle = (read: (pair: Pair) => number) => median(pairs.map(read));
  const oursCpu = middle((pair) => pair.oursCpuMicros);
  const peerCpu = middle((pair) => pair.peerCpuMicros);
  const rss = Math.max(...pairs.map((pair) => pair.peerRssMiB));
  return [
    'same work: both balances and a row for each transfer;',
    `as Mintwire is, without those rows, ${rounded(measures.plain)} events/s;`,
    `from a node whose logs have no time ${rounded(measures.older)} events/s;`,
    `by CPU per event ${(peerCpu / oursCpu).toFixed(1)}: ${oursCpu.toFixed(0)} µs against`,
    `${peerCpu.toFixed(0)} µs; the chain's server used`,
    `${(middle((pair) => pair.serverShare) * 100).toFixed(0)} % of a core while ours ran;`,
    `Ponder used ${rss.toFixed(0)} MiB`,
    ...(peerEvents < EVENTS
      ? [`and was given the first ${peerEvents.toLocaleString('en')} events only, ours all`]
      : []),
  ].join(' ');
}

/**
 * In a full run Ponder indexes the whole chain on its embedded store; otherwise a part is enough.
 */
async function benchTransfers(
  one: TransferCase,
  options: { readonly quick: boolean; readonly repetitions: number },
): Promise<Part> {
  const recorded = { kind: 'transfers', eventsPerBlock: one.eventsPerBlock } as const;
  const current = { ...recorded, blockTimestamps: true };
  const engines: Store['engine'][] = options.quick ? ['sqlite'] : ['sqlite', 'postgres'];
  const rows: Row[] = [];
  const timings: OursTiming[] = [];
  async function measure(chains: TransferChains, engine: Store['engine']): Promise<void> {
    const peer = engine === 'sqlite' && !options.quick ? chains.whole : chains.part;
    const measures = await measureTransfers({ ...chains, peer }, { ...options, engine });
    timings.push(...measures.timings);
    const ratios = measures.pairs.map((pair) => pair.ours / pair.peer);
    const peerRate = rounded(measures.pairs.map((pair) => pair.peer));
    const peerStore = engine === 'sqlite' ? 'PGlite' : 'PostgreSQL';
    rows.push({
      goal: engine === 'sqlite' ? one.goal : `${one.goal}Postgres`,
      ours: `${rounded(measures.pairs.map((pair) => pair.ours))} events/s`,
      peer: `${peerRate} events/s (Ponder ${PONDER_VERSION}, ${peerStore})`,
      ratio: median(ratios),
      spread: spread(ratios),
      note: formatTransferNote(measures, peer.logs),
    });
  }
  const [events, partEvents] = options.quick
    ? [QUICK_EVENTS, one.quickEvents]
    : [EVENTS, one.partEvents];
  await withChain({ ...current, events }, (whole) =>
    withChain({ ...current, events: partEvents }, (part) =>
      withChain({ ...recorded, blockTimestamps: false, events }, async (older) => {
        for (const engine of engines) await measure({ whole, part, older }, engine);
      }),
    ),
  );
  return { rows, timings };
}

/** Where the CPU time of a swap goes. */
function formatCpu(timings: readonly OursTiming[], swaps: number): string {
  const micros = (read: (timing: OursTiming) => number) =>
    median(timings.map((timing) => (read(timing) * 1000) / swaps)).toFixed(0);
  return [
    `${micros(({ cpuMs }) => cpuMs)} µs of CPU per swap in our process;`,
    `by thread: the indexer ${micros(({ result }) => result.threads.indexerMs)} µs,`,
    `the store's ${micros(({ result }) => result.threads.storeMs)} µs,`,
    `V8's own ${micros(({ result }) => result.threads.runtimeMs)} µs`,
  ].join(' ');
}

/**
 * Swaps a second after the first ones: what an operator sees who indexes months. When those are
 * stored, some after them have been worked on, too, and the last ones end without any after them.
 */
function computeSteadyRate({ elapsedMs, result }: OursTiming, swaps: number): number {
  const { commits, endedAtMs } = result;
  const first = commits.find(({ trades }) => trades >= swaps / FIRST_SHARE);
  if (first === undefined) throw new Error('the first swaps were never committed');
  const firstMs = first.atMs - (endedAtMs - elapsedMs);
  return perSecond(result.trades - first.trades, { elapsedMs: elapsedMs - firstMs });
}

interface SwapRuns {
  readonly swaps: number;
  readonly logs: number;
  readonly byEngine: Readonly<Record<Store['engine'], readonly OursTiming[]>>;
}

async function runSwaps(swaps: number, repetitions: number): Promise<SwapRuns> {
  const recorded = { kind: 'swaps', swaps, swapsPerBlock: SWAPS_PER_BLOCK } as const;
  return withChain({ ...recorded, blockTimestamps: true }, async (chain) => {
    const byEngine: Record<Store['engine'], OursTiming[]> = { sqlite: [], postgres: [] };
    for (let i = 0; i < repetitions; i += 1) {
      for (const engine of ['sqlite', 'postgres'] as const) {
        byEngine[engine].push(await timeOurs(chain, { engine, transferRows: false }));
      }
    }
    return { swaps, logs: chain.logs, byEngine };
  });
}

function formatSwapNote({ swaps, logs, byEngine }: SwapRuns, engine: Store['engine']): string {
  const timings = byEngine[engine];
  const { trades, candles, balances } = timings[0]!.result;
  const peak = Math.max(...timings.map(({ peakRssMiB }) => peakRssMiB));
  return [
    `${trades} trades, ${candles} candles and ${balances} balances out of ${logs} logs on`,
    `${ENGINE_NAMES[engine]}; ${formatCpu(timings, swaps)}; at most ${peak.toFixed(0)} MiB`,
  ].join(' ');
}

/** A short chain, most of which is indexed while the code is being compiled. */
function buildFirstRow(runs: SwapRuns, engine: Store['engine']): Row {
  const rates = runs.byEngine[engine].map((timing) => perSecond(runs.swaps, timing));
  return {
    goal: engine === 'sqlite' ? 'ingestSwapsSqlite' : 'ingestSwapsPostgres',
    ours: `${rounded(rates)} swaps/s`,
    peer: '',
    ratio: null,
    spread: spread(rates),
    note: formatSwapNote(runs, engine),
  };
}

function buildSteadyRow(runs: SwapRuns, engine: Store['engine']): Row {
  const { swaps } = runs;
  const timings = runs.byEngine[engine];
  const rates = timings.map((timing) => computeSteadyRate(timing, swaps));
  const all = timings.map((timing) => perSecond(swaps, timing));
  const min = SWAP_RATES_MIN[engine];
  return {
    goal: engine === 'sqlite' ? 'ingestSteadySqlite' : 'ingestSteadyPostgres',
    ours: `${rounded(rates)} swaps/s`,
    peer: `the goal of ${min.toLocaleString('en')} swaps/s`,
    ratio: median(rates) / min,
    spread: spread(rates),
    note: [
      `a chain of ${swaps}, all of which took ${rounded(all)} swaps/s;`,
      formatSwapNote(runs, engine),
    ].join(' '),
  };
}

async function benchSwaps(options: {
  readonly quick: boolean;
  readonly repetitions: number;
}): Promise<Part> {
  const swaps = options.quick ? SWAPS / 5 : SWAPS;
  const short = await runSwaps(swaps / FIRST_SHARE, options.repetitions);
  const long = await runSwaps(swaps, options.repetitions);
  const rows = (['sqlite', 'postgres'] as const).flatMap((engine) => [
    buildFirstRow(short, engine),
    buildSteadyRow(long, engine),
  ]);
  if (!options.quick) {
    // On a short chain the balances that it begins with would count for too much.
    rows.push(buildBytesRow('sqlite', swaps, long.byEngine.sqlite));
    rows.push(buildBytesRow('postgres', swaps, long.byEngine.postgres));
  }
  const timings = [short, long].flatMap(({ byEngine }) => Object.values(byEngine).flat());
  return { rows, timings };
}

function buildBytesRow(
  engine: Store['engine'],
  swaps: number,
  timings: readonly OursTiming[],
): Row {
  const sizes = timings.map(({ result }) => result.storedBytes / swaps);
  const max = SWAP_BYTES_MAX[engine];
  return {
    goal: engine === 'sqlite' ? 'ingestBytesSqlite' : 'ingestBytesPostgres',
    ours: `${median(sizes).toFixed(0)} bytes`,
    peer: `the limit of ${max} bytes`,
    ratio: max / median(sizes),
    spread: spread(sizes),
    note:
      engine === 'sqlite'
        ? 'the file, after the log was written back'
        : 'tables and indexes, with the dead rows that vacuum has not removed yet',
  };
}

function buildMemoryRow(timings: readonly OursTiming[]): Row {
  const peaks = timings.map((timing) => timing.peakRssMiB);
  const peak = Math.max(...peaks);
  return {
    goal: 'ingestMemory',
    ours: `${peak.toFixed(0)} MiB`,
    peer: `the limit of ${PEAK_RSS_MAX_MIB} MiB`,
    ratio: PEAK_RSS_MAX_MIB / peak,
    spread: spread(peaks),
    note: `the highest resident size of ${peaks.length} runs over several chains and stores, median ${median(peaks).toFixed(0)} MiB`,
  };
}

/** What this part may be limited to. */
export const INGEST_CHAINS = ['transfers', 'swaps'] as const;

export async function benchIngest(options: {
  readonly quick: boolean;
  readonly only?: string | undefined;
}): Promise<Row[]> {
  const { quick, only } = options;
  const repetitions = quick ? 2 : 3;
  const parts: Part[] = [];
  for (const one of only === 'swaps' ? [] : TRANSFER_CASES) {
    parts.push(await benchTransfers(one, { quick, repetitions }));
  }
  if (only !== 'transfers') parts.push(await benchSwaps({ quick, repetitions }));
  const timings = parts.flatMap((part) => part.timings);
  return [...parts.flatMap((part) => part.rows), buildMemoryRow(timings)];
}
