// Indexing transfers, against Ponder.

import type { Store } from '../src/store/store.ts';
import { type IngestPart, type OursTiming, perSecond, timeOurs } from './ingest-ours.ts';
import { timePonder } from './ingest-ponder.ts';
import { formatMedian, median, spread } from './measure.ts';
import { PONDER_VERSION } from './peers/ponder/install-ponder.ts';
import { type RecordedChain, withChain } from './recorded-chain-process.ts';
import type { Row } from './row.ts';

const EVENTS = 100_000;
const QUICK_EVENTS = 15_000;

interface TransferCase {
  readonly goal: 'ingestSparse' | 'ingestDense';
  readonly eventsPerBlock: number;
  /** Ponder is slow, so where possible it gets only the beginning of the chain. */
  readonly partEvents: number;
  readonly quickEvents: number;
}

export const TRANSFER_CASES: readonly TransferCase[] = [
  { goal: 'ingestSparse', eventsPerBlock: 5, partEvents: 10_000, quickEvents: 2000 },
  { goal: 'ingestDense', eventsPerBlock: 100, partEvents: 20_000, quickEvents: 4000 },
];

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
    `as Mintwire is, without those rows, ${formatMedian(measures.plain)} events/s;`,
    `from a node whose logs have no time ${formatMedian(measures.older)} events/s;`,
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
export async function benchTransfers(
  one: TransferCase,
  options: { readonly quick: boolean; readonly repetitions: number },
): Promise<IngestPart> {
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
    const peerRate = formatMedian(measures.pairs.map((pair) => pair.peer));
    const peerStore = engine === 'sqlite' ? 'PGlite' : 'PostgreSQL';
    rows.push({
      goal: engine === 'sqlite' ? one.goal : `${one.goal}Postgres`,
      ours: `${formatMedian(measures.pairs.map((pair) => pair.ours))} events/s`,
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
