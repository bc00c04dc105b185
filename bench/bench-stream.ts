// Part `stream`: events to thousands of readers against a bare loop, their latency, the cost of
// idle readers, and that disconnected readers leave nothing behind.

import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, readMainCpuMs, readOwnMb, spread } from './measure.ts';
import type { BareCommand } from './peers/bare-stream.ts';
import type { Row } from './row.ts';
import type { ClientsCommand, Taken } from './stream-clients.ts';
import { CHAINS, TOKENS } from './stream-market.ts';
import type { WriterCommand } from './stream-writer.ts';

/** Fifty events a second, as on a busy chain: five per block. */
const BLOCKS_PER_SECOND = 10;
const TRADES_PER_BLOCK = 5;
const STOPPED = { blocksPerSecond: 0, tradesPerBlock: 0, bytes: 0, tokens: 1, chains: CHAINS };
const ONE_TOKEN = { chains: ['devnet'], tokens: 1 } as const;
const IDLE_MB_MAX = 300;
const CHURN_SAMPLES = 3;

interface Child {
  readonly child: ChildProcess;
  readonly pid: number;
  ask(message: object | string): Promise<unknown>;
  send(message: object): void;
  stop(): Promise<void>;
}

function start(file: string, args: readonly string[] = [], nodeArgs = ['--expose-gc']): Child {
  const child = fork(new URL(file, import.meta.url), [...args], { execArgv: nodeArgs });
  const next = () => new Promise<unknown>((resolve) => child.once('message', resolve));
  return {
    child,
    pid: child.pid ?? 0,
    ask: (message) => {
      const answer = next();
      child.send(message);
      return answer;
    },
    send: (message) => child.send(message),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

async function startListening(file: string, args: readonly string[] = [], nodeArgs?: string[]) {
  const started = start(file, args, nodeArgs);
  const { port } = await new Promise<{ port: number }>((resolve) => {
    started.child.once('message', (message) => resolve(message as { port: number }));
  });
  return { ...started, port };
}

type Listening = Awaited<ReturnType<typeof startListening>>;

interface Scene {
  readonly ours: Listening;
  readonly clients: Child;
}

const ask = (clients: Child, command: ClientsCommand) => clients.ask(command);
const take = async (clients: Child) => (await ask(clients, { type: 'take' })) as Taken;

interface Delivery {
  readonly bytes: number;
  /** Microseconds of CPU per delivered kilobyte. */
  readonly cpuPerKb: number;
  readonly latenciesMs: readonly number[];
  /** Milliseconds of CPU in all. */
  readonly cpuMs: number;
}

async function deliver(
  server: Listening,
  clients: Child,
  how: { readonly command: WriterCommand | BareCommand; readonly ms: number },
): Promise<Delivery> {
  server.send(how.command);
  await sleep(1000);
  await take(clients);
  // The main thread only: indexing has its own thread, which the bare loop does not have.
  const cpuMs = readMainCpuMs(server.pid);
  await sleep(how.ms);
  const taken = await take(clients);
  const spentMs = readMainCpuMs(server.pid) - cpuMs;
  server.send(STOPPED);
  await sleep(1000);
  await take(clients);
  const cpuPerKb = (spentMs * 1000) / (taken.bytes / 1024);
  return { bytes: taken.bytes, cpuPerKb, latenciesMs: taken.latenciesMs, cpuMs: spentMs };
}

function formatPercentiles(sorted: readonly number[]): string {
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return [0.5, 0.9, 0.99].map((share) => `p${share * 100} ${at(share).toFixed(1)} ms`).join(', ');
}

type Latencies = Taken['latenciesMs'];

interface Deliveries {
  readonly own: readonly Delivery[];
  readonly other: readonly Delivery[];
}

const DELIVERY_READERS = 5000;

async function measureDelivery({ ours, clients }: Scene, quick: boolean): Promise<Deliveries> {
  const [ms, turns] = quick ? [2000, 2] : [8000, 2];
  const count = DELIVERY_READERS;
  const bare = await startListening('./peers/bare-stream.ts');
  try {
    const query = '&events=trade';
    await ask(clients, { type: 'open', port: ours.port, count, query });
    await ask(clients, { type: 'open', port: bare.port, count, query });
    const command = {
      ...{ blocksPerSecond: BLOCKS_PER_SECOND, tradesPerBlock: TRADES_PER_BLOCK, ...ONE_TOKEN },
    };
    const own: Delivery[] = [];
    const other: Delivery[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const delivered = await deliver(ours, clients, { command, ms });
      own.push(delivered);
      const blocks = (ms / 1000) * BLOCKS_PER_SECOND * count;
      const bytes = Math.round(delivered.bytes / blocks);
      const same = { blocksPerSecond: BLOCKS_PER_SECOND, bytes };
      other.push(await deliver(bare, clients, { command: same, ms }));
    }
    return { own, other };
  } finally {
    await ask(clients, { type: 'close' });
    await bare.stop();
    await sleep(1000);
  }
}

function buildDeliveryRow(all: readonly Deliveries[], quick: boolean): Row {
  const own = all.flatMap((one) => one.own);
  const other = all.flatMap((one) => one.other);
  const ratios = own.map((one, index) => (other[index]?.cpuPerKb ?? 0) / one.cpuPerKb);
  const sorted = (list: readonly Delivery[]) =>
    list.flatMap((one) => one.latenciesMs).sort((a, b) => a - b);
  const formatMedianCpu = (list: readonly Delivery[]) =>
    median(list.map((one) => one.cpuPerKb)).toFixed(1);
  const seconds = quick ? 2 : 8;
  const mbPerSecond = median(own.map((one) => one.bytes)) / 1024 / 1024 / seconds;
  const shown = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  return {
    goal: 'streamDelivery',
    ours: `${formatMedianCpu(own)} µs of CPU a KB, ${mbPerSecond.toFixed(0)} MB/s`,
    peer: `${formatMedianCpu(other)} µs (a loop over sockets)`,
    ratio: median(ratios),
    spread: spread(ratios),
    note: `${DELIVERY_READERS} readers, ${BLOCKS_PER_SECOND * TRADES_PER_BLOCK} events a second: from block to reader ${formatPercentiles(sorted(own))}; the loop ${formatPercentiles(sorted(other))}; two turns a process: ${shown}`,
  };
}

/** The same events to the same number of readers, of one token and of ten on two chains. */
async function measureSets({ ours, clients }: Scene, quick: boolean): Promise<Sets> {
  const [ms, turns] = quick ? [2000, 3] : [8000, 3];
  const names = CHAINS.flatMap((chain) => TOKENS.map((token) => `${chain}:${token}`));
  const rate = BLOCKS_PER_SECOND / CHAINS.length;
  const readers = [
    {
      query: '&events=trade',
      command: {
        blocksPerSecond: BLOCKS_PER_SECOND,
        tradesPerBlock: TRADES_PER_BLOCK,
        ...ONE_TOKEN,
      },
    },
    {
      query: `&events=trade&mint=${names.join(',')}`,
      command: {
        ...{ blocksPerSecond: rate, tradesPerBlock: TRADES_PER_BLOCK },
        ...{ chains: CHAINS, tokens: TOKENS.length },
      },
    },
  ];
  const cpuMs: number[][] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [kind, { query, command }] of readers.entries()) {
      await ask(clients, { type: 'open', port: ours.port, count: DELIVERY_READERS, query });
      cpuMs[kind]?.push((await deliver(ours, clients, { command, ms })).cpuMs);
      await ask(clients, { type: 'close' });
      await sleep(1000);
    }
  }
  const events = (ms / 1000) * BLOCKS_PER_SECOND * TRADES_PER_BLOCK * DELIVERY_READERS;
  const [one = [], ten = []] = cpuMs.map((list) => list.map((each) => (each * 1000) / events));
  return { one, ten };
}

