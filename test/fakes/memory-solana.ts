// A Solana chain in memory, at the network's edge: blocks by slot, accounts as they are now.

import {
  listAccountKeys,
  type RawTransaction,
} from '../../src/chains/solana/data/raw-transaction.ts';
import { decodeBase58, encodeBase58 } from '../../src/lib/base58.ts';
import { RpcFault } from './misbehaving-rpc.ts';

/** Wallets take hashes of 32 bytes only; blocks here have plain names. */
function toBlockhash(slot: number): string {
  const bytes = Buffer.alloc(32, 9);
  bytes.writeUInt32LE(slot);
  return encodeBase58(bytes);
}

interface MemoryBlock {
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly parentSlot: number;
  readonly blockTime: number | null;
  readonly transactions: readonly RawTransaction[];
}

export interface MemoryAccount {
  readonly owner: string;
  readonly data: Uint8Array;
  /** 1 by default. */
  readonly lamports?: number;
}

interface AddOptions {
  readonly transactions?: readonly RawTransaction[];
  readonly blockTime?: number | null;
  /** Tells blocks of one slot apart after a fork. */
  readonly branch?: string;
}

interface CallConfig {
  readonly commitment?: string;
  readonly transactionDetails?: string;
  readonly maxSupportedTransactionVersion?: number;
  readonly minContextSlot?: number;
  readonly limit?: number;
  readonly before?: string;
  readonly until?: string;
}

interface ProgramConfig {
  readonly filters: readonly {
    readonly dataSize?: number;
    readonly memcmp?: { readonly offset: number; readonly bytes: string };
  }[];
  readonly dataSlice: { readonly offset: number; readonly length: number };
}

/** As nodes refuse what the caller says it does not know. */
function assertVersion(transaction: object, config: CallConfig): void {
  const { version } = transaction as { version?: number | 'legacy' };
  if (version === undefined || version === 'legacy') return;
  if (version <= (config.maxSupportedTransactionVersion ?? -1)) return;
  const problem = `Transaction version (${version}) is not supported by the requesting client`;
  throw new RpcFault(-32015, problem);
}

export class MemorySolana {
  readonly genesis: string;
  readonly blocks = new Map<number, MemoryBlock>();
  readonly accounts = new Map<string, MemoryAccount>();
  /** Of transactions in blocks that are not confirmed yet, by signature. */
  readonly unconfirmed = new Map<string, object>();
  finalized = 0;
  /** What recent blocks charged for a compute unit, in 1e-6 lamports. */
  unitPrices: readonly number[] = [0, 0, 20_000, 30_000];
  /** The accounts that its fees were asked for, each time. */
  readonly pricedAccounts: (readonly string[])[] = [];
  /** Answers a simulation of the transaction in base64; none by default. */
  simulate: (transaction: string) => object = () => ({ err: 'BlockhashNotFound', logs: [] });

  constructor(genesis = 'GenesisOfTheTestChain11111111111111111111111') {
    this.genesis = genesis;
  }

  get head(): number {
    return Math.max(...this.blocks.keys());
  }

  /** Slots between the last block and this one are skipped. */
  add(slot: number, { transactions = [], blockTime = slot, branch = '' }: AddOptions = {}): void {
    const parentSlot = this.blocks.size === 0 ? Math.max(0, slot - 1) : this.head;
    const previousBlockhash = this.blocks.get(parentSlot)?.blockhash ?? `hash${parentSlot}`;
    const block = { previousBlockhash, parentSlot, blockTime, transactions };
    this.blocks.set(slot, { ...block, blockhash: `hash${slot}${branch}` });
  }

  /** Takes blocks from a slot on away. */
  cut(slot: number): void {
    for (const each of [...this.blocks.keys()]) if (each >= slot) this.blocks.delete(each);
  }

  readonly answer = (method: string, params: readonly unknown[]): unknown => {
    const config = (params.at(-1) ?? {}) as CallConfig;
    if ((config.minContextSlot ?? 0) > this.head) throw new RpcFault(-32016, 'not reached');
    const [first, second] = params;
    switch (method) {
      case 'getGenesisHash':
        return this.genesis;
      case 'getFirstAvailableBlock':
        return Math.min(...this.blocks.keys());
      case 'getSlot':
      case 'getBlockHeight':
        return this.#newest(config);
      case 'getBlocks':
        return this.#listSlots(Number(first), Math.min(Number(second), this.#newest(config)));
      case 'getBlock':
        return this.#readBlock(Number(first), config);
      case 'getSignatureStatuses':
        return { value: (first as string[]).map((each) => this.unconfirmed.get(each) ?? null) };
      case 'getTransaction':
        return this.#readTransaction(String(first), config);
      case 'getSignaturesForAddress':
        return this.#listSignatures(String(first), config);
      case 'getMultipleAccounts':
        return this.#readAccounts(first as string[]);
      case 'getTokenAccountsByOwner':
        return this.#listTokenAccounts(String(first), (second as { mint: string }).mint);
      case 'getProgramAccounts':
        return this.#listProgram(String(first), second as ProgramConfig);
      case 'getRecentPrioritizationFees':
        this.pricedAccounts.push(first as string[]);
        return this.unitPrices.map((prioritizationFee) => ({ slot: this.head, prioritizationFee }));
      case 'getMinimumBalanceForRentExemption':
        return (128 + Number(first)) * 6960;
      case 'getLatestBlockhash':
        return {
          value: { blockhash: toBlockhash(this.head), lastValidBlockHeight: this.head + 150 },
        };
      case 'simulateTransaction':
        return { context: { slot: this.head }, value: this.simulate(String(first)) };
      default:
        throw new RpcFault(-32601, 'Method not found');
    }
  };

