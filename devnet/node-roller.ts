// Replaces the running node by a new one that has only the newest blocks: a node keeps the header
// of every block, and its memory and its saved state would grow for ever. Old blocks are in the
// archive.
//
// While no block is mined and calls that change the node wait, the new node loads the trimmed chain
// and gets what clients have left in the old one. The lease then names the new node, in one step:
// whoever is killed when, one of the two saves the whole chain. Reads are answered all the time.
// The old node stays for a while, for the states of its last blocks (past-node.ts).

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Hex } from 'viem';
import { type AnvilNode, STATES_KEPT } from './anvil-node.ts';
import type { Keeping } from './archive-keeper.ts';
import type { BlockArchive } from './block-archive.ts';
import { toHexQuantity } from './block-writer.ts';
import type { ChangeGate } from './change-gate.ts';
import type { FolderLease } from './folder-lease.ts';
import type { JsonRpc } from './json-rpc.ts';
import type { NodeLine } from './node-line.ts';
import type { NodeMemory } from './node-memory.ts';
import type { PastNode } from './past-node.ts';
import { type SavedState, trimState, writeState } from './trim-state.ts';

export interface RollerOptions {
  /** Connections that follow to the next node. */
  readonly lines: readonly NodeLine[];
  readonly gate: ChangeGate;
  readonly lease: FolderLease;
  readonly memory: NodeMemory;
  readonly archive: BlockArchive;
  readonly keeping: Keeping;
  readonly stateFile: string;
  /** Whether the node mines every transaction at once. */
  readonly isAutomatic: boolean;
  /** Starts a node on the state file. */
  readonly startNode: () => Promise<AnvilNode>;
  readonly onNode: (node: AnvilNode) => void;
  readonly log: (line: string) => void;
}

/** How long calls that change the node may take to end. */
const CLOSE_MAX_MS = 5_000;
/** How long the last reads from a node may take before it is ended. */
const DRAIN_MAX_MS = 5_000;
/** After a failure, so many blocks later. */
const RETRY_BLOCKS = 64;
/** Snapshots and transactions that cannot be moved delay it: to this multiple of the usual. */
const DELAY_MAX = 2;

interface Head {
  readonly number: Hex;
  readonly hash: Hex;
  readonly timestamp: Hex;
}

interface PreviousNode extends PastNode {
  readonly node: AnvilNode;
  readonly loadedAt: number;
}

function readBlock(rpc: JsonRpc, tag: string): Promise<Head> {
  return rpc.call<Head>('eth_getBlockByNumber', tag, false);
}

async function dumpState(rpc: JsonRpc): Promise<SavedState> {
  const packed = await rpc.call<Hex>('anvil_dumpState');
  const text = await promisify(gunzip)(Buffer.from(packed.slice(2), 'hex'));
  return JSON.parse(text.toString('utf8')) as SavedState;
}

/** Hashes of the blocks before the head that the node may have states of. */
async function readHashes(rpc: JsonRpc, head: number): Promise<Set<string>> {
  const count = Math.min(STATES_KEPT, head);
  const blocks = await rpc.batch<Head | null>(
    Array.from({ length: count }, (_, back) => ({
      method: 'eth_getBlockByNumber',
      params: [toHexQuantity(head - 1 - back), false],
    })),
  );
  return new Set(blocks.flatMap((block) => (block === null ? [] : [block.hash])));
}

export class NodeRoller {
  readonly #options: RollerOptions;
  #node: AnvilNode;
  #past: PreviousNode | null = null;
  /** The node has no fewer blocks than those since this one. */
  #loadedAt: number;
  #retryAt = 0;
  #isEnding = false;
  #work: Promise<void> = Promise.resolve();
  #end: () => void = () => undefined;
  /** Resolves when the current node has ended. */
  readonly ended: Promise<void>;

  private constructor(options: RollerOptions, node: AnvilNode, loadedAt: number) {
    this.#options = options;
    this.#node = node;
    this.#loadedAt = loadedAt;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#watch(node);
  }

  static async create(options: RollerOptions, node: AnvilNode): Promise<NodeRoller> {
    const head = Number((await readBlock(node.rpc, 'latest')).number);
    const oldest = Math.max(0, head - options.keeping.rollBlocks);
    const isLong = (await readBlock(node.rpc, toHexQuantity(oldest))) !== null;
    return new NodeRoller(options, node, isLong ? oldest : head);
  }

  get node(): AnvilNode {
    return this.#node;
  }

  /** Null if the current node has all states that are kept. */
  get past(): PastNode | null {
    return this.#past;
  }

