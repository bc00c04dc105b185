// The feed between nodes at 200,000 tokens: how long a commit takes to another node's stream, and
// how often nodes had to read everything again.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom } from '../devnet/random.ts';
import type { ChainAdapter } from '../src/chains/adapter.ts';
import { ChainIndex } from '../src/ingest/follow/chain-index.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { MarketEvent } from '../src/model/block-events.ts';
import type { BlockHeader } from '../src/model/block-header.ts';
import { createPostgresStore } from '../src/store/postgres/create-postgres-store.ts';
import { findFreePort } from '../test/guarded-server.ts';
import { startPostgres } from '../test/postgres.ts';
import { poolId, transactionId } from '../test/test-ids.ts';
import { PLENTY } from './bench-access.ts';
import { buildMarketAddress, buildMarketStore, MARKET_HEAD, untilSettled } from './market-store.ts';
import { median, type StartedServer, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const CHAIN = 'devnet';
const LAG_MAX_MS = 150;
const COMMITS_PER_SECOND = 2;
const TRADES_PER_COMMIT = 40;
/**
 * Not measured: the first commit moves the chain's time by weeks, from the stored market to now,
 * and every trade leaves its windows. The next ones wait until the nodes are done with that.
 */
const FIRST_COMMITS = 4;
/** Traded in every commit. */
const WATCHED = 3;
/** Parts of the run whose percentiles are compared with each other. */
const PARTS = 5;
const WETH = buildMarketAddress('ee', 1);
const USDC = buildMarketAddress('ee', 2);
const E15 = 10n ** 15n;

interface Node {
  readonly server: StartedServer;
  readonly metricsUrl: string;
}

function buildHeader(position: number): BlockHeader {
  const toHash = (one: number) =>
    one === MARKET_HEAD.block ? MARKET_HEAD.blockHash : `0x${one.toString(16).padStart(64, '0')}`;
  return {
    ...{ position, hash: toHash(position), parentPosition: position - 1 },
    ...{ parentHash: toHash(position - 1), timestampMs: Date.now() },
  };
}

/** Only what a commit of known pools needs. */
const ADAPTER: ChainAdapter = {
  chain: CHAIN,
  assets: {
    ...{ coin: buildMarketAddress('00', 0), coinUnit: { symbol: 'ETH', decimals: 18 } },
    ...{ native: new Set([WETH]), stable: new Set([USDC]) },
    anchorPools: [poolId(buildMarketAddress('dd', 1))],
  },
  readHead: async () => ({ latest: buildHeader(0), finalizedBlock: 0 }),
  readHeader: async (position) => buildHeader(position),
  readBlocks: async () => ({ blocks: [], headers: [], toBlock: 0, blockCount: 0 }),
  readTokenMetadata: async (tokens) =>
    tokens.map((token) => ({ token, symbol: 'BENCH', name: 'Bench', decimals: 18 })),
  readSupplies: async () => [],
  close: async () => undefined,
};

function buildTrade(block: number, logIndex: number, number: number): MarketEvent {
  const hash = `${block.toString(16).padStart(60, '0')}${logIndex.toString(16).padStart(4, '0')}`;
  return {
    kind: 'swap',
    pool: poolId(buildMarketAddress('dd', number)),
    txHash: transactionId(`0x${hash}`),
    logIndex,
    wallet: buildMarketAddress('cc', logIndex),
    ...{ amount0: -E15 * 3n, amount1: E15 + BigInt(logIndex), change: null },
  };
}

/** Commits as the process that indexes does; returns when each measured block was committed. */
async function writeCommits(
  databaseUrl: string,
  of: {
    readonly tokens: number;
    readonly durationMs: number;
    readonly untilTold: (block: number) => Promise<void>;
  },
): Promise<ReadonlyMap<number, number>> {
  const store = await createPostgresStore({ url: databaseUrl });
  const committedAtMs = new Map<number, number>();
  try {
    const lifeMs = of.durationMs + 600_000;
    const lease = (await store.leases?.take(CHAIN, { holder: 'bench', lifeMs })) ?? assert.fail();
    const index = new ChainIndex({
      ...{ adapter: ADAPTER, store: store.market.fence(lease), clock: systemClock },
      onCommitted: ({ toBlock }) => {
        const atMs = performance.now();
        if (toBlock > MARKET_HEAD.block + FIRST_COMMITS) committedAtMs.set(toBlock, atMs);
      },
    });
    const { signal } = new AbortController();
    await index.load(1, signal);
    const random = createSeededRandom('feed');
    let endsMs = performance.now() + of.durationMs;
    while (performance.now() < endsMs) {
      const header = buildHeader(index.block + 1);
      const events = Array.from({ length: TRADES_PER_COMMIT }, (_, at) =>
        buildTrade(header.position, at, at === 0 ? WATCHED : random.below(of.tokens)),
      );
      const dueMs = performance.now() + 1000 / COMMITS_PER_SECOND;
      await index.append({
        reading: { blocks: [{ header, events }], blockCount: 1 },
        ...{ headers: [header], last: header, withSupplies: false, signal },
        finalizedBlock: Math.max(MARKET_HEAD.block, header.position - 64),
      });
      if (header.position === MARKET_HEAD.block + FIRST_COMMITS) {
        await of.untilTold(header.position);
        endsMs = performance.now() + of.durationMs;
      }
      await sleep(Math.max(0, dueMs - performance.now()));
    }
    // The last one is on its way.
    await sleep(1000);
    return committedAtMs;
  } finally {
    await store.close();
  }
}

/** When a node's stream first told a block. */
function watchStream({ server }: Node): {
  readonly announcedAtMs: ReadonlyMap<number, number>;
  readonly stop: () => void;
} {
  const announcedAtMs = new Map<number, number>();
  const mint = buildMarketAddress('aa', WATCHED);
  const path = `/v1/token/stream?chain=${CHAIN}&mint=${mint}`;
  const sent = get({ host: '127.0.0.1', port: server.port, path, agent: false }, (response) => {
    assert.equal(response.statusCode, 200);
    response.setEncoding('utf8').on('data', (text: string) => {
      const nowMs = performance.now();
      for (const [, block] of text.matchAll(/"block":(\d+)/g)) {
        if (!announcedAtMs.has(Number(block))) announcedAtMs.set(Number(block), nowMs);
      }
    });
    response.on('error', () => undefined);
  });
  sent.on('error', () => undefined);
  return { announcedAtMs, stop: () => void sent.destroy() };
}

async function readReloads({ metricsUrl }: Node): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const found = /^mintwire_feed_reloads\{[^}]*\} (\d+)$/m.exec(text)?.[1];
  return Number(found ?? assert.fail('no counter of reloads'));
}

