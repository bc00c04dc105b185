// Part `ingest`: indexing a recorded chain, against Ponder for transfers and on both stores for swaps.

import type { Store } from '../src/store/store.ts';
import { type OursTiming, type Timing, timeOurs } from './ingest-ours.ts';
import { timePonder } from './ingest-ponder.ts';
import { median, spread } from './measure.ts';
import { PONDER_VERSION } from './peers/ponder/install-ponder.ts';
import { type RecordedChain, startRecordedChain } from './recorded-chain-process.ts';
import type { Row } from './row.ts';

const EVENTS = 100_000;
const SWAPS = 25_000;
const SWAPS_PER_BLOCK = 10;
const PEAK_RSS_MAX_MIB = 400;

interface TransferCase {
  readonly goal: 'ingestSparse' | 'ingestDense';
  readonly eventsPerBlock: number;
  /** Ponder is slow, so a quick run gives it the beginning of the chain only. */
  readonly quickEvents: number;
}

const TRANSFER_CASES: readonly TransferCase[] = [
  { goal: 'ingestSparse', eventsPerBlock: 5, quickEvents: 10_000 },
  { goal: 'ingestDense', eventsPerBlock: 100, quickEvents: 20_000 },
];

const ENGINE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

function perSecond(count: number, timing: Pick<Timing, 'elapsedMs'>): number {
  return (count * 1000) / timing.elapsedMs;
}

function rounded(values: readonly number[]): string {
  return Math.round(median(values)).toLocaleString('en');
}

/** Runs work with a chain that is served meanwhile. */
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
}

interface Compared {
  readonly pairs: readonly Pair[];
  readonly ours: readonly OursTiming[];
}

/** Interleaved, so that a noisy neighbour disturbs both alike. */
async function compare(
  chains: { readonly ours: RecordedChain; readonly peer: RecordedChain },
  options: { readonly engine: Store['engine']; readonly repetitions: number },
): Promise<Compared> {
  const pairs: Pair[] = [];
  const ours: OursTiming[] = [];
  for (let i = 0; i < options.repetitions; i += 1) {
    const peer = await timePonder(chains.peer, options.engine);
    const own = await timeOurs(chains.ours, { engine: options.engine, transferRows: true });
    ours.push(own);
    pairs.push({
      ours: perSecond(chains.ours.logs, own),
      peer: perSecond(chains.peer.logs, peer),
      oursCpuMicros: (own.cpuMs * 1000) / chains.ours.logs,
      peerCpuMicros: (peer.cpuMs * 1000) / chains.peer.logs,
      peerRssMiB: peer.peakRssMiB,
    });
  }
  return { pairs, ours };
}

function toTransferNote(
  compared: Compared,
  told: { readonly plain: readonly number[]; readonly peerEvents: number },
): string {
  const { pairs, ours } = compared;
  const oursCpu = median(pairs.map((pair) => pair.oursCpuMicros));
  const peerCpu = median(pairs.map((pair) => pair.peerCpuMicros));
  const server = median(ours.map((one) => one.serverCpuMs / one.elapsedMs));
  const rss = Math.max(...pairs.map((pair) => pair.peerRssMiB));
  return [
    'same work: both balances and a row for each transfer;',
    `as Mintwire is, without those rows, ${rounded(told.plain)} events/s;`,
    `by CPU per event ${(peerCpu / oursCpu).toFixed(1)}: ${oursCpu.toFixed(0)} µs against`,
    `${peerCpu.toFixed(0)} µs; the chain's server is busy for ${(server * 100).toFixed(0)} % of`,
    `our time; Ponder used ${rss.toFixed(0)} MiB`,
    ...(told.peerEvents < EVENTS
      ? [`and was given ${told.peerEvents.toLocaleString('en')} events only, ours all`]
      : []),
  ].join(' ');
}

