// The embedded chain: transactions wait for the next block, blocks are sealed one after the other,
// and the newest ones may be replaced by another branch.
//
// Transactions run only when their block is sealed, so accounts are always those of the newest
// block. A fork puts back what the replaced blocks changed and replays their transactions in
// others; those whose blockhash was in a replaced block are lost, as on a real chain.

import { createHash } from 'node:crypto';
import { encodeBase58Data } from '../../src/chains/solana/data/base58-data.ts';
import { ChainFault } from './chain-fault.ts';
import type { ChainLedger, LedgerBlock, LedgerTransaction } from './chain-ledger.ts';
import { type AccountChange, executeTransaction } from './execute-transaction.ts';
import type { ChainAccount, SimulatedRun, Svm } from './svm.ts';
import { parseWireTransaction, type WireTransaction } from './wire-transaction.ts';

/** How many blocks a blockhash is recent for. */
export const RECENT_BLOCKS = 150;
/** Blocks this far below the newest one are final. */
export const FINAL_DEPTH = 32;
/** Transactions that wait; more are refused. */
const WAITING_MAX = 512;
/** Some three days at 2.5 blocks a second. Older ones are forgotten, a few at a time. */
const BLOCKS_KEPT = 600_000;
/** Of the blocks that are kept, which part may be too many. */
const PRUNED_SHARE = 600;

const NO_HASH = '1'.repeat(32);

interface WaitingTransaction {
  readonly bytes: Buffer;
  readonly wire: WireTransaction;
}

/** A sealed block that is not final, and what it replaced. */
interface OpenBlock {
  readonly slot: number;
  readonly before: ReadonlyMap<string, ChainAccount | null>;
}

interface SealOptions {
  readonly seconds: number;
  /** Slots without a block before this one. */
  readonly skipped?: number;
}

function hashBlock(parent: string, parts: readonly (string | number)[]): string {
  const hash = createHash('sha256').update(parent).update(JSON.stringify(parts)).digest();
  return encodeBase58Data(hash);
}

export class SolanaChain {
  readonly svm: Svm;
  readonly ledger: ChainLedger;
  readonly genesisHash: string;
  #waiting: WaitingTransaction[] = [];
  /** Newest first, at least as many as are recent. */
  #recent: LedgerBlock[];
  #open: OpenBlock[] = [];
  #branch = 0;
  readonly #blocksKept: number;

  /** Loads what the ledger has; with an empty one, the caller's accounts are the genesis. */
  constructor(options: {
    readonly svm: Svm;
    readonly ledger: ChainLedger;
    readonly genesisHash: string;
    readonly blocksKept?: number;
    readonly genesis: {
      readonly seconds: number;
      readonly accounts: ReadonlyMap<string, ChainAccount>;
    };
  }) {
    const { svm, ledger, genesisHash, genesis, blocksKept = BLOCKS_KEPT } = options;
    this.svm = svm;
    this.ledger = ledger;
    this.genesisHash = genesisHash;
    this.#blocksKept = blocksKept;
    if (ledger.findFirstSlot() === null) {
      const first = { slot: 0, height: 0, hash: hashBlock(genesisHash, [0]) };
      const block = { ...first, parentSlot: 0, parentHash: NO_HASH, seconds: genesis.seconds };
      ledger.inTransaction(() => {
        for (const [address, account] of genesis.accounts) ledger.writeAccount(address, account);
        ledger.addBlock(block, []);
      });
    }
    for (const [address, account] of ledger.listAccounts()) svm.write(address, account);
    this.#recent = ledger.listLastBlocks(RECENT_BLOCKS + FINAL_DEPTH);
  }

  get head(): LedgerBlock {
    const [head] = this.#recent;
    if (head === undefined) throw new Error('the chain has no block');
    return head;
  }

  /** Blocks of before a restart are all final. */
  get finalizedSlot(): number {
    return this.#open.length === 0 ? this.head.slot : this.#findParentOfOpen().slot;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  isRecent(blockhash: string): boolean {
    return this.#recent.slice(0, RECENT_BLOCKS).some(({ hash }) => hash === blockhash);
  }

