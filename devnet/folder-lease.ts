// Ensures that only one devnet uses a folder, and clears what a killed one left behind.
//
// - `owner.lock` is locked by the devnet's process while it lives. The kernel drops the
//   lock with the process, so a held lock means a living owner.
// - `state.json.running` exists from before the node starts until its state is saved: a
//   leftover file means that the chain on disk is not the last one. It names the node that saves
//   the chain, because there are two for a while when one replaces the other.
// - The node and its guard have the state file in their command lines, which is how a start finds
//   leftover processes.

import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDeploymentPath, writeJsonAtomically } from './deployment.ts';
import { listProcesses, type ProcessEntry } from './list-processes.ts';

/** The node's guard removes the file once the state is saved. */
export function buildLeasePath(stateFile: string): string {
  return `${stateFile}.running`;
}

/** Absolute: nodes are found by it, and those of another folder must not match. */
export function buildStatePath(dataDir: string): string {
  return resolve(dataDir, 'state.json');
}

/** Another process runs a devnet on the folder, and is not stopping. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

export interface FolderLease {
  /** False if the last node was killed before it saved: the chain on disk is an earlier one. */
  readonly isSaved: boolean;
  /**
   * Names the node that saves the chain, in one step. Call it before the node mines: from then on
   * its state counts as not saved.
   */
  begin(nodePort: number): Promise<void>;
  /** After this a successor waits until the state is saved. */
  markStopping(): Promise<void>;
  release(): void;
}

export interface TakeFolderOptions {
  readonly stateFile: string;
  /** How long the last owner's node may take to save its state. */
  readonly saveMaxMs: number;
  readonly log: (line: string) => void;
}

interface LeaseFile {
  readonly ownerPid: number;
  readonly stopping: boolean;
  /** The last field: the node's guard looks for it at the end of a line. */
  readonly nodePort: number;
}

/** An owner notices within this time that its parent was killed, even on a busy machine. */
const OWNER_NOTICES_MS = 5_000;
/** Extra time of an owner besides saving. */
const OWNER_EXTRA_MS = 15_000;
const KILL_MAX_MS = 10_000;
const POLL_MS = 50;
const SQLITE_BUSY = 5;

async function readLeaseFile(stateFile: string): Promise<LeaseFile | null> {
  try {
    return JSON.parse(await readFile(buildLeasePath(stateFile), 'utf8')) as LeaseFile;
  } catch {
    return null;
  }
}

/** Null while another process, or another devnet of this process, holds the lock. */
export function tryLock(path: string): DatabaseSync | null {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
}

/** The node, its guard and the guard's watch. */
export function findNodeProcesses(stateFile: string): ProcessEntry[] {
  const words = `--dump-state ${stateFile}.`;
  return listProcesses().filter(({ command }) => command.includes(words));
}

async function takeLock(options: TakeFolderOptions): Promise<DatabaseSync> {
  const { stateFile, saveMaxMs, log } = options;
  const folder = dirname(stateFile);
  const startedAt = Date.now();
  let isLogged = false;
  for (;;) {
    const lock = tryLock(join(folder, 'owner.lock'));
    if (lock !== null) return lock;
    const lease = await readLeaseFile(stateFile);
    const owner = lease === null ? 'another devnet' : `another devnet (process ${lease.ownerPid})`;
    const waitMaxMs = lease?.stopping === true ? saveMaxMs + OWNER_EXTRA_MS : OWNER_NOTICES_MS;
    if (Date.now() - startedAt > waitMaxMs) {
      throw new FolderInUseError(
        `${owner} is running on ${folder}: stop it, or follow it by ` +
          `DEVNET_DEPLOYMENT=${buildDeploymentPath(folder)}`,
      );
    }
    if (lease?.stopping === true && !isLogged) log(`${owner} is stopping: waiting for its chain`);
    isLogged ||= lease?.stopping === true;
    await sleep(POLL_MS);
  }
}

/** Waits while a guard, which leads its group, still stops its node and saves the chain. */
async function waitForGuard(stateFile: string, saveMaxMs: number): Promise<boolean> {
  const deadline = Date.now() + saveMaxMs + OWNER_EXTRA_MS;
  for (let waited = false; ; waited = true) {
    const guard = findNodeProcesses(stateFile).find(({ pid, groupId }) => pid === groupId);
    if (guard === undefined || Date.now() > deadline) return waited;
    await sleep(POLL_MS);
  }
}

/** Kills what is left of a dead owner; returns the killed processes. */
async function killNodes(stateFile: string): Promise<readonly number[]> {
  const killed = new Set<number>();
  const deadline = Date.now() + KILL_MAX_MS;
  for (;;) {
    const left = findNodeProcesses(stateFile);
    if (left.length === 0) return [...killed];
    for (const { pid } of left) {
      killed.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    if (Date.now() > deadline) {
      throw new FolderInUseError(`a node (process ${left[0]?.pid}) on ${stateFile} does not end`);
    }
    await sleep(POLL_MS);
  }
}

/** What killed nodes have written in part. */
async function removeDrafts(stateFile: string): Promise<void> {
  const folder = dirname(stateFile);
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${basename(stateFile)}.`) && /\.(next|trimmed)$/.test(name)) {
      await rm(join(folder, name), { force: true });
    }
  }
}

interface Inheritance {
  readonly lease: LeaseFile | null;
  readonly isSaved: boolean;
  readonly waited: boolean;
  readonly killed: readonly number[];
}

/** One line about the previous owner; null if it ended normally. */
function describeTakeover(found: Inheritance): string | null {
  const { lease, isSaved, waited, killed } = found;
  if (lease === null && killed.length === 0) return null;
  const owner = lease === null ? '' : ` (process ${lease.ownerPid})`;
  const node =
    killed.length > 0 ? `; its node (process ${killed.join(', ')}) still ran and was ended` : '';
  const chain = isSaved
    ? `${waited ? '; its node has saved the chain' : ''}`
    : '; its chain was not saved and goes back to the last saved state';
  return `took over from a devnet${owner} that was killed${node}${chain}`;
}

function createLease(options: TakeFolderOptions, lock: DatabaseSync, isSaved: boolean) {
  const path = buildLeasePath(options.stateFile);
  let nodePort = 0;
  const write = (lease: Pick<LeaseFile, 'stopping' | 'nodePort'>) =>
    writeJsonAtomically(path, { ownerPid: process.pid, ...lease } satisfies LeaseFile);
  return {
    isSaved,
    async begin(port: number) {
      await write({ stopping: false, nodePort: port });
      // Only now: if the write fails, the node before still owns the folder.
      nodePort = port;
    },
    async markStopping() {
      // A node that ended by itself and saved its state has removed the file.
      if (existsSync(path)) await write({ stopping: true, nodePort });
    },
    release() {
      if (lock.isOpen) lock.close();
    },
  };
}

/** Waits for an owner that is stopping, rejects if it is not, and takes over from a dead one. */
export async function takeFolder(options: TakeFolderOptions): Promise<FolderLease> {
  const { stateFile, saveMaxMs, log } = options;
  const lock = await takeLock(options);
  try {
    const lease = await readLeaseFile(stateFile);
    const waited = await waitForGuard(stateFile, saveMaxMs);
    const killed = await killNodes(stateFile);
    await removeDrafts(stateFile);
    const isSaved = !existsSync(buildLeasePath(stateFile));
    const line = describeTakeover({ lease, isSaved, waited, killed });
    if (line !== null) log(line);
    return createLease(options, lock, isSaved);
  } catch (error) {
    lock.close();
    throw error;
  }
}
