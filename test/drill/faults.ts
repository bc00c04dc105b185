// `npm run drill -- --faults`: machine faults under a service that follows a real chain.
//
// Each fault is real, is observed through the API while it lasts, and ends with an index in which
// `verify` finds no difference.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { assertVerified, untilAtHead } from '../indexed-service.ts';
import { createIndexingScene, type IndexingScene, trade } from '../indexing-scene.ts';
import { PLENTY_ENV } from '../start-access.ts';
import {
  type Cleanup,
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import {
  askSignIn,
  assertKeyWorks,
  assertStops,
  assertUnavailable,
  createSmallDisk,
  damageAndRestore,
  fillAndFree,
  issueFreshKey,
  untilReady,
} from '../store-faults.ts';

const CHALLENGES = 120;

type Env = Readonly<Record<string, string>>;

/** Counts the responses during a fault. */
class Tally {
  readonly #counts = new Map<number, number>();

  add(status: number): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
  }

  count(status: number): number {
    return this.#counts.get(status) ?? 0;
  }

  toString(): string {
    return [...this.#counts].map(([status, count]) => `${count} × ${status}`).join(', ');
  }
}

interface Followed extends RunningService {
  readonly key: string;
}

async function startAtHead(t: Cleanup, scene: IndexingScene, env: Env): Promise<RunningService> {
  const service = await startServiceProcess(t, { env: { ...PLENTY_ENV, ...env } });
  await untilAtHead(service, scene.chain);
  return service;
}

/** A service at the head of the chain, with a key that was issued while all was well. */
async function follow(t: Cleanup, scene: IndexingScene, env: Env): Promise<Followed> {
  const service = await startAtHead(t, scene, env);
  return { ...service, key: await issueFreshKey(service) };
}

function listReads(scene: IndexingScene): readonly string[] {
  const mint = scene.chain.deployment.tokens.find((token) => token.key === 'wire')?.address;
  const token = `chain=devnet&mint=${mint}`;
  return [
    `/token?${token}`,
    ...['1s', '1m', '1h'].map((one) => `/token/klines?${token}&interval=${one}`),
    ...[3, 17, 40].map((limit) => `/token/trades?${token}&limit=${limit}`),
    ...[2, 9, 33].map((limit) => `/token/holders?${token}&limit=${limit}`),
    '/tokens/search?q=wire',
  ];
}

/** Reads everything, streams included; a response is right or 503, never a 500. */
async function readAll(scene: IndexingScene, service: RunningService): Promise<Tally> {
  const tally = new Tally();
  const streams = listReads(scene)
    .slice(0, 1)
    .map((path) => path.replace('/token?', '/token/stream?'));
  for (const path of [...listReads(scene), ...streams]) {
    const response = await fetch(`${service.origin}/v1${path}`);
    tally.add(response.status);
    if (path.startsWith('/token/stream') && response.ok) await response.body?.cancel();
    else await response.text();
    assert.ok(response.status === 200 || response.status === 503, `${path}: ${response.status}`);
    if (response.status === 503) assert.ok(response.headers.has('retry-after'), path);
  }
  return tally;
}

async function askSignIns(service: RunningService, count = CHALLENGES): Promise<Tally> {
  const tally = new Tally();
  for (let i = 0; i < count; i += 1) {
    const answer = await askSignIn(service);
    tally.add(answer.status);
    if (answer.status !== 200) assertUnavailable(answer);
  }
  return tally;
}

function readReason(readyText: string): string {
  return (JSON.parse(readyText) as { detail: string }).detail;
}

async function fullDisk(t: Cleanup, scene: IndexingScene): Promise<string> {
  const disk = createSmallDisk(t);
  const env = { ...scene.env, DATA_DIR: disk.folder };
  const service = await follow(t, scene, env);
  let [challenges, reads] = [new Tally(), new Tally()];
  const { readyText, redMs } = await fillAndFree(disk, service, {
    look: async () => {
      await trade(scene.chain, 1);
      challenges = await askSignIns(service);
      assert.ok(challenges.count(503) > 0, String(challenges));
      reads = await readAll(scene, service);
    },
    untilBack: () => untilAtHead(service, scene.chain),
  });
  await assertVerified(env);
  return `${disk.kind}; red after ${redMs} ms: ${readReason(readyText)} Challenges ${challenges}; reads ${reads}; went on by itself`;
}

async function damagedPages(t: Cleanup, scene: IndexingScene): Promise<string> {
  const folder = createTempFolder(t);
  const env = { ...scene.env, DATA_DIR: folder };
  let reads = new Tally();
  const { readyText, service } = await damageAndRestore(t, {
    folder,
    file: 'market.sqlite',
    start: () => startAtHead(t, scene, env),
    look: async (damaged) => {
      await trade(scene.chain, 1);
      reads = await readAll(scene, damaged);
      assert.ok(reads.count(503) > 0, String(reads));
    },
  });
  await assertStops(service);
  await assertVerified(env);
  return `red: ${readReason(readyText)} Reads ${reads}; the backup caught up`;
}

async function deletedFolder(t: Cleanup, scene: IndexingScene): Promise<string> {
  const folder = join(createTempFolder(t), 'data');
  const env = { ...scene.env, DATA_DIR: folder };
  const service = await follow(t, scene, env);
  rmSync(folder, { recursive: true });
  const deletedAtMs = performance.now();
  const reason = readReason(await untilReady(service, 503));
  const redMs = Math.round(performance.now() - deletedAtMs);
  assert.match(reason, /deleted or replaced/);
  await trade(scene.chain, 1);
  const challenges = await askSignIns(service);
  assert.equal(challenges.count(503), CHALLENGES, String(challenges));
  const reads = await readAll(scene, service);
  await assertStops(service);
  await assertStops(await startAtHead(t, scene, env));
  await assertVerified(env);
  return `red after ${redMs} ms: ${reason} Challenges ${challenges}; reads ${reads}; indexed anew after a restart`;
}

async function twoProcesses(t: Cleanup, scene: IndexingScene): Promise<string> {
  const env = { ...scene.env, DATA_DIR: createTempFolder(t) };
  const first = await follow(t, scene, env);
  const second = await follow(t, scene, env);
  for (let i = 0; i < 3; i += 1) await trade(scene.chain, 1);
  for (const service of [first, second]) {
    await untilAtHead(service, scene.chain);
    // Each accepts the keys that the other has issued.
    for (const { key } of [first, second]) await assertKeyWorks(service, key);
    assert.equal((await readAll(scene, service)).count(503), 0);
    assert.equal((await askSignIns(service, 5)).count(200), 5);
  }
  process.kill(-(first.child.pid ?? 0), 'SIGKILL');
  await first.exited;
  await trade(scene.chain, 1);
  await untilAtHead(second, scene.chain);
  await assertStops(second);
  await assertVerified(env);
  return 'both served and knew each other’s keys; one was killed and the other went on';
}

async function stoppedNode(t: Cleanup, scene: IndexingScene): Promise<string> {
  const env = { ...scene.env, DATA_DIR: createTempFolder(t) };
  const service = await follow(t, scene, env);
  process.kill(-scene.chain.node.guardPid, 'SIGSTOP');
  try {
    const reason = readReason(await untilReady(service, 503));
    assert.match(reason, /devnet/);
    const reads = await readAll(scene, service);
    assert.equal(reads.count(503), 0, String(reads));
    process.kill(-scene.chain.node.guardPid, 'SIGCONT');
    await trade(scene.chain, 1);
    await untilAtHead(service, scene.chain);
    await assertStops(service);
    await assertVerified(env);
    return `red: ${reason} Reads ${reads}; went on by itself`;
  } finally {
    process.kill(-scene.chain.node.guardPid, 'SIGCONT');
  }
}

/** The last one, because its chain is gone. */
async function killedNode(t: Cleanup, scene: IndexingScene): Promise<string> {
  const env = { ...scene.env, DATA_DIR: createTempFolder(t) };
  const service = await follow(t, scene, env);
  process.kill(-scene.chain.node.guardPid, 'SIGKILL');
  const reason = readReason(await untilReady(service, 503));
  assert.match(reason, /devnet/);
  const reads = await readAll(scene, service);
  assert.equal(reads.count(503), 0, String(reads));
  await assertKeyWorks(service, service.key);
  await assertStops(service);
  return `red: ${reason} Reads ${reads} from the index; stopped in order`;
}

export type FaultDrill = (t: Cleanup, scene: IndexingScene) => Promise<string>;

/** In this order: the last one destroys the chain. */
export const FAULT_DRILLS: Readonly<Record<string, FaultDrill>> = {
  'full disk': fullDisk,
  'damaged pages': damagedPages,
  'deleted folder': deletedFolder,
  'two processes on one folder': twoProcesses,
  'stopped node': stoppedNode,
  'killed node': killedNode,
};

/** Runs them all on one chain; throws at the first failure. */
export async function drillFaults(
  t: Cleanup,
  onDone: (name: string, result: string) => void,
): Promise<void> {
  const scene = await createIndexingScene(t, { engine: 'sqlite' });
  for (const [name, drill] of Object.entries(FAULT_DRILLS)) onDone(name, await drill(t, scene));
}
