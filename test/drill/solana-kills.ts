// `npm run drill -- --chain devnet-solana --kills 20 --reorgs 20`: kills the service, its embedded
// Solana chain or both, and replaces up to 32 blocks, at random moments while traders trade. The
// index must equal the chain afterwards.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses } from '../../devnet/list-processes.ts';
import { assertVerified, stopService } from '../indexed-service.ts';
import type { Engine } from '../indexing-scene.ts';
import { findTree } from '../process-tree.ts';
import { SLUG } from '../solana-trade-service.ts';
import {
  type Cleanup,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { createKillEnv, killProcess, untilServiceReady } from './kill-scene.ts';

const VICTIMS = ['service', 'chain', 'everything'] as const;
export type SolanaVictim = (typeof VICTIMS)[number];

/** The index is compared with the chain after this many kills or forks, and at the end. */
const STEPS_PER_CHECK = 10;
const DEPTH_MAX = 32;
/** Before a third of the kills, blocks are replaced: what follows is read on another branch. */
const FORK_CHANCE = 1 / 3;
const CHAIN_PROGRAM = join('devnet', 'solana', 'main.ts');
/** A generous limit: a stuck chain must fail the drill, not hang it. */
const WAIT_MAX_MS = 180_000;

interface SolanaDrillOptions {
  readonly engine: Engine;
  readonly count: number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Called when the index was equal to the chain after this many steps. */
  readonly onVerified: (done: number) => void;
}

type Env = Readonly<Record<string, string>>;

function readRpcUrl(env: Env): string {
  const file = join(env['DATA_DIR'] ?? '', SLUG, 'deployment.json');
  return JSON.parse(readFileSync(file, 'utf8')).rpcUrl;
}

/** Null if the chain does not answer, or refuses. */
async function callChain(env: Env, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  try {
    const response = await fetch(readRpcUrl(env), { method: 'POST', headers, body });
    return ((await response.json()) as { result?: unknown }).result ?? null;
  } catch {
    return null;
  }
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_MAX_MS;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`not in time: ${what}`);
    await sleep(100);
  }
}

/** Replaces blocks; false if the chain is down, or has not made as many since it started. */
async function forkChain(env: Env, depth: number): Promise<boolean> {
  return (await callChain(env, 'devnet_fork', [depth])) !== null;
}

function pickDepth(random: () => number): number {
  return 1 + Math.floor(random() * DEPTH_MAX);
}

function findChainPids(service: RunningService): number[] {
  return findTree(service.child.pid ?? 0, listProcesses())
    .filter(({ command }) => command.includes(CHAIN_PROGRAM))
    .map(({ pid }) => pid);
}

function killVictim(victim: SolanaVictim, service: RunningService): void {
  const chain = findChainPids(service);
  if (victim !== 'chain') killProcess(service.child.pid);
  if (victim !== 'service') for (const pid of chain) killProcess(pid);
}

/** Nobody trades while accounts are compared, so that all of them are those of the last block. */
async function verifyAtRest(t: Cleanup, env: Env): Promise<string> {
  const quiet = await startServiceProcess(t, { env: { ...env, DEVNET_TRADERS: 'off' } });
  await untilServiceReady(quiet);
  let slot = Number.POSITIVE_INFINITY;
  await until('the chain answers', async () => {
    slot = Number((await callChain(env, 'getSlot', [{ commitment: 'confirmed' }])) ?? slot);
    return Number.isFinite(slot);
  });
  await until(`the index is at slot ${slot}`, async () => {
    const answer = await (await fetch(`${quiet.origin}/v1/chains`)).json();
    const { chains } = answer as { chains: { head: number | null }[] };
    return (chains[0]?.head ?? -1) >= slot;
  });
  const verified = await assertVerified(env, SLUG);
  await stopService(quiet);
  assert.deepEqual(findChainPids(quiet), [], 'the chain outlived the service');
  return verified;
}

function createEnv(t: Cleanup, engine: Engine): Promise<Env> {
  const modes = { DEVNET: 'on', DEVNET_SOLANA: 'only', DEVNET_HISTORY_HOURS: '2' };
  return createKillEnv(t, engine, modes);
}

function isCheckDue(done: number, count: number): boolean {
  return done % STEPS_PER_CHECK === 0 || done === count;
}

/** Returns the last output of `verify`. */
export async function drillSolanaKills(
  t: Cleanup,
  options: SolanaDrillOptions & {
    readonly onKill: (killed: number, victim: SolanaVictim) => void;
  },
): Promise<string> {
  const { random, count } = options;
  const env = await createEnv(t, options.engine);
  let verified = '';
  let service = await startServiceProcess(t, { env });
  await untilServiceReady(service);
  for (let killed = 1; killed <= count; killed += 1) {
    // Usually a running one, sometimes one that is only starting.
    if (random() < 0.7) await untilServiceReady(service);
    await sleep(random() * 3000);
    if (random() < FORK_CHANCE) await forkChain(env, pickDepth(random));
    const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? 'service';
    killVictim(victim, service);
    if (victim !== 'chain') {
      await service.exited;
      service = await startServiceProcess(t, { env });
    }
    options.onKill(killed, victim);
    if (!isCheckDue(killed, count)) continue;
    await untilServiceReady(service);
    await stopService(service);
    verified = await verifyAtRest(t, env);
    options.onVerified(killed);
    service = await startServiceProcess(t, { env });
  }
  await stopService(service);
  return verified;
}

/** Returns the last output of `verify`, after how deep the forks were. */
export async function drillSolanaForks(
  t: Cleanup,
  options: SolanaDrillOptions & { readonly onFork: (forked: number, depth: number) => void },
): Promise<string> {
  const { random, count } = options;
  const env = await createEnv(t, options.engine);
  const depths: number[] = [];
  let verified = '';
  let service = await startServiceProcess(t, { env });
  for (let forked = 1; forked <= count; forked += 1) {
    await untilServiceReady(service);
    const depth = pickDepth(random);
    // A chain can replace blocks that it made since it started.
    await until(`${depth} blocks are replaced`, () => forkChain(env, depth));
    depths.push(depth);
    options.onFork(forked, depth);
    await sleep(random() * 2000);
    if (!isCheckDue(forked, count)) continue;
    await untilServiceReady(service);
    await stopService(service);
    verified = await verifyAtRest(t, env);
    options.onVerified(forked);
    if (forked < count) service = await startServiceProcess(t, { env });
  }
  return `replaced blocks: ${depths.join(', ')}\n${verified}`;
}
