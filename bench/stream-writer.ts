// The indexer's thread of the stream benchmarks: creates blocks of trades of a chain, applies and
// commits them like the real one, and publishes each commit.

import { parentPort, workerData } from 'node:worker_threads';
import type { ChainAdapter } from '../src/chains/adapter.ts';
import type { Config } from '../src/config.ts';
import { openStore } from '../src/engines/open-store.ts';
import { ChainIndex } from '../src/ingest/follow/chain-index.ts';
import { systemClock } from '../src/lib/clock.ts';
import { encodeBatch, listTransferables } from '../src/live/encode-batch.ts';
import type { MarketEvent } from '../src/model/block-events.ts';
import type { BlockHeader } from '../src/model/block-header.ts';
import type { ChainSlug } from '../src/model/chain.ts';
import type { Address, PoolId } from '../src/model/ids.ts';
import type { PoolDescription } from '../src/model/pool.ts';
import { address, transactionId } from '../test/test-ids.ts';
import { ANCHOR, ASSETS, buildTimedHash, POOLS, TOKENS, USDC, WETH } from './stream-market.ts';

export interface WriterCommand {
  readonly blocksPerSecond: number;
  readonly tradesPerBlock: number;
  /** The chains that get these blocks. */
  readonly chains: readonly ChainSlug[];
  /** How many tokens the trades are of, in turn. */
  readonly tokens: number;
}

const E18 = 10n ** 18n;
const { chain, store: stored } = workerData as { chain: ChainSlug; store: Config['store'] };

function buildHeader(position: number): BlockHeader {
  const toHash = (one: number) => `0x${one.toString(16).padStart(64, '0')}`;
  return {
    position,
    hash: toHash(position),
    parentPosition: position - 1,
    parentHash: toHash(position - 1),
    timestampMs: Date.now(),
  };
}

const adapter: ChainAdapter = {
  chain,
  assets: ASSETS,
  readHead: async () => ({ latest: buildHeader(0), finalizedBlock: 0 }),
  readHeader: async (position) => buildHeader(position),
  readBlocks: async () => ({ blocks: [], headers: [], toBlock: 0, blockCount: 0 }),
  readTokenMetadata: async (tokens) =>
    tokens.map((token) => ({ token, symbol: 'BENCH', name: 'Bench', decimals: 18 })),
  readSupplies: async () => [],
  close: async () => undefined,
};

function buildPoolEvents(pool: PoolId, tokens: readonly [Address, Address]): MarketEvent[] {
  const [token0, token1] = tokens[0] < tokens[1] ? tokens : [tokens[1], tokens[0]];
  const description: PoolDescription = {
    ...{ pool, venue: 'uniswap-v2', token0, token1, feePips: 3000, vault: address(pool) },
    ...{ kind: 'constantProduct', terms: null },
  };
  const reserves = { reserve0: 10n ** 24n, reserve1: 10n ** 24n };
  return [
    { kind: 'poolCreated', description, complete: true },
    { kind: 'poolChanged', pool, change: { poolKind: 'constantProduct', ...reserves } },
  ];
}

function buildTrade(logIndex: number, place: number): MarketEvent {
  const pool = POOLS[place];
  if (pool === undefined) throw new Error(`there is no token ${place}`);
  return {
    kind: 'swap',
    pool,
    txHash: transactionId(buildTimedHash(logIndex)),
    logIndex,
    wallet: address(`0x${'cc'.repeat(20)}`),
    amount0: E18,
    amount1: -E18 + BigInt(logIndex),
    change: null,
  };
}

const store = await openStore(stored);
const index = new ChainIndex({
  adapter,
  store: store.market,
  clock: systemClock,
  onCommitted: (event) => {
    const batch = encodeBatch(event);
    parentPort?.postMessage(batch, listTransferables(batch));
  },
});
const { signal } = new AbortController();
await index.load(1, signal);

/** The trades contain the time at which their block arrived. */
async function append(buildEvents: () => readonly MarketEvent[]): Promise<void> {
  const header = buildHeader(index.block + 1);
  await index.append({
    reading: { blocks: [{ header, events: buildEvents() }], blockCount: 1 },
    headers: [header],
    last: header,
    finalizedBlock: Math.max(0, header.position - 64),
    withSupplies: false,
    signal,
  });
}

await append(() => [
  ...buildPoolEvents(ANCHOR, [WETH, USDC]),
  ...TOKENS.flatMap((token, place) => {
    const pool = POOLS[place];
    return pool === undefined ? [] : buildPoolEvents(pool, [token, WETH]);
  }),
  ...POOLS.map((_, place) => buildTrade(place, place)),
]);

let timer: NodeJS.Timeout | null = null;
let writing: Promise<void> = Promise.resolve();

parentPort?.on('message', ({ blocksPerSecond, tradesPerBlock, tokens }: WriterCommand) => {
  if (timer) clearInterval(timer);
  timer = null;
  if (blocksPerSecond === 0) return;
  timer = setInterval(() => {
    writing = writing.then(() =>
      append(() =>
        Array.from({ length: tradesPerBlock }, (_, logIndex) =>
          buildTrade(logIndex, logIndex % tokens),
        ),
      ),
    );
  }, 1000 / blocksPerSecond);
});
