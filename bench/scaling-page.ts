// docs/scaling.md: what one node, ten and a hundred carry, and what takes over where they do not.
// `node bench/scaling-page.ts` prints its tables.

import { pathToFileURL } from 'node:url';
import { type Results, readResults } from './results.ts';
import {
  ASSUMED,
  type Capacity,
  computeChainsPerIndexer,
  computeNodeCapacity,
  computeReaders,
  computeRequests,
  computeRequestUs,
  computeTokensMax,
  type Figures,
  readFigures,
} from './scaling-model.ts';

const NODE_COUNTS = [1, 10, 100];

/** Two digits that count: the model is no more exact than that. */
function round(value: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return (Math.round(value / step) * step).toLocaleString('en');
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function renderMeasured(figures: Figures): string {
  return renderTable(
    ['Measured', ''],
    [
      ['a hot read (mean of klines, trades, holders)', `${round(figures.hotReadUs)} µs of CPU`],
      ['a search among a million tokens', `${round(figures.searchUs)} µs`],
      ['a cold read with a million tokens', `${round(figures.coldReadUs)} µs`],
      ['a quote over ten pools', `${round(figures.quoteUs)} µs`],
      ['an event to a reader', `${figures.eventUs} µs`],
      ['an open stream', `${round(figures.readerKb)} kB`],
      ['a token in memory', `${figures.tokenKb.toFixed(2)} kB`],
      ['swaps that an indexer stores in PostgreSQL', `${round(figures.swapsPerSecond)} a second`],
    ],
  );
}

function renderAssumed(): string {
  const { mix } = ASSUMED;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return renderTable(
    ['Assumed', ''],
    [
      [
        'requests',
        `${percent(mix.hotRead)} hot reads, ${percent(mix.search)} searches, ${percent(mix.coldRead)} cold reads, ${percent(mix.quote)} quotes`,
      ],
      ['a node', `one core, used to ${percent(ASSUMED.busyShare)}, 4 GB, 1 Gbit a second`],
      ['answers on the wire', `${percent(ASSUMED.compressed)} of their size`],
      ['a reader', `${ASSUMED.eventsPerSecond} event a second of ${ASSUMED.eventBytes} bytes`],
      [
        'chains',
        `${ASSUMED.chains}, each ${ASSUMED.swapsPerSecondAndChain} swaps and ${ASSUMED.commitsPerSecondAndChain} commit a second`,
      ],
      [
        'a database',
        `${ASSUMED.databaseCores} cores; it takes ${percent(ASSUMED.storeShare)} of the CPU of a cold read`,
      ],
    ],
  );
}

function renderCapacities(capacities: readonly Capacity[]): string {
  const row = (name: string, pick: (one: Capacity) => number) => [
    name,
    ...capacities.map((one) => round(pick(one))),
  ];
  return renderTable(
    ['API nodes', ...capacities.map(({ nodes }) => String(nodes))],
    [
      row('requests a second', (one) => one.requestsPerSecond),
      row('or readers of streams', (one) => one.readers),
      row('cold reads a second, in that', (one) => one.coldReadsPerSecond),
      row('databases that these keep busy', (one) => one.databases),
      row('connections to the primary', (one) => one.connections),
      row('reads of the feed a second', (one) => one.feedReadsPerSecond),
    ],
  );
}

function renderEnds(figures: Figures): string {
  const byResource = (by: Readonly<Record<string, number>>) =>
    Object.entries(by)
      .sort(([, a], [, b]) => a - b)
      .map(([name, value]) => `${name} ${round(value)}`)
      .join(', ');
  const { connectionsMax, connectionsPerNode, bytesPerSwap } = ASSUMED;
  const perDay = ASSUMED.chains * ASSUMED.swapsPerSecondAndChain * 86_400 * bytesPerSwap;
  return renderTable(
    ['Resource', 'Where it ends'],
    [
      ['requests of a node', byResource(computeRequests(figures))],
      ['readers of a node', byResource(computeReaders(figures))],
      ['tokens of all chains', `${round(computeTokensMax(figures))}: every node has all in memory`],
      ['chains of an indexer', `${round(computeChainsPerIndexer(figures))}`],
      [
        `${connectionsMax} connections`,
        `${round(Math.floor(connectionsMax / connectionsPerNode))} nodes`,
      ],
      ['disk', `${round(perDay / 1e9)} GB a day, without an end unless trades are dropped`],
    ],
  );
}

export function renderScalingTables(results: Results): string {
  const figures = readFigures(results);
  const mean = `An average request takes ${round(computeRequestUs(figures))} µs.`;
  const capacities = NODE_COUNTS.map((nodes) => computeNodeCapacity(figures, nodes));
  return [
    renderMeasured(figures),
    renderAssumed(),
    `${mean} From there:`,
    renderCapacities(capacities),
    renderEnds(figures),
  ].join('\n\n');
}

const TAKES_OVER = `## What takes over

Nothing of this is built here. Each engine exists; the seam is where it would be plugged in.

| What ends | Engine | Seam |
|---|---|---|
| connections of PostgreSQL | a larger \`max_connections\`, then PgBouncer for nodes that do not index; the feed and leases keep a connection of their own, because \`LISTEN\` belongs to one, and an indexer connects directly: in transaction mode PgBouncer may keep a connection whose \`COPY\` was refused | \`DATABASE_URL\`, \`store/postgres/postgres-pool\` |
| cold reads | more hot standbys, each named by the nodes next to it | \`DATABASE_READ_URL\` |
| writes and disk of the trades and candles | partitions by chain and month (declarative, in PostgreSQL): old ones are dropped or moved as a whole, which also replaces deletion by rows | a migration; \`store/market\` knows tables by name only |
| trades older than some months | columns: Parquet files or ClickHouse, filled by \`npx mintwire export\`. Klines stay; pages of old trades are read there | \`MarketReads\` behind \`store/\`; an engine passes \`test/conformance/describe-store.ts\` |
| one primary for all chains | a database for each group of chains, or shards (Citus) with the chain as the key: every market row has its chain, and no statement joins two. Access stays in one database | \`engines/open-store\`, which opens market and access apart |
| tokens in a node's memory | nodes for groups of chains (\`RPC_…\` of those chains only) behind a proxy that routes by \`chain\`; a search over all chains asks each group and merges | the proxy; \`market/search\` keeps an index for each chain |
| readers far away | regions: a standby, API nodes and a Redis in each; indexers and the primary in one. A region's answers are as old as its standby, and \`asOf\` says so | \`DATABASE_READ_URL\`, \`REDIS_URL\` |
| reads of the feed, above some thousand nodes | a broker (NATS, Redis Streams) between the outbox and the nodes | \`live/feed\`, which passes \`test/conformance/describe-feed.ts\` |
| budgets above what one Redis counts | one Redis for each group of callers, by a hash of the caller | the ledger behind the limiter |
`;

export function renderScalingPage(results: Results): string {
  return `<!-- Generated by \`npm run generate\` from bench/results/latest.json. Edit bench/scaling-page.ts, not this file. -->

# Past these machines

What nodes would carry, computed from the bench's own figures ([performance.md](performance.md)) by \`bench/scaling-model.ts\`; \`node bench/scaling-page.ts\` prints the tables. It is a model: one machine with two cores was measured, nothing larger. It says what ends first, not exactly where.

${renderScalingTables(results)}

With a hundred nodes the primary does not end by its reads: cold ones go to standbys, and the feed is small. It ends by connections, then by the disk of the trades. More API nodes make neither tokens nor chains fit: every node keeps all tokens, and one primary takes all commits.

${TAKES_OVER}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(renderScalingTables(readResults()));
}