  #newest({ commitment }: CallConfig): number {
    return commitment === 'finalized' ? this.finalized : this.head;
  }

  #listSlots(from: number, to: number): number[] {
    const slots = [...this.blocks.keys()].sort((a, b) => a - b);
    return slots.filter((slot) => slot >= from && slot <= to);
  }

  #readBlock(slot: number, { transactionDetails, ...config }: CallConfig): unknown {
    const block = slot > this.#newest(config) ? undefined : this.blocks.get(slot);
    if (block === undefined && slot > this.#newest(config))
      throw new RpcFault(-32004, 'not available');
    if (block === undefined) throw new RpcFault(-32007, `Slot ${slot} was skipped`);
    const { transactions, ...header } = block;
    if (transactionDetails === 'none') return header;
    if (transactionDetails === 'full') {
      for (const transaction of transactions) assertVersion(transaction, config);
      return block;
    }
    const signatures = transactions.map(({ transaction }) => transaction.signatures[0]);
    return { ...header, signatures };
  }

  /** Newest first. */
  *#walk(): Generator<{ slot: number; raw: RawTransaction }> {
    for (const slot of this.#listSlots(0, this.head).reverse()) {
      for (const raw of [...(this.blocks.get(slot)?.transactions ?? [])].reverse()) {
        yield { slot, raw };
      }
    }
  }

  #readTransaction(signature: string, config: CallConfig): unknown {
    for (const { slot, raw } of this.#walk()) {
      if (raw.transaction.signatures[0] !== signature) continue;
      assertVersion(raw, config);
      return { slot, blockTime: this.blocks.get(slot)?.blockTime ?? null, ...raw };
    }
    return null;
  }

  #listSignatures(account: string, { limit = 1000, before, until }: CallConfig): unknown[] {
    const walked = [...this.#walk()];
    const placeOf = (wanted: string | undefined) =>
      wanted === undefined
        ? -1
        : walked.findIndex(({ raw }) => raw.transaction.signatures[0] === wanted);
    const start = placeOf(before);
    // Any signature of the ledger will do, whatever it names; of an unknown one nothing is listed.
    if (before !== undefined && start < 0) return [];
    const end = placeOf(until);
    return walked
      .slice(start + 1, end < 0 ? undefined : end)
      .filter(({ raw }) => listAccountKeys(raw).includes(account))
      .slice(0, limit)
      .map(({ slot, raw }) => ({
        ...{ slot, signature: raw.transaction.signatures[0], err: raw.meta?.err ?? null },
      }));
  }

  /** Token accounts begin with their mint and their owner. */
  #listTokenAccounts(owner: string, mint: string): unknown {
    const wanted = Buffer.concat([mint, owner].map((key) => decodeBase58(key) ?? Buffer.alloc(32)));
    const value = [...this.accounts].flatMap(([pubkey, { owner: program, data }]) => {
      const isOwn = data.length >= 165 && wanted.equals(data.subarray(0, 64));
      const encoded = [Buffer.from(data).toString('base64'), 'base64'];
      return isOwn ? [{ pubkey, account: { owner: program, data: encoded } }] : [];
    });
    return { context: { slot: this.head }, value };
  }

  #listProgram(program: string, { filters, dataSlice }: ProgramConfig): unknown {
    const matches = ({ data, owner }: MemoryAccount) =>
      owner === program &&
      filters.every(({ dataSize, memcmp }) => {
        const start = Buffer.from(data).subarray(memcmp?.offset ?? 0);
        const bytes = decodeBase58(memcmp?.bytes ?? '') ?? Buffer.alloc(0);
        return (dataSize ?? data.length) === data.length && start.indexOf(bytes) === 0;
      });
    const { offset, length } = dataSlice;
    const value = [...this.accounts].flatMap(([pubkey, account]) => {
      if (!matches(account)) return [];
      const part = Buffer.from(account.data).subarray(offset, offset + length);
      const { owner, data } = account;
      const shown = { owner, space: data.length, data: [part.toString('base64'), 'base64'] };
      return [{ pubkey, account: shown }];
    });
    return { context: { slot: this.head }, value };
  }

  #readAccounts(keys: readonly string[]): unknown {
    const value = keys.map((key) => {
      const account = this.accounts.get(key);
      if (account === undefined) return null;
      const data = [Buffer.from(account.data).toString('base64'), 'base64'];
      const { owner, lamports = 1 } = account;
      return { owner, data, lamports, executable: false };
    });
    return { context: { slot: this.head }, value };
  }
}