/** Microseconds of CPU for each event and reader. */
interface Sets {
  readonly one: readonly number[];
  readonly ten: readonly number[];
}

function buildSetsRow(all: readonly Sets[]): Row {
  const [one, ten] = [all.flatMap((each) => each.one), all.flatMap((each) => each.ten)];
  const ratios = ten.map((micros, index) => (one[index] ?? Number.NaN) / micros);
  return {
    goal: 'streamSets',
    ours: `${median(ten).toFixed(2)} µs of CPU an event and reader`,
    peer: `${median(one).toFixed(2)} µs for one token`,
    ratio: median(ratios),
    spread: spread(ratios),
    note: `${DELIVERY_READERS} readers, ${BLOCKS_PER_SECOND * TRADES_PER_BLOCK} events a second`,
  };
}

/** The latency from block to one reader, without pauses. */
async function measureLatency({ ours, clients }: Scene, quick: boolean): Promise<Latencies[]> {
  const [ms, turnCount] = quick ? [700, 3] : [2500, 2];
  await ask(clients, { type: 'open', port: ours.port, count: 1, query: '' });
  ours.send({ blocksPerSecond: 20, tradesPerBlock: 1, ...ONE_TOKEN });
  await sleep(1000);
  await take(clients);
  const turns: Latencies[] = [];
  for (let turn = 0; turn < turnCount; turn += 1) {
    await sleep(ms);
    turns.push((await take(clients)).latenciesMs);
  }
  ours.send(STOPPED);
  await sleep(1000);
  await ask(clients, { type: 'close' });
  await take(clients);
  return turns;
}