  /** To be called after blocks, while no others are mined. Never fails. */
  afterBlocks(): Promise<void> {
    this.#work = this.#rollIfDue().catch((error) => {
      if (!this.#isEnding) this.#options.log(`the node could not be replaced: ${String(error)}`);
    });
    return this.#work;
  }

  /**
   * To be called before the newest blocks are taken back, while no others are mined. If the node
   * has not the state that this needs, the one before takes over again.
   */
  async beforeRollback(depth: number): Promise<void> {
    const past = this.#past;
    if (past === null) return;
    const { number, hash } = await readBlock(this.#node.rpc, 'latest');
    const added = Number(number) - past.head;
    const target = Number(number) - depth;
    // A depth that no node can serve is refused by the current one; nothing is exchanged for it.
    if (!Number.isInteger(depth) || target < past.head - STATES_KEPT) return;
    if (added < 0 || target >= past.head) return;
    const done = this.#exchange(async () => {
      await past.rpc.call('anvil_dropAllTransactions');
      // They are taken back at once, and nobody sees them.
      if (added > 0) await past.rpc.call('anvil_mine', toHexQuantity(added));
      const current = this.#node;
      await this.#handOver(past.node, { mayLose: true, headHash: hash });
      this.#loadedAt = past.loadedAt;
      this.#retryAt = Number(number) + STATES_KEPT;
      this.#past = null;
      await Promise.all(this.#options.lines.map((line) => line.drainPrevious(DRAIN_MAX_MS)));
      await current.discard();
    });
    this.#work = done.catch(() => undefined);
    await done;
  }

  /** Ends the node before, for instance because its states are no longer part of the chain. */
  async forgetPast(): Promise<void> {
    const past = this.#past;
    this.#past = null;
    await past?.node.discard();
  }

  /** No node is replaced any more. */
  async finish(): Promise<void> {
    this.#isEnding = true;
    await this.#work;
    await this.forgetPast();
  }

  async #rollIfDue(): Promise<void> {
    const { keeping, memory } = this.#options;
    const head = Number(await this.#node.rpc.call<Hex>('eth_blockNumber'));
    if (this.#past !== null) {
      const since = head - this.#past.head;
      if (since < 0 || since >= STATES_KEPT) await this.forgetPast();
    }
    // The chain may have been reset.
    this.#loadedAt = Math.min(this.#loadedAt, head);
    const blocks = head - this.#loadedAt;
    const isOverdue = blocks >= DELAY_MAX * keeping.rollBlocks;
    const isDue = isOverdue || (blocks >= keeping.rollBlocks && memory.snapshots.size === 0);
    if (this.#isEnding || head < this.#retryAt || !isDue) return;
    this.#retryAt = head + RETRY_BLOCKS;
    await this.#exchange(() => this.#roll(isOverdue));
  }

  async #exchange(work: () => Promise<void>): Promise<void> {
    const { gate } = this.#options;
    if (!(await gate.close(CLOSE_MAX_MS))) throw new Error('calls to it do not end');
    try {
      await work();
    } finally {
      gate.open();
    }
  }

  async #roll(mayLose: boolean): Promise<void> {
    const { archive, keeping, stateFile } = this.#options;
    const { node: old } = this;
    const loadedAt = this.#loadedAt;
    const startedAt = Date.now();
    const limits = {
      archivedCount: archive.blockCount,
      depth: keeping.archiveDepth + keeping.chunkBlocks,
    };
    const head = await readBlock(old.rpc, 'latest');
    const hashes = await readHashes(old.rpc, Number(head.number));
    await writeState(stateFile, trimState(await dumpState(old.rpc), limits));
    await this.forgetPast();
    const next = await this.#options.startNode();
    try {
      const { hash } = await readBlock(next.rpc, 'latest');
      if (hash !== head.hash) throw new Error('the saved chain is another');
      await this.#handOver(next, { mayLose, headHash: head.hash });
    } catch (error) {
      await next.discard();
      throw error;
    }
    this.#past = { node: old, rpc: old.rpc, head: Number(head.number), hashes, loadedAt };
    this.#loadedAt = Number(head.number);
    this.#retryAt = 0;
    const elapsed = ((Date.now() - startedAt) / 1_000).toFixed(1);
    this.#options.log(`a new node has taken over at block ${this.#loadedAt}, in ${elapsed} s`);
  }

  /** From the lease on there is no way back, and nothing that fails. */
  async #handOver(
    next: AnvilNode,
    { mayLose, headHash }: { readonly mayLose: boolean; readonly headHash: Hex },
  ): Promise<void> {
    const { memory, lease, lines, isAutomatic, onNode } = this.#options;
    const { rpc } = next;
    const { timestamp } = await readBlock(this.#node.rpc, 'latest');
    const now = Math.floor(Date.now() / 1_000);
    // Whoever has moved the time forward finds it there.
    await rpc.call('anvil_setTime', Math.max(now, Number(timestamp)));
    const commit = await memory.move({ from: this.#node.rpc, to: rpc, mayLose });
    if (isAutomatic) await rpc.call('evm_setAutomine', true);
    // A node that mines by itself may have done so since its state was read.
    const last = await readBlock(this.#node.rpc, 'latest');
    if (last.hash !== headHash) throw new Error('a block was mined meanwhile');
    if (this.#isEnding) throw new Error('the devnet is stopping');
    await lease.begin(next.port);
    commit();
    for (const line of lines) line.switchTo(rpc.url);
    this.#node = next;
    this.#watch(next);
    onNode(next);
  }

  #watch(node: AnvilNode): void {
    void node.exited.then(() => {
      if (this.#node === node) this.#end();
      if (this.#past?.node === node) this.#past = null;
    });
  }
}
