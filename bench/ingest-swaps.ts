// Indexing swaps with everything they leave, on each store.

import type { Store } from '../src/store/store.ts';
import { type IngestPart, type OursTiming, perSecond, timeOurs } from './ingest-ours.ts';
import { formatMedian, median, spread } from './measure.ts';
import { withChain } from './recorded-chain-process.ts';
import type { Row } from './row.ts';
import { pickAtRest, startYardstick, type TimedRun } from './yardstick.ts';

type Engine = Store['engine'];

const ENGINES = ['sqlite', 'postgres'] as const;
const ENGINE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
const SWAPS = 100_000;
const SWAPS_PER_BLOCK = 10;
/** A run's first swaps, in which most of its code is compiled, are counted apart. */
const FIRST_SHARE = 4;
const RATES_MIN: Readonly<Record<Engine, number>> = { sqlite: 9000, postgres: 7000 };
const BYTES_MAX: Readonly<Record<Engine, number>> = { sqlite: 900, postgres: 1500 };

type TimedSwaps = TimedRun<OursTiming>;

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

function formatSwapNote(timings: readonly OursTiming[], engine: Engine, swaps: number): string {
  const { trades, candles, balances } = timings[0]!.result;
  const peak = Math.max(...timings.map(({ peakRssMiB }) => peakRssMiB));
  return [
    `${trades} trades, ${candles} candles and ${balances} balances on ${ENGINE_NAMES[engine]};`,
    `${formatCpu(timings, swaps)}; at most ${peak.toFixed(0)} MiB`,
  ].join(' ');
}

function formatYardstick(runs: readonly TimedSwaps[]): string {
  const times = runs.map(({ yardstickMs }) => yardstickMs);
  return `${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms`;
}

/** A short chain, most of which is indexed while the code is being compiled. */
function buildFirstRow(timings: readonly OursTiming[], engine: Engine, swaps: number): Row {
  const rates = timings.map((timing) => perSecond(swaps, timing));
  return {
    goal: engine === 'sqlite' ? 'ingestSwapsSqlite' : 'ingestSwapsPostgres',
    ours: `${formatMedian(rates)} swaps/s`,
    peer: '',
    ratio: null,
    spread: spread(rates),
    note: formatSwapNote(timings, engine, swaps),
  };
}

interface SteadyRuns {
  readonly all: readonly TimedSwaps[];
  readonly atRest: readonly TimedSwaps[];
}

function buildSteadyRow({ all, atRest }: SteadyRuns, engine: Engine, swaps: number): Row {
  const rate = ({ timing }: TimedSwaps) => computeSteadyRate(timing, swaps);
  const rates = atRest.map(rate);
  const timings = atRest.map(({ timing }) => timing);
  const whole = timings.map((timing) => perSecond(swaps, timing));
  const min = RATES_MIN[engine];
  return {
    goal: engine === 'sqlite' ? 'ingestSteadySqlite' : 'ingestSteadyPostgres',
    ours: `${formatMedian(rates)} swaps/s`,
    peer: `the goal of ${min.toLocaleString('en')} swaps/s`,
    ratio: median(rates) / min,
    spread: spread(rates),
    note: [
      `a chain of ${swaps}, all of which took ${formatMedian(whole)} swaps/s;`,
      `the ${atRest.length} runs of ${all.length} beside which the machine was fastest: a fixed`,
      `piece of work took ${formatYardstick(atRest)} there, ${formatYardstick(all)} in all, with a`,
      `median of ${formatMedian(all.map(rate))} swaps/s;`,
      formatSwapNote(timings, engine, swaps),
    ].join(' '),
  };
}

function buildBytesRow(timings: readonly OursTiming[], engine: Engine, swaps: number): Row {
  const sizes = timings.map(({ result }) => result.storedBytes / swaps);
  const max = BYTES_MAX[engine];
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

interface SwapOptions {
  readonly quick: boolean;
  readonly repetitions: number;
}

export type SwapRuns = Readonly<Record<Engine, readonly TimedSwaps[]>>;

function countSwaps({ quick }: SwapOptions): number {
  return quick ? SWAPS / 5 : SWAPS;
}

/** Each run is between two measures of the machine. */
async function runSwaps(swaps: number, repetitions: number): Promise<SwapRuns> {
  const runs: Record<Engine, TimedSwaps[]> = { sqlite: [], postgres: [] };
  const recorded = { kind: 'swaps', swaps, swapsPerBlock: SWAPS_PER_BLOCK } as const;
  const yardstick = await startYardstick();
  try {
    await withChain({ ...recorded, blockTimestamps: true }, async (chain) => {
      let beforeMs = await yardstick.measure();
      for (let i = 0; i < repetitions; i += 1) {
        for (const engine of ENGINES) {
          const timing = await timeOurs(chain, { engine, transferRows: false });
          const afterMs = await yardstick.measure();
          const yardstickMs = (beforeMs + afterMs) / 2;
          runs[engine].push({ timing, yardstickMs });
          // Progress, and each run beside what the machine did.
          const rate = `${Math.round(computeSteadyRate(timing, swaps))} swaps/s`;
          console.error(`ingest: ${engine}, ${rate}, yardstick ${yardstickMs.toFixed(0)} ms`);
          beforeMs = afterMs;
        }
      }
    });
  } finally {
    await yardstick.stop();
  }
  return runs;
}

/**
 * These rows are compared with a fixed number of swaps, and on a shared machine a minute may be a
 * quarter slower than the next. So runs are taken in several groups, minutes apart.
 */
export function takeSwapRuns(options: SwapOptions): Promise<SwapRuns> {
  return runSwaps(countSwaps(options), options.repetitions);
}

/** Of the runs of all groups as many count as one group has: those with the machine at rest. */
export async function benchSwaps(
  groups: readonly SwapRuns[],
  options: SwapOptions,
): Promise<IngestPart> {
  const swaps = countSwaps(options);
  const firstSwaps = swaps / FIRST_SHARE;
  const short = await runSwaps(firstSwaps, options.repetitions);
  const timings: OursTiming[] = [];
  const rows: Row[] = [];
  for (const engine of ENGINES) {
    const first = short[engine].map(({ timing }) => timing);
    const all = groups.flatMap((runs) => runs[engine]);
    const steady = all.map(({ timing }) => timing);
    timings.push(...first, ...steady);
    rows.push(buildFirstRow(first, engine, firstSwaps));
    const atRest = pickAtRest(all, options.repetitions);
    rows.push(buildSteadyRow({ all, atRest }, engine, swaps));
    // On a short chain the balances that it begins with would count for too much.
    if (!options.quick) rows.push(buildBytesRow(steady, engine, swaps));
  }
  return { rows, timings };
}