function buildLatencyRow(turns: readonly Latencies[]): Row {
  const latenciesMs = turns.flat().sort((a, b) => a - b);
  return {
    goal: 'streamLatency',
    ours: formatPercentiles(latenciesMs),
    peer: '',
    ratio: null,
    spread: spread(turns.map(median)),
    note: `${latenciesMs.length} blocks in ${turns.length} turns, the spread is of their medians: applied, committed, sent to the main thread, encoded, sent, received`,
  };
}

async function readSettledMb(server: Listening): Promise<number> {
  for (let count = 0; count < 3; count += 1) {
    await server.ask('collect');
    // After 200 ms each, readers seemed to cost half as much again: memory is freed late.
    await sleep(500);
  }
  return readOwnMb(server.pid);
}

/** Megabytes of a process before readers connect and while they are connected. */
interface Kept {
  readonly before: number;
  readonly after: number;
}

function pickIdleSize(quick: boolean) {
  // In a short run the heap's own growth would dominate, so it is excluded.
  return quick ? { warm: 1000, count: 2500 } : { warm: 0, count: 10_000 };
}

async function measureIdle({ ours, clients }: Scene, quick: boolean): Promise<Kept> {
  const { warm, count } = pickIdleSize(quick);
  const { port } = ours;
  if (warm > 0) await ask(clients, { type: 'open', port, count: warm, query: '' });
  const before = await readSettledMb(ours);
  await ask(clients, { type: 'open', port, count, query: '' });
  const after = await readSettledMb(ours);
  await ask(clients, { type: 'close' });
  await sleep(1000);
  return { before, after };
}

function buildIdleRow(processes: readonly Kept[], quick: boolean): Row {
  const { warm, count } = pickIdleSize(quick);
  const each = processes.map(({ before, after }) => ((after - before) * 10_000) / count);
  const [before, after] = [
    median(processes.map((one) => one.before)),
    median(processes.map((one) => one.after)),
  ];
  const ratios = each.map((mb) => IDLE_MB_MAX / mb);
  return {
    goal: 'streamIdle',
    ours: `${median(each).toFixed(0)} MB for 10,000`,
    peer: `${IDLE_MB_MAX} MB`,
    ratio: median(ratios),
    spread: spread(ratios),
    note: `${before.toFixed(0)} MB with ${warm}, ${after.toFixed(0)} MB with ${warm + count} readers; ${processes.length} processes`,
  };
}