  /** The hash of the block so far below the newest one. */
  findBlockhash(depth: number): string {
    return (this.#recent[Math.min(depth, this.#recent.length - 1)] ?? this.head).hash;
  }

  read(address: string): ChainAccount | null {
    return this.svm.read(address);
  }

  /** Returns the signature. Throws an `ChainFault` if the transaction cannot succeed as it is. */
  submit(bytes: Buffer, { isChecked = true }: { readonly isChecked?: boolean } = {}): string {
    const wire = this.#parse(bytes);
    const signature = wire.signatures[0] ?? '';
    if (this.#isKnown(signature)) return signature;
    if (this.#waiting.length >= WAITING_MAX) throw new ChainFault(-32005, 'too many transactions');
    const simulation = isChecked ? this.#simulateWire(wire, bytes, true) : null;
    if (simulation !== null && simulation.err !== null) {
      const { err, logs, unitsConsumed } = simulation;
      const message = `Transaction simulation failed: ${JSON.stringify(err)}`;
      throw new ChainFault(-32002, message, { err, logs, unitsConsumed, accounts: null });
    }
    this.#waiting.push({ bytes, wire });
    return signature;
  }

  simulate(
    bytes: Buffer,
    options: { readonly isVerified: boolean; readonly replacesBlockhash: boolean },
  ): SimulatedRun {
    const wire = this.#parse(bytes);
    if (options.replacesBlockhash) return this.svm.simulate(bytes, false);
    return this.#simulateWire(wire, bytes, options.isVerified);
  }

  #simulateWire(wire: WireTransaction, bytes: Buffer, isVerified: boolean): SimulatedRun {
    if (this.isRecent(wire.recentBlockhash)) return this.svm.simulate(bytes, isVerified);
    const nothing = { logs: [], inner: [], unitsConsumed: 0, returnData: null };
    return { ...nothing, err: 'BlockhashNotFound', accounts: new Map() };
  }

  #parse(bytes: Buffer): WireTransaction {
    try {
      return parseWireTransaction(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new ChainFault(-32602, `invalid transaction: ${error.message}`);
    }
  }

  #isKnown(signature: string): boolean {
    const isWaiting = this.#waiting.some(({ wire }) => wire.signatures[0] === signature);
    return isWaiting || this.ledger.findSignature(signature) !== null;
  }

  /** Makes the next block of what waits. */
  seal({ seconds, skipped = 0 }: SealOptions): LedgerBlock {
    const parent = this.head;
    const slot = parent.slot + 1 + skipped;
    const time = Math.max(seconds, parent.seconds);
    this.svm.setTime({ slot, seconds: time }, parent);
    const executed = this.#executeWaiting();
    const signatures = executed.map(({ executed: { signature } }) => signature);
    const block = {
      ...{ slot, height: parent.height + 1, seconds: time },
      ...{ parentSlot: parent.slot, parentHash: parent.hash },
      hash: hashBlock(parent.hash, [slot, this.#branch, ...signatures]),
    };
    this.ledger.inTransaction(() => {
      this.ledger.addBlock(block, executed);
      this.#prune(block);
    });
    this.#recent.unshift(block);
    this.#recent.length = Math.min(this.#recent.length, RECENT_BLOCKS + FINAL_DEPTH);
    this.#open.push({ slot, before: this.#gatherBefore(executed) });
    if (this.#open.length > FINAL_DEPTH) this.#open.shift();
    return block;
  }

  #executeWaiting(): LedgerTransaction[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting.flatMap(({ bytes, wire }) => {
      if (!this.isRecent(wire.recentBlockhash)) return [];
      const executed = executeTransaction(this.svm, wire, bytes);
      return executed === null ? [] : [{ bytes, executed }];
    });
  }

  /** Of every account that a block changed, what it was before. */
  #gatherBefore(executed: readonly LedgerTransaction[]): Map<string, ChainAccount | null> {
    const before = new Map<string, ChainAccount | null>();
    const add = (changes: ReadonlyMap<string, AccountChange>) => {
      for (const [address, change] of changes) {
        if (!before.has(address)) before.set(address, change.before);
      }
    };
    for (const { executed: one } of executed) add(one.changes);
    return before;
  }

  #prune({ height, slot }: LedgerBlock): void {
    const step = Math.ceil(this.#blocksKept / PRUNED_SHARE);
    if (height <= this.#blocksKept || height % step !== 0) return;
    // Slots are at least as many as blocks, so this keeps fewer blocks than the limit.
    this.ledger.prune(slot - this.#blocksKept);
  }

  #findParentOfOpen(): LedgerBlock {
    const parent = this.#recent[this.#open.length];
    return parent ?? this.head;
  }

  /**
   * Replaces the newest blocks by as many others, in later slots. Their transactions are replayed,
   * but for those that `drops` names by their place. Throws if a block of them is final.
   */
  fork(
    depth: number,
    options: { readonly seconds: number; readonly drops?: (place: number) => boolean },
  ): void {
    if (depth < 1 || depth > this.#open.length) {
      throw new ChainFault(-32602, `1 to ${this.#open.length} blocks can be replaced`);
    }
    const { seconds, drops = () => false } = options;
    const newest = this.head.slot;
    const slots = this.#open.slice(-depth).map(({ slot }) => slot);
    const replayed = slots.map((slot) => this.ledger.listBytes(slot));
    this.ledger.inTransaction(() => {
      for (let count = 0; count < depth; count += 1) this.#takeBack();
    });
    this.#branch += 1;
    const waiting = this.#waiting;
    let place = 0;
    for (const [index, transactions] of replayed.entries()) {
      const kept = transactions.filter(() => !drops(place++));
      this.#waiting = kept.map((bytes) => ({ bytes, wire: parseWireTransaction(bytes) }));
      // Every slot of the old branch is skipped on the new one.
      this.seal({ seconds, skipped: index === 0 ? newest - this.head.slot : 0 });
    }
    this.#waiting = waiting;
  }

  #takeBack(): void {
    const last = this.#open.pop();
    if (last === undefined) throw new Error('there is no block to take back');
    this.ledger.removeBlock(last.slot);
    for (const [address, account] of last.before) {
      this.svm.write(address, account);
      this.ledger.writeAccount(address, account);
    }
    this.#recent.shift();
  }
}