async function benchTransfers(
  one: TransferCase,
  options: { readonly quick: boolean; readonly repetitions: number },
): Promise<{ readonly rows: Row[]; readonly timings: readonly OursTiming[] }> {
  const { eventsPerBlock } = one;
  const blockTimestamps = true;
  const peerEvents = options.quick ? one.quickEvents : EVENTS;
  const recorded = { kind: 'transfers', eventsPerBlock, blockTimestamps } as const;
  return withChain({ ...recorded, events: EVENTS }, (ours) =>
    withChain({ ...recorded, events: peerEvents }, async (peer) => {
      const rows: Row[] = [];
      const timings: OursTiming[] = [];
      const engines: Store['engine'][] = options.quick ? ['sqlite'] : ['sqlite', 'postgres'];
      for (const engine of engines) {
        const { repetitions } = options;
        const compared = await compare({ ours, peer }, { engine, repetitions });
        const plain: number[] = [];
        for (let i = 0; i < repetitions; i += 1) {
          const timing = await timeOurs(ours, { engine, transferRows: false });
          timings.push(timing);
          plain.push(perSecond(ours.logs, timing));
        }
        const ratios = compared.pairs.map((pair) => pair.ours / pair.peer);
        const peerStore = engine === 'sqlite' ? 'PGlite' : 'PostgreSQL';
        rows.push({
          goal: engine === 'sqlite' ? one.goal : `${one.goal}Postgres`,
          ours: `${rounded(compared.pairs.map((pair) => pair.ours))} events/s`,
          peer: `${rounded(compared.pairs.map((pair) => pair.peer))} events/s (Ponder ${PONDER_VERSION}, ${peerStore})`,
          ratio: median(ratios),
          spread: spread(ratios),
          note: toTransferNote(compared, { plain, peerEvents }),
        });
      }
      return { rows, timings };
    }),
  );
}

async function benchSwaps(options: {
  readonly quick: boolean;
  readonly repetitions: number;
}): Promise<{ readonly rows: Row[]; readonly timings: readonly OursTiming[] }> {
  const swaps = options.quick ? SWAPS / 2 : SWAPS;
  const recorded = { kind: 'swaps', swaps, swapsPerBlock: SWAPS_PER_BLOCK } as const;
  return withChain({ ...recorded, blockTimestamps: true }, async (chain) => {
    const byEngine: Record<Store['engine'], OursTiming[]> = { sqlite: [], postgres: [] };
    for (let i = 0; i < options.repetitions; i += 1) {
      for (const engine of ['sqlite', 'postgres'] as const) {
        byEngine[engine].push(await timeOurs(chain, { engine, transferRows: false }));
      }
    }
    const rows = (['sqlite', 'postgres'] as const).map((engine): Row => {
      const rates = byEngine[engine].map((timing) => perSecond(swaps, timing));
      const { trades, candles, balances } = byEngine[engine][0]!.result;
      const cpu = median(byEngine[engine].map((timing) => (timing.cpuMs * 1000) / swaps));
      return {
        goal: engine === 'sqlite' ? 'ingestSwapsSqlite' : 'ingestSwapsPostgres',
        ours: `${rounded(rates)} swaps/s`,
        peer: '',
        ratio: null,
        spread: spread(rates),
        note: `${trades} trades, ${candles} candles and ${balances} balances out of ${chain.logs} logs on ${ENGINE_NAMES[engine]}; ${cpu.toFixed(0)} µs of CPU per swap`,
      };
    });
    return { rows, timings: [...byEngine.sqlite, ...byEngine.postgres] };
  });
}

function toMemoryRow(timings: readonly OursTiming[]): Row {
  const peaks = timings.map((timing) => timing.peakRssMiB);
  const peak = Math.max(...peaks);
  return {
    goal: 'ingestMemory',
    ours: `${peak.toFixed(0)} MiB`,
    peer: `the limit of ${PEAK_RSS_MAX_MIB} MiB`,
    ratio: PEAK_RSS_MAX_MIB / peak,
    spread: null,
    note: `the highest resident size of ${peaks.length} runs, median ${median(peaks).toFixed(0)} MiB`,
  };
}

export async function benchIngest(options: { readonly quick: boolean }): Promise<Row[]> {
  const { quick } = options;
  const repetitions = quick ? 2 : 3;
  const parts = [];
  for (const one of TRANSFER_CASES) parts.push(await benchTransfers(one, { quick, repetitions }));
  parts.push(await benchSwaps({ quick, repetitions }));
  const timings = parts.flatMap((part) => part.timings);
  return [...parts.flatMap((part) => part.rows), toMemoryRow(timings)];
}
