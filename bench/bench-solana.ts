// Part `solana`: how much of a core it takes to read, decode and index blocks of 6 MB as fast as
// mainnet makes them, and quotes on one pool of each kind.

import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeTrades } from '../src/chains/solana/blocks/decode-trades.ts';
import { createSolanaAdapter } from '../src/chains/solana/create-solana-adapter.ts';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '../src/chains/solana/data/solana-ids.ts';
import { Indexer } from '../src/ingest/follow/indexer.ts';
import { DEFAULT_INDEXER_OPTIONS } from '../src/ingest/follow/indexer-options.ts';
import { systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/retry.ts';
import type { PoolDescription } from '../src/model/pool.ts';
import { createSqliteStore } from '../src/store/sqlite/create-sqlite-store.ts';
import type { MarketStore } from '../src/store/store.ts';
import {
  readSolanaFixture,
  readSolanaTransaction,
  skipWithoutSolana,
} from '../test/solana-fixtures.ts';
import { median, spread } from './measure.ts';
import type { Row } from './row.ts';
import { benchSolanaQuotes } from './solana-quotes.ts';
import { BENCH_GENESIS, BENCH_SLOTS } from './solana-slots.ts';

const BLOCKS_PER_SECOND = 2.5;
const SHARE_MAX = 0.6;
const REPETITIONS = 5;
const NO_FEES = {
  creatorFeePips: 0,
  creatorFeeOn: 'input',
  protocolSharePips: 0,
  fundSharePips: 0,
} as const;

interface StartedNode {
  readonly child: ChildProcess;
  readonly port: number;
  readonly bytes: number;
  readonly transactions: number;
}

function startNode(): Promise<StartedNode> {
  const child = fork(new URL('./solana-node-process.ts', import.meta.url));
  return new Promise((resolve) => {
    child.once('message', (started: Omit<StartedNode, 'child'>) => resolve({ child, ...started }));
  });
}

/** The pools of most recorded trades, as if they had been indexed before. */
function describePools(): PoolDescription[] {
  const { transactions } = readSolanaFixture('expected.json') as {
    transactions: { file: string }[];
  };
  const trades = transactions.flatMap(
    ({ file }) => decodeTrades(readSolanaTransaction(file)).trades,
  );
  return trades.flatMap(({ pool, venue, user, mintIn, mintOut, change }): PoolDescription[] => {
    if (mintIn === null || mintOut === null) return [];
    const [token0, token1] = mintIn === WRAPPED_SOL ? [mintOut, mintIn] : [mintIn, mintOut];
    const base = { pool, venue, token0, token1, feePips: 2500, vault: user };
    if (change?.poolKind === 'pump')
      return [{ ...base, kind: 'pump', terms: { stage: 'curve', virtualQuote: 0n } }];
    return change === null ? [{ ...base, kind: 'ceiledProduct', terms: NO_FEES }] : [];
  });
}

function startIndexer(store: MarketStore, port: number, pools: readonly PoolDescription[]) {
  const adapter = createSolanaAdapter({
    ...{ chain: 'solana', genesis: BENCH_GENESIS, clock: systemClock, random: Math.random },
    endpoints: [`http://127.0.0.1:${port}`],
    knownPools: async (asked) => pools.filter(({ pool }) => asked.includes(pool)),
    assets: {
      ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
      native: new Set([WRAPPED_SOL, SYSTEM_PROGRAM]),
      ...{ stable: new Set(), anchorPools: [] },
    },
  });
  const quiet = { info: () => undefined, warn: (_: object, text: string) => console.warn(text) };
  const indexer = new Indexer({
    ...DEFAULT_INDEXER_OPTIONS,
    ...{ adapter, store, startBlock: BENCH_SLOTS.first, clock: systemClock, sleep },
    ...{ random: Math.random, log: quiet, onCommitted: () => undefined },
  });
  indexer.start();
  return async () => {
    await indexer.stop();
    await adapter.close();
  };
}

/** CPU of this process for each block, in milliseconds. */
async function measure(port: number, pools: readonly PoolDescription[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const store = await createSqliteStore({ file: join(folder, 'market.db') });
  try {
    const before = process.cpuUsage();
    const stop = startIndexer(store.market, port, pools);
    while ((await store.market.readCheckpoint('solana'))?.block !== BENCH_SLOTS.last) {
      await sleep(50);
    }
    const { user, system } = process.cpuUsage(before);
    await stop();
    return (user + system) / 1000 / (BENCH_SLOTS.last - BENCH_SLOTS.first + 1);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchSolana(options: { readonly quick: boolean }): Promise<Row[]> {
  if (skipWithoutSolana !== false) {
    console.log(`solana: not run, ${skipWithoutSolana}`);
    return [];
  }
  const node = await startNode();
  const pools = describePools();
  try {
    await measure(node.port, pools);
    const costs: number[] = [];
    for (let count = 0; count < (options.quick ? 2 : REPETITIONS); count += 1) {
      costs.push(await measure(node.port, pools));
    }
    const shares = costs.map((ms) => (ms * BLOCKS_PER_SECOND) / 1000);
    const ratios = shares.map((share) => SHARE_MAX / share);
    return [
      {
        goal: 'solanaBlocks',
        ours: `${(median(shares) * 100).toFixed(0)} % of a core`,
        peer: '60 %',
        ratio: median(ratios),
        spread: spread(ratios),
        note:
          `${median(costs).toFixed(0)} ms of CPU per block of ${node.transactions} transactions, ` +
          `${(node.bytes / 1e6).toFixed(1)} MB: gunzip, parse, decode, commit to SQLite`,
      },
      ...benchSolanaQuotes(options.quick),
    ];
  } finally {
    node.child.kill();
  }
}
