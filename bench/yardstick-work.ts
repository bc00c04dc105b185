// A thread of the yardstick: what an indexer does, in small: parses JSON, looks up ids, replaces
// objects and calculates with large integers.

import { parentPort } from 'node:worker_threads';

const IDS = 60_000;
const LOGS = 2000;
const LOOKUPS = 60_000;
const PARSES = 3;
/** One in so many lookups is priced. */
const PRICED = 8;
const WARM_ROUNDS = 20;
const ROUNDS = 16;

interface Entry {
  amount: { readonly id: string; readonly raw: bigint };
}

/** Ids far from each other, as addresses are. */
function buildIds(): string[] {
  return Array.from({ length: IDS }, (_, index) => {
    const digits = (Math.imul(index, 2_654_435_761) >>> 0).toString(16);
    return `0x${digits.padStart(40, '0')}`;
  });
}

function buildLogs(ids: readonly string[]): string {
  const logs = Array.from({ length: LOGS }, (_, index) => ({
    address: ids[index],
    topics: [ids[index + 1], ids[index + 2]],
    data: `0x${'ab'.repeat(64)}`,
    blockNumber: index,
  }));
  return JSON.stringify(logs);
}

const ids = buildIds();
const entries = new Map<string, Entry>(ids.map((id) => [id, { amount: { id, raw: 1n } }]));
const logs = buildLogs(ids);

function runRound(): bigint {
  let seed = 0x9e37;
  let sum = 0n;
  for (let index = 0; index < LOOKUPS; index += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    const entry = entries.get(ids[seed % IDS] ?? '');
    if (entry === undefined) continue;
    const { id, raw } = entry.amount;
    entry.amount = { id, raw: raw + BigInt(seed) };
    if (index % PRICED === 0) sum += (entry.amount.raw * 10n ** 18n) / (entry.amount.raw + 7n);
  }
  for (let index = 0; index < PARSES; index += 1) sum += BigInt(JSON.parse(logs).length);
  return sum;
}

function run(rounds: number): number {
  const startMs = performance.now();
  for (let round = 0; round < rounds; round += 1) runRound();
  return performance.now() - startMs;
}

run(WARM_ROUNDS);
parentPort?.on('message', () => parentPort?.postMessage(run(ROUNDS)));
parentPort?.postMessage('ready');
