// What nodes carry, computed from the bench's own figures and from assumptions that are named.

import type { Results } from './results.ts';
import type { Row } from './row.ts';

/** What no bench measured: the load that is assumed, and the size of machines. */
export const ASSUMED = {
  /** Shares of a mix of requests; they add up to 1. */
  mix: { hotRead: 0.75, search: 0.1, coldRead: 0.1, quote: 0.05 },
  /** Above this share of a core answers begin to queue. */
  busyShare: 0.7,
  /** Of an answer, where the client asks for compression. */
  compressed: 0.1,
  networkBytesPerSecond: 125_000_000,
  memoryMb: 4000,
  /** The default of STREAMS_MAX: 10,000 on one node were measured, not many more. */
  streamsMax: 20_000,
  /** What a reader of one token gets. */
  eventsPerSecond: 1,
  eventBytes: 400,
  swapsPerSecondAndChain: 50,
  commitsPerSecondAndChain: 1,
  chains: 10,
  tokens: 1_000_000,
  bytesPerSwap: 1500,
  /** Of the CPU of a cold read, what the database takes. */
  storeShare: 0.5,
  databaseCores: 16,
  /** Of a process: its pool, the feed, leases, the check whether the server is in order. */
  connectionsPerNode: 14,
  connectionsMax: 200,
} as const;

export interface Figures {
  readonly hotReadUs: number;
  readonly hotReadBytes: number;
  readonly searchUs: number;
  readonly coldReadUs: number;
  readonly quoteUs: number;
  readonly eventUs: number;
  readonly readerKb: number;
  readonly baseMb: number;
  readonly tokenKb: number;
  readonly swapsPerSecond: number;
  readonly indexerMb: number;
}

export interface Capacity {
  readonly nodes: number;
  readonly requestsPerSecond: number;
  /** If nodes serve nothing else. */
  readonly readers: number;
  readonly coldReadsPerSecond: number;
  /** Databases, the primary included, that cold reads keep busy. */
  readonly databases: number;
  readonly connections: number;
  readonly feedReadsPerSecond: number;
}

function findRow(results: Results, goal: Row['goal']): Row {
  for (const { rows } of Object.values(results.parts)) {
    const row = rows.find((one) => one.goal === goal);
    if (row !== undefined) return row;
  }
  throw new Error(`bench/results has no ${goal}: run npm run bench`);
}

/** The number that a row's text has at the mark `#`. */
function readNumber(text: string, form: string): number {
  const pattern = form.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replace('#', '([\\d.,]+)');
  const found = new RegExp(pattern).exec(text)?.[1]?.replaceAll(',', '');
  if (found === undefined) throw new Error(`no "${form}" in "${text}"`);
  return Number(found);
}

function readLast(row: Row): number {
  const cost = row.growth?.points.at(-1)?.cost;
  if (cost === undefined) throw new Error(`${row.goal} has no growth`);
  return cost;
}

export function readFigures(results: Results): Figures {
  const klines = findRow(results, 'hotKlines');
  const trades = findRow(results, 'hotTrades');
  const holders = findRow(results, 'hotHolders');
  const hot = [klines, trades, holders];
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const search = findRow(results, 'searchGrowth');
  const idle = findRow(results, 'streamIdle');
  const baseMb = readNumber(idle.note, '# MB with 0');
  return {
    hotReadUs: mean(hot.map(({ note }) => Number(/: (\d+) µs against/.exec(note)?.[1]))),
    hotReadBytes: mean(hot.map(({ note }) => readNumber(note, '# KiB an answer') * 1024)),
    searchUs: readLast(search),
    coldReadUs: readLast(findRow(results, 'coldGrowth')),
    quoteUs: readNumber(findRow(results, 'quoteHttp').note, '# ms of CPU a quote') * 1000,
    eventUs: readNumber(findRow(results, 'streamSets').peer, '# µs for one token'),
    readerKb: (readNumber(idle.ours, '# MB for 10,000') * 1000) / 10_000,
    baseMb,
    tokenKb: (readNumber(search.note, '# MB in all') - baseMb) / 1000,
    swapsPerSecond: readNumber(findRow(results, 'ingestSwapsPostgres').ours, '# swaps/s'),
    indexerMb: readNumber(findRow(results, 'ingestMemory').ours, '# MiB'),
  };
}

/** CPU of an average request. */
export function computeRequestUs(figures: Figures): number {
  const { mix } = ASSUMED;
  const { hotReadUs, searchUs, coldReadUs, quoteUs } = figures;
  const [hot, found, cold] = [mix.hotRead * hotReadUs, mix.search * searchUs, mix.coldRead];
  return hot + found + cold * coldReadUs + mix.quote * quoteUs;
}

/** What is left of a node's memory for streams, with all tokens in it. */
function computeFreeMb({ baseMb, tokenKb }: Figures): number {
  return ASSUMED.memoryMb - baseMb - (tokenKb * ASSUMED.tokens) / 1000;
}

/** Readers of one node, by the resource that ends them. */
export function computeReaders(figures: Figures): Readonly<Record<string, number>> {
  const { busyShare, eventsPerSecond, eventBytes, networkBytesPerSecond } = ASSUMED;
  return {
    CPU: (busyShare * 1e6) / (figures.eventUs * eventsPerSecond),
    memory: (computeFreeMb(figures) * 1000) / figures.readerKb,
    network: networkBytesPerSecond / (eventBytes * eventsPerSecond),
    '`STREAMS_MAX`': ASSUMED.streamsMax,
  };
}

/** Requests a second of one node, by the resource that ends them. */
export function computeRequests(figures: Figures): Readonly<Record<string, number>> {
  const { busyShare, compressed, mix, networkBytesPerSecond } = ASSUMED;
  const bytes = figures.hotReadBytes * compressed * (mix.hotRead + mix.coldRead);
  return {
    CPU: (busyShare * 1e6) / computeRequestUs(figures),
    network: networkBytesPerSecond / bytes,
  };
}

export function computeTokensMax({ baseMb, tokenKb }: Figures): number {
  return ((ASSUMED.memoryMb - baseMb) * 1000) / tokenKb;
}

/** Chains that one indexer keeps up with. */
export function computeChainsPerIndexer({ swapsPerSecond }: Figures): number {
  return (swapsPerSecond * ASSUMED.busyShare) / ASSUMED.swapsPerSecondAndChain;
}

export function computeNodeCapacity(figures: Figures, nodes: number): Capacity {
  const smallest = (by: Readonly<Record<string, number>>) => Math.min(...Object.values(by));
  const { mix, storeShare, busyShare, databaseCores, commitsPerSecondAndChain, chains } = ASSUMED;
  const requestsPerSecond = nodes * smallest(computeRequests(figures));
  const coldReadsPerSecond = requestsPerSecond * mix.coldRead;
  const busyCores = (coldReadsPerSecond * storeShare * figures.coldReadUs) / 1e6;
  return {
    nodes,
    requestsPerSecond,
    readers: nodes * smallest(computeReaders(figures)),
    coldReadsPerSecond,
    databases: Math.max(1, Math.ceil(busyCores / (databaseCores * busyShare))),
    connections: nodes * ASSUMED.connectionsPerNode,
    feedReadsPerSecond: nodes * chains * commitsPerSecondAndChain,
  };
}