async function startNode(env: Readonly<Record<string, string>>): Promise<Node> {
  const metricsPort = await findFreePort();
  const more = { ROLE: 'api', METRICS_PORT: String(metricsPort), LOG_LEVEL: 'error' };
  const server = await startOurs({ env: { ...env, ...PLENTY, ...more } });
  return { server, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
}

function findPercentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function buildRows(lagsMs: readonly number[], of: { reloads: number; tokens: number }): Row[] {
  const size = Math.ceil(lagsMs.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, at) => lagsMs.slice(at * size, (at + 1) * size));
  const p99s = parts.filter((part) => part.length > 0).map((part) => findPercentile(part, 0.99));
  const p99Ms = findPercentile(lagsMs, 0.99);
  const tokens = of.tokens.toLocaleString('en');
  const note = `${lagsMs.length} commits of ${TRADES_PER_COMMIT} trades, ${tokens} tokens`;
  return [
    {
      goal: 'feedLag',
      ours: `${p99Ms.toFixed(0)} ms, the median ${median(lagsMs).toFixed(0)} ms`,
      ...{ peer: '', ratio: LAG_MAX_MS / p99Ms, spread: spread(p99s) },
      note: `${note}, two nodes; to a client of the node's stream`,
    },
    {
      goal: 'feedReloads',
      ours: `${of.reloads} reloads`,
      ...{ peer: '', ratio: of.reloads === 0 ? 1 : 0, spread: 0, note },
    },
  ];
}

export async function benchFeed(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const postgres = await startPostgres();
  const nodes: Node[] = [];
  try {
    const tokens = options.quick ? 5000 : 200_000;
    const durationMs = options.quick ? 15_000 : 600_000;
    const size = { tokens, deepTokens: 10, isLean: true };
    const env = {
      ...(await buildMarketStore(folder, size, undefined, postgres.url)),
      KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}`,
    };
    for (let count = 0; count < 2; count += 1) {
      const node = await startNode(env);
      nodes.push(node);
      await untilSettled(node.server);
    }
    const streams = nodes.map(watchStream);
    // Each begins with the trades that are stored.
    while (streams.some(({ announcedAtMs }) => announcedAtMs.size === 0)) await sleep(20);
    const untilTold = async (block: number) => {
      while (!streams.every(({ announcedAtMs }) => announcedAtMs.has(block))) await sleep(20);
    };
    const of = { tokens, durationMs, untilTold };
    const committedAtMs = await writeCommits(postgres.url, of);
    for (const { stop } of streams) stop();
    const lagsMs = streams.flatMap(({ announcedAtMs }) =>
      Array.from(committedAtMs, ([block, atMs]) => {
        const told = announcedAtMs.get(block) ?? Number.POSITIVE_INFINITY;
        return Math.max(0, told - atMs);
      }),
    );
    const reloads = (await Promise.all(nodes.map(readReloads))).reduce((sum, one) => sum + one, 0);
    return buildRows(lagsMs, { reloads, tokens });
  } finally {
    for (const { server } of nodes) await server.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
