// The indexer's thread of the stream benchmarks: creates blocks of trades of one token, applies and
// commits them like the real one, and publishes each commit.

import { parentPort, workerData } from 'node:worker_threads';
import type { ChainAdapter } from '../src/chains/adapter.ts';
import { openStore } from '../src/compose/open-store.ts';
import type { Config } from '../src/config.ts';
import { ChainIndex } from '../src/ingest/chain-index.ts';
import { systemClock } from '../src/lib/clock.ts';
import { encodeBatch, toTransferList } from '../src/live/encode-batch.ts';
import type { MarketEvent } from '../src/model/block-events.ts';
import type { BlockHeader } from '../src/model/block-header.ts';
import type { Address, PoolId } from '../src/model/ids.ts';
import type { PoolDescription } from '../src/model/pool.ts';
import { address, transactionId } from '../test/ids.ts';
import { ANCHOR, ASSETS, POOL, TOKEN, toTimedHash, USDC, WETH } from './stream-market.ts';

export interface WriterCommand {
  readonly blocksPerSecond: number;
  readonly tradesPerBlock: number;
}

const E18 = 10n ** 18n;

function toHeader(position: number): BlockHeader {
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
  chain: 'devnet',
  assets: ASSETS,
  readHead: async () => ({ latest: toHeader(0), finalizedBlock: 0 }),
  readHeader: async (position) => toHeader(position),
  readBlocks: async () => ({ blocks: [], headers: [], toBlock: 0 }),
  readTokenMetadata: async (tokens) =>
    tokens.map((token) => ({ token, symbol: 'BENCH', name: 'Bench', decimals: 18 })),
  readSupplies: async () => [],
  close: async () => undefined,
};

function toPool(pool: PoolId, tokens: readonly [Address, Address]): MarketEvent[] {
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

function toTrade(logIndex: number): MarketEvent {
  return {
    kind: 'swap',
    pool: POOL,
    txHash: transactionId(toTimedHash(logIndex)),
    logIndex,
    wallet: address(`0x${'cc'.repeat(20)}`),
    amount0: E18,
    amount1: -E18 + BigInt(logIndex),
    change: null,
  };
}

const store = await openStore((workerData as { store: Config['store'] }).store);
const index = new ChainIndex({
  adapter,
  store: store.market,
  clock: systemClock,
  onCommitted: (event) => {
    const batch = encodeBatch(event);
    parentPort?.postMessage(batch, toTransferList(batch));
  },
});
const { signal } = new AbortController();
await index.load(1, signal);

/** The trades contain the time at which their block arrived. */
async function append(toEvents: () => readonly MarketEvent[]): Promise<void> {
  const header = toHeader(index.block + 1);
  await index.append({
    blocks: [{ header, events: toEvents() }],
    headers: [header],
    last: header,
    finalizedBlock: Math.max(0, header.position - 64),
    withSupplies: false,
    signal,
  });
}

await append(() => [...toPool(ANCHOR, [WETH, USDC]), ...toPool(POOL, [TOKEN, WETH]), toTrade(0)]);

let timer: NodeJS.Timeout | null = null;
let writing: Promise<void> = Promise.resolve();

parentPort?.on('message', ({ blocksPerSecond, tradesPerBlock }: WriterCommand) => {
  if (timer) clearInterval(timer);
  timer = null;
  if (blocksPerSecond === 0) return;
  timer = setInterval(() => {
    writing = writing.then(() =>
      append(() => Array.from({ length: tradesPerBlock }, (_, logIndex) => toTrade(logIndex))),
    );
  }, 1000 / blocksPerSecond);
});
