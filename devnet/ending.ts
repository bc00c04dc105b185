// Stops what a devnet has started so far, in the order that keeps its chain intact.

import { setTimeout as sleep } from 'node:timers/promises';
import type { AnvilNode } from './anvil-node.ts';
import type { BlockArchive } from './block-archive.ts';
import type { FolderLease } from './folder-lease.ts';
import type { JsonRpc } from './json-rpc.ts';
import type { NodeRoller } from './node-roller.ts';
import type { RpcFront } from './rpc-front.ts';

/** Traders and the clock finish their current work; after this time the node ends without them. */
const LIFE_END_MAX_MS = 5_000;
/** A node that is being replaced may not answer any more; a replacement takes seconds. */
const ROLL_END_MAX_MS = 60_000;

export class Ending {
  readonly #lease: FolderLease;
  readonly #rollEndMaxMs: number;
  #ended: Promise<void> | null = null;
  front: RpcFront | null = null;
  /** Connections to the node besides its own. */
  lines: readonly JsonRpc[] = [];
  roller: NodeRoller | null = null;
  node: AnvilNode | null = null;
  archive: BlockArchive | null = null;
  /** Stops everything that sends transactions and mines. */
  endLife: () => Promise<void> = async () => undefined;

  constructor(lease: FolderLease, rollEndMaxMs = ROLL_END_MAX_MS) {
    this.#lease = lease;
    this.#rollEndMaxMs = rollEndMaxMs;
  }

  get hasBegun(): boolean {
    return this.#ended !== null;
  }

  run(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    const finished = this.roller?.finish();
    if (this.node !== null) await this.#lease.markStopping();
    if (finished !== undefined) {
      // A node that was just taking over has written the lease since. After the time limit none
      // can: the roller looks whether the devnet ends.
      await Promise.race([finished, sleep(this.#rollEndMaxMs, undefined, { ref: false })]);
      await this.#lease.markStopping();
    }
    await this.front?.close();
    const isAtRest = await Promise.race([
      this.endLife().then(() => true),
      sleep(LIFE_END_MAX_MS, false, { ref: false }),
    ]);
    for (const line of this.lines) line.close();
    this.archive?.close();
    await this.node?.stop(isAtRest ? 'at rest' : 'perhaps mining');
    this.#lease.release();
  }
}