async function benchChurn({ ours, clients }: Scene, quick: boolean): Promise<Row> {
  // The allocator keeps what the first tens of thousands made it take; a leak keeps growing.
  const [warm, count] = quick ? [11_000, 4000] : [60_000, 100_000];
  const step = count / 20;
  const { port } = ours;
  const sampleMb = async () => {
    const samples: number[] = [];
    for (let sample = 0; sample < CHURN_SAMPLES; sample += 1) {
      if (sample > 0) await ask(clients, { type: 'churn', port, count: step });
      samples.push(await readSettledMb(ours));
    }
    return samples;
  };
  await ask(clients, { type: 'churn', port, count: warm });
  const before = await sampleMb();
  // Each sample is paired with one after the number of connections in the row.
  const sampled = step * (CHURN_SAMPLES - 1);
  await ask(clients, { type: 'churn', port, count: count - sampled });
  const after = await sampleMb();
  const ratios = after.map((mb, index) => (before[index] ?? Number.NaN) / mb);
  const left = (await ours.ask('collect')) as { streams: number; heapMb: number };
  return {
    goal: 'streamChurn',
    ours: `${median(after).toFixed(0)} MB after ${count.toLocaleString('en')} more comings and goings`,
    peer: `${median(before).toFixed(0)} MB after ${warm.toLocaleString('en')}`,
    ratio: median(ratios),
    spread: spread(ratios),
    note: `${CHURN_SAMPLES} pairs of samples in one process; ${left.streams} streams left open, ${left.heapMb.toFixed(0)} MB of live objects`,
  };
}

async function withScene<T>(work: (scene: Scene) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const ours = await startListening('./stream-server-process.ts', [folder]);
  const clients = start('./stream-clients.ts');
  try {
    return await work({ ours, clients });
  } finally {
    await Promise.all([ours.stop(), clients.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchStream({ quick }: { readonly quick: boolean }): Promise<Row[]> {
  const latencies: Latencies[] = [];
  const deliveries: Deliveries[] = [];
  const sets: Sets[] = [];
  // The cost of a write depends on a process's memory layout, so several are measured.
  for (let count = 0; count < (quick ? 1 : 3); count += 1) {
    await withScene(async (scene) => {
      latencies.push(...(await measureLatency(scene, quick)));
      deliveries.push(await measureDelivery(scene, quick));
      sets.push(await measureSets(scene, quick));
    });
  }
  // Separate processes, since memory depends on what a process did before.
  const idle: Kept[] = [];
  for (let count = 1; count < (quick ? 2 : 3); count += 1) {
    idle.push(await withScene((scene) => measureIdle(scene, quick)));
  }
  const churn = await withScene(async (scene) => {
    idle.push(await measureIdle(scene, quick));
    return benchChurn(scene, quick);
  });
  return [
    buildLatencyRow(latencies),
    buildDeliveryRow(deliveries, quick),
    buildSetsRow(sets),
    buildIdleRow(idle, quick),
    churn,
  ];
}

/** Only events to many readers, for a profile of the server; resolves when it has ended. */
export async function streamFor(options: {
  readonly nodeArgs: readonly string[];
  readonly durationMs: number;
}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const ours = await startListening('./stream-server-process.ts', [folder], [...options.nodeArgs]);
  const clients = start('./stream-clients.ts');
  try {
    const query = '&events=trade,kline';
    await ask(clients, { type: 'open', port: ours.port, count: 1000, query });
    ours.send({
      ...{ blocksPerSecond: BLOCKS_PER_SECOND, tradesPerBlock: TRADES_PER_BLOCK, ...ONE_TOKEN },
    });
    await sleep(options.durationMs);
  } finally {
    const ended = new Promise((resolve) => ours.child.once('exit', resolve));
    ours.child.disconnect();
    await Promise.all([ended, clients.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
