// The goals of the benchmarks. A goal is the minimum ratio of ours to the peer's.

export interface Goal {
  readonly part: string;
  readonly name: string;
  /** The minimum ratio, with the peer at 1; null if the figure is informational. */
  readonly ratioMin: number | null;
}

export const GOALS = {
  entitlements: {
    part: 'serve',
    name: 'GET /v1/entitlements through the whole stack',
    ratioMin: 0.7,
  },
  hotKlines: { part: 'serve', name: 'hot klines, 500 rows', ratioMin: 0.8 },
  hotTrades: { part: 'serve', name: 'hot trades, 100 rows', ratioMin: 0.8 },
  hotHolders: { part: 'serve', name: 'hot holders, 100 rows', ratioMin: 0.8 },
  coldGrowth: {
    part: 'grow',
    name: 'cold token, klines, trades and holders as tokens grow',
    ratioMin: 0.67,
  },
  searchGrowth: { part: 'grow', name: 'search as tokens grow', ratioMin: 0.67 },
  readsWhileIndexing: {
    part: 'serve',
    name: 'cold reads beside an indexer at full speed',
    ratioMin: 0.5,
  },
  tradeReadGrowth: {
    part: 'grow',
    name: 'cold klines and trades as the past grows tenfold',
    ratioMin: 0.67,
  },
  tradeCommitGrowth: {
    part: 'grow',
    name: 'committing a trade as the past grows tenfold',
    ratioMin: 0.67,
  },
  streamDelivery: {
    part: 'stream',
    name: 'events to 5,000 readers of one token, by CPU',
    ratioMin: 0.8,
  },
  streamLatency: {
    part: 'stream',
    name: "from a block's arrival at the indexer to its bytes at a reader",
    ratioMin: null,
  },
  streamIdle: { part: 'stream', name: 'memory of idle readers, of 300 MB for 10,000', ratioMin: 1 },
  streamChurn: { part: 'stream', name: 'memory as readers come and go', ratioMin: 0.9 },
  keyedRead: { part: 'access', name: 'hot read with an API key', ratioMin: 0.9 },
  garbageKeys: { part: 'access', name: 'flood of garbage as keys', ratioMin: 0.8 },
  unknownKeys: { part: 'access', name: 'flood of well-made keys of nobody', ratioMin: null },
  coldStart: { part: 'start', name: 'cold start to first answer', ratioMin: null },
  ingestSparse: {
    part: 'ingest',
    name: 'Transfer events at 5 a block, embedded store',
    ratioMin: 10,
  },
  ingestDense: {
    part: 'ingest',
    name: 'Transfer events at 100 a block, embedded store',
    ratioMin: 10,
  },
  ingestSparsePostgres: {
    part: 'ingest',
    name: 'Transfer events at 5 a block, PostgreSQL',
    ratioMin: 10,
  },
  ingestDensePostgres: {
    part: 'ingest',
    name: 'Transfer events at 100 a block, PostgreSQL',
    ratioMin: 10,
  },
  ingestSwapsSqlite: {
    part: 'ingest',
    name: 'swaps with candles and balances, SQLite',
    ratioMin: null,
  },
  ingestSwapsPostgres: {
    part: 'ingest',
    name: 'swaps with candles and balances, PostgreSQL',
    ratioMin: null,
  },
  ingestMemory: { part: 'ingest', name: 'memory of the indexing process', ratioMin: 1 },
  mcpCall: {
    part: 'mcp',
    name: 'a tool call against its HTTP twin, the dearest (1/3 allowed)',
    ratioMin: 0.33,
  },
  poolQuote: { part: 'quote', name: 'a quote on one V3 pool, 1 to 10 ticks crossed', ratioMin: 30 },
  bestRoute: { part: 'quote', name: 'the best route over 200 pools, of 5 ms', ratioMin: 1 },
  quoteHttp: {
    part: 'quote',
    name: 'POST /v1/trade/quote, a token with ten pools',
    ratioMin: null,
  },
  quoteHttpBusy: {
    part: 'quote',
    name: 'POST /v1/trade/quote, a token with 200 pools',
    ratioMin: null,
  },
  readsBesideQuotes: {
    part: 'quote',
    name: 'a hot read beside 32 callers whose quotes take long, p99 against without them',
    ratioMin: 0.1,
  },
} as const satisfies Record<string, Goal>;
