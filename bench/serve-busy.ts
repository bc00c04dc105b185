// Reads beside an indexer at full speed, against the same reads while it is idle.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadResult, runLoad } from './load-client.ts';
import { writeDeployment } from './market-store.ts';
import { median, type StartedServer, spread, startOurs } from './measure.ts';
import { ANCHOR_PAIR, FACTORY, ROUTER, STABLE, WRAPPED } from './recorded-chain-contracts.ts';
import { startRecordedChain } from './recorded-chain-process.ts';
import type { Row } from './row.ts';

const SWAPS_PER_BLOCK = 100;
const PAUSE_MS = 4;

interface ChainAnswer {
  readonly chains: readonly { readonly head: number | null }[];
}

async function readBlock(server: StartedServer): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/chains`);
  return ((await response.json()) as ChainAnswer).chains[0]?.head ?? 0;
}

/** Reads of tokens that trade; a varying parameter makes each one cold. */
function createPaths(tokens: readonly string[]): () => string[] {
  let unique = 0;
  return () =>
    tokens.slice(0, 30).flatMap((mint) => {
      unique += 1;
      const token = `chain=devnet&mint=${mint}`;
      const endTime = 200_000_000_000_000 + unique;
      return [
        `/v1/token/klines?${token}&interval=1m&limit=100&endTime=${endTime}`,
        `/v1/token/trades?${token}&limit=50&endTime=${endTime}`,
      ];
    });
}

/**
 * A few readers that pause between requests, so that they wait for the server and not for each
 * other.
 */
async function measure(
  server: StartedServer,
  nextPaths: () => string[],
  durationMs: number,
): Promise<LoadResult> {
  const path = Array.from({ length: 60 }, nextPaths).flat();
  return runLoad({
    port: server.port,
    path,
    connections: 2,
    durationMs,
    pauseMs: PAUSE_MS,
  });
}

export async function benchBusy(options: { readonly quick: boolean }): Promise<Row[]> {
  const swaps = options.quick ? 30_000 : 400_000;
  const chain = await startRecordedChain({
    kind: 'swaps',
    swaps,
    swapsPerBlock: SWAPS_PER_BLOCK,
    blockTimestamps: true,
  });
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const contracts = {
    ...{ weth: WRAPPED, v2Factory: FACTORY, v2Router: ROUTER },
    ...{ usdc: STABLE, anchor: ANCHOR_PAIR },
  };
  const file = writeDeployment(folder, { rpcUrl: chain.url, contracts });
  const env = {
    DATA_DIR: folder,
    DEVNET: 'on',
    DEVNET_DEPLOYMENT: file,
    LOG_LEVEL: 'error',
    OVERLOAD_LAG_MS: '60000',
  };
  const server = await startOurs({ env });
  const nextPaths = createPaths(chain.tokens);
  // A short chain is indexed within seconds, so turns must be short.
  const turnMs = options.quick ? 1000 : 2000;
  try {
    while ((await readBlock(server)) < chain.head * 0.1) await sleep(50);
    const busy: LoadResult[] = [];
    while ((await readBlock(server)) < chain.head * 0.9)
      busy.push(await measure(server, nextPaths, turnMs));
    while ((await readBlock(server)) < chain.head) await sleep(200);
    await sleep(1000);
    const quiet: LoadResult[] = [];
    for (let i = 0; i < Math.max(2, busy.length); i += 1)
      quiet.push(await measure(server, nextPaths, turnMs));
    const quietP99 = median(quiet.map(({ p99Ms }) => p99Ms));
    const ratios = busy.map(({ p99Ms }) => quietP99 / p99Ms);
    return [
      {
        goal: 'readsWhileIndexing',
        ours: `p99 ${median(busy.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`,
        peer: `${quietP99.toFixed(1)} ms when the indexer rests`,
        ratio: median(ratios),
        spread: spread(ratios),
        note: `medians ${median(busy.map(({ p50Ms }) => p50Ms)).toFixed(2)} and ${median(quiet.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms; the recorded chain and the readers share the machine`,
      },
    ];
  } finally {
    await server.stop();
    await chain.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
