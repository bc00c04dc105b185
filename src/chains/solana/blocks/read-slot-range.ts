// Blocks of a range of slots, linked by hash. A slot counts as skipped only once a later block
// names an earlier parent: a node that leaves a block out, or calls it skipped, cannot hide it.

import { RpcError } from '../../rpc/rpc-error.ts';
import type { SlotHeader } from '../rpc/parse-solana-block.ts';
import {
  type BlockDetail,
  type BlockWith,
  listSlots,
  readExistingBlock,
} from '../rpc/slot-blocks.ts';
import { type Commitment, refuseReply, type SolanaNode } from '../rpc/solana-node.ts';

interface SlotRange<T> {
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly detail: BlockDetail<T>;
  /** Stop early, after this many blocks. */
  readonly blockCountMax: number;
  readonly commitment?: Commitment | undefined;
}

interface SlotReading<T> {
  /** At least one. */
  readonly blocks: readonly BlockWith<T>[];
  /** Every slot up to here has its block in `blocks`, or provably none. */
  readonly toSlot: number;
}

/** Blocks asked for at once; one may take several megabytes. */
const AHEAD_MAX = 8;
/** About as many slots as blocks are wanted are listed at once; more if they are empty. */
const LISTED_MIN = 32;
/** The most that nodes list at once. */
const LISTED_MAX = 500_000;

/** Reads one slot after the other, and the parents that the node did not list. */
class SlotWalk<T> {
  readonly blocks: BlockWith<T>[] = [];
  readonly #node: SolanaNode;
  readonly #range: SlotRange<T>;
  readonly #signal: AbortSignal | undefined;
  readonly #ahead = new Map<number, Promise<BlockWith<T> | null>>();

  constructor(node: SolanaNode, range: SlotRange<T>, signal: AbortSignal | undefined) {
    this.#node = node;
    this.#range = range;
    this.#signal = signal;
  }

  /** Reads the slots until one is not there yet, or there are enough blocks. */
  async addAll(slots: readonly number[]): Promise<void> {
    for (const [index, slot] of slots.entries()) {
      // Not those of the next range, which would be read twice.
      const ahead = Math.min(AHEAD_MAX, this.#range.blockCountMax - this.blocks.length);
      for (const next of slots.slice(index, index + ahead)) this.#prefetch(next);
      if (slot <= (this.blocks.at(-1)?.header.position ?? -1)) continue;
      if (!(await this.#add(slot)) || this.blocks.length >= this.#range.blockCountMax) return;
    }
  }

  #prefetch(slot: number): void {
    if (this.#ahead.has(slot)) return;
    const reading = this.#read(slot);
    // Its failure counts once its turn comes, which may be never.
    reading.catch(() => undefined);
    this.#ahead.set(slot, reading);
  }

  #read(slot: number): Promise<BlockWith<T> | null> {
    const { detail, commitment } = this.#range;
    return readExistingBlock(this.#node, { slot, detail, commitment }, this.#signal);
  }

  /** False if the node does not have the block, or one before it, yet. */
  async #add(slot: number): Promise<boolean> {
    // A parent that the node did not list is added first, and so on: a stack, not a recursion,
    // because a node may leave out any number of blocks.
    const open: BlockWith<T>[] = [];
    for (let next = slot; ; ) {
      const found = await (this.#ahead.get(next) ?? this.#read(next));
      this.#ahead.delete(next);
      if (found === null) return false;
      open.push(found);
      const { parentPosition } = found.header;
      const known = this.blocks.at(-1)?.header.position ?? this.#range.fromSlot - 1;
      if (parentPosition <= known) break;
      if (open.length > LISTED_MIN) {
        return refuseReply(this.#node, `blocks before ${slot} are missing in its list`);
      }
      next = parentPosition;
    }
    for (const block of open.reverse()) {
      this.#assertLinked(block.header);
      this.blocks.push(block);
    }
    return true;
  }

  #assertLinked({ position, parentPosition, parentHash }: SlotHeader): void {
    const last = this.blocks.at(-1)?.header;
    if (last === undefined) return;
    if (parentPosition === last.position && parentHash === last.hash) return;
    refuseReply(this.#node, `block ${position} does not follow block ${last.position}`);
  }
}

/** The next slots with blocks; a gap of any length is passed over. */
async function listNext(
  node: SolanaNode,
  range: Pick<SlotRange<unknown>, 'fromSlot' | 'toSlot' | 'commitment'> & {
    readonly count: number;
  },
  signal?: AbortSignal,
): Promise<number[]> {
  const { commitment } = range;
  let { fromSlot } = range;
  let length = Math.max(LISTED_MIN, Math.min(LISTED_MAX, 2 * range.count));
  for (;;) {
    const toSlot = Math.min(range.toSlot, fromSlot + length - 1);
    const slots = await listSlots(node, { fromSlot, toSlot, commitment }, signal);
    if (slots.length > 0 || toSlot === range.toSlot) return slots;
    fromSlot = toSlot + 1;
    length = LISTED_MAX;
  }
}

/**
 * Blocks may come yet, unless there are later ones: then the node has replaced those that were
 * there. To wait for them would be in vain, so this read fails at once, and the head is read again.
 */
async function explainNone<T>(
  node: SolanaNode,
  { fromSlot, toSlot }: SlotRange<T>,
  signal?: AbortSignal,
): Promise<never> {
  const after = { fromSlot: toSlot + 1, toSlot: toSlot + LISTED_MIN };
  const isPassed = (await listSlots(node, after, signal)).length > 0;
  const problem = `${node.name}: has no block from ${fromSlot} to ${toSlot}`;
  const about = { endpoint: node.name };
  if (isPassed) throw new RpcError('stateUnavailable', `${problem} any more`, about);
  throw new RpcError('lagging', `${problem} yet`, about);
}

/**
 * Rejects with `invalidReply` if the node contradicts itself, with `lagging` if it has no block of
 * the range yet, and with `stateUnavailable` if it has left the branch that has some.
 */
export async function readSlotRange<T>(
  node: SolanaNode,
  range: SlotRange<T>,
  signal?: AbortSignal,
): Promise<SlotReading<T>> {
  const { fromSlot, toSlot, blockCountMax, commitment } = range;
  const walk = new SlotWalk(node, range, signal);
  const slots = await listNext(
    node,
    { fromSlot, toSlot, commitment, count: blockCountMax },
    signal,
  );
  await walk.addAll(slots);
  const last = walk.blocks.at(-1);
  if (last === undefined) return await explainNone(node, range, signal);
  return { blocks: walk.blocks, toSlot: last.header.position };
}
