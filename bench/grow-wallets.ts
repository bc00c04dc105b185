// Reads of wallets and top traders as one wallet's trades and one token's traders grow from ten
// thousand to a million. Balances are not among them: they wait for a node.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeededRandom } from '../devnet/random.ts';
import { loadConfig } from '../src/config.ts';
import { openStore } from '../src/engines/open-store.ts';
import type { Address } from '../src/model/ids.ts';
import { type PositionRecord, TRADER_WINDOWS } from '../src/model/position.ts';
import { createPosition, foldTrade } from '../src/positions/position-fold.ts';
import type { MarketTransaction, Store } from '../src/store/store.ts';
import { buildGrowthRow } from './growth-row.ts';
import { runLoad } from './load-client.ts';
import {
  buildMarketAddress,
  makeToken,
  makeTrade,
  untilSettled,
  writeDeployment,
} from './market-store.ts';
import { readCpuMs, type StartedServer, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const CHAIN = 'devnet';
const SIZES = [10_000, 1_000_000] as const;
const QUICK_SIZES = [5000, 40_000] as const;
const START_MS = Date.UTC(2026, 0, 1);
/** All sizes trade over the same time, so that a window has the same part of them. */
const SPAN_MS = 35 * 86_400_000;
const PER_COMMIT = 20_000;
const REPETITIONS = 5;
/** Until the process has met most names of ten thousand tokens, as a busy service has. */
const WARM_ROUNDS = 12;
/** A wallet has a position for so many of its trades. */
const TRADES_PER_POSITION = 100;
const BOT = buildMarketAddress('b0', 1);
const BUSY = buildMarketAddress('aa', 0);

/** Bought and sold once, the largest first: a few wallets have most of the volume. */
function makePosition(token: Address, number: number): PositionRecord {
  const timestampMs = START_MS + ((number * 7919) % 1000) * (SPAN_MS / 1000);
  const cost = 500_000 / (1 + number) ** 0.8;
  const brought = cost * (0.5 + ((number * 6007) % 1000) / 900);
  const key = { token, wallet: buildMarketAddress('cc', number) };
  const bought = foldTrade(createPosition(key, timestampMs), {
    ...{ side: 'buy', amountRaw: 10n ** 18n, valueUsd: cost.toFixed(4), timestampMs },
  });
  return foldTrade(bought, {
    ...{ side: 'sell', amountRaw: 10n ** 18n / 2n, valueUsd: brought.toFixed(4), timestampMs },
  });
}

/** The trades and positions of a commit, from one number on. */
async function writePart(
  transaction: MarketTransaction,
  part: { readonly from: number; readonly count: number; readonly size: number },
): Promise<void> {
  const { from, count, size } = part;
  const tokens = size / TRADES_PER_POSITION;
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  await transaction.insertTrades(
    numbers.map((index) => {
      const place = { index, block: 1 + index, logIndex: 0 };
      const timestampMs = START_MS + Math.floor((index / size) * SPAN_MS);
      return { ...makeTrade(index % tokens, { ...place, timestampMs }), wallet: BOT };
    }),
  );
  await transaction.putPositions(numbers.map((number) => makePosition(BUSY, number)));
}

async function fill(store: Store, size: number): Promise<void> {
  const random = createSeededRandom('wallets');
  const tokens = size / TRADES_PER_POSITION;
  const rows = Array.from({ length: tokens }, (_, number) =>
    makeToken(number, { random, trades: 1, holders: 0 }),
  );
  for (let from = 0, version = 1; from < size; from += PER_COMMIT, version += 1) {
    const count = Math.min(PER_COMMIT, size - from);
    await store.market.transaction(CHAIN, async (transaction) => {
      const block = from + count;
      await transaction.setCheckpoint({
        ...{ startBlock: 0, block, finalizedBlock: block, startAtMs: START_MS, version },
        blockHash: `0x${block.toString(16).padStart(64, '0')}`,
        timestampMs: START_MS + SPAN_MS,
      });
      if (from === 0) {
        await transaction.putTokens(rows);
        const own = rows.map(({ token }, number) => ({
          ...makePosition(token, number),
          wallet: BOT,
        }));
        await transaction.putPositions(own);
      }
      await writePart(transaction, { from, count, size });
    });
  }
}

/** No path twice, so that no answer is cached. */
function buildPaths(seed: string): string[] {
  const random = createSeededRandom(seed);
  const wallet = `chain=${CHAIN}&wallet=${BOT}`;
  return Array.from({ length: 160 }, (_, index) => {
    const endTime = START_MS + Math.floor((0.1 + 0.9 * random.next()) * SPAN_MS);
    const window = TRADER_WINDOWS[(index >> 2) % TRADER_WINDOWS.length];
    const sort = index % 8 < 4 ? 'volume' : 'realised';
    const limit = 1 + random.below(50);
    return [
      `/v1/wallet/trades?${wallet}&limit=50&endTime=${endTime}`,
      `/v1/wallet/positions?${wallet}&limit=${limit}&cursor=`,
      `/v1/token/traders?chain=${CHAIN}&mint=${BUSY}&window=${window}&sort=${sort}&limit=${limit}`,
      `/v1/wallet/trades?${wallet}&limit=20&startTime=${endTime - 10 ** 7}&endTime=${endTime}`,
    ][index % 4] as string;
  }).map((path) => path.replace('&cursor=', ''));
}

interface Sized {
  readonly size: number;
  readonly server: StartedServer;
  readonly micros: number[];
}

async function measure({ server, micros }: Sized, seed: string): Promise<void> {
  const paths = buildPaths(seed);
  const beforeMs = readCpuMs(server.pid);
  const { requests } = await runLoad({
    ...{ port: server.port, path: paths, connections: 1 },
    ...{ durationMs: Number.POSITIVE_INFINITY, requestsMax: paths.length },
  });
  micros.push(((readCpuMs(server.pid) - beforeMs) * 1000) / requests);
}

async function serve(folder: string, size: number): Promise<Sized> {
  mkdirSync(folder);
  const store = await openStore(loadConfig({ DATA_DIR: folder }).store);
  await fill(store, size);
  await store.close();
  const DEVNET_DEPLOYMENT = writeDeployment(folder, { rpcUrl: 'http://127.0.0.1:9' });
  const server = await startOurs({
    env: {
      ...{ DATA_DIR: folder, DEVNET: 'on', DEVNET_DEPLOYMENT },
      ...{ LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000', ANSWER_CACHE_MB: '1' },
    },
  });
  await untilSettled(server);
  return { size, server, micros: [] };
}

/** All sizes are served at once and measured in turn, so that other load affects all alike. */
export async function benchWalletGrowth(options: { readonly quick: boolean }): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const all: Sized[] = [];
  try {
    for (const size of options.quick ? QUICK_SIZES : SIZES) {
      all.push(await serve(join(root, String(size)), size));
    }
    for (const sized of all) {
      for (let round = 0; round < WARM_ROUNDS; round += 1) await measure(sized, `warm ${round}`);
      sized.micros.length = 0;
    }
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      for (const sized of all) await measure(sized, `asked ${repetition}`);
    }
    const words = {
      of: 'trades and traders',
      formatSize: (size: number) => size.toLocaleString('en'),
    };
    return [buildGrowthRow('walletGrowth', all, { ...words, note: 'CPU per request' })];
  } finally {
    for (const { server } of all) await server.stop();
    rmSync(root, { recursive: true, force: true });
  }
}
