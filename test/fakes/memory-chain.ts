// A small EVM chain in memory that serves reads like a node: blocks, logs, receipts, senders.

import { keccak256, stringToHex } from 'viem';
import { computeLogsBloom } from '../../src/chains/evm/data/logs-bloom.ts';
import { RpcFault, type TrueAnswer } from './misbehaving-rpc.ts';

export interface MemoryLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface MemoryTransaction {
  readonly from: string;
  readonly logs: readonly MemoryLog[];
}

export interface MemoryChainOptions {
  readonly chainId: number;
  /** Whether logs have their block's time, as on newer nodes. */
  readonly blockTimestamps: boolean;
  /** Whether headers and logs have the milliseconds of their block, too. */
  readonly milliseconds?: { readonly headers: boolean; readonly logs: boolean };
  /** Answers `eth_call` as of a block; throws `RpcFault` to revert. */
  call?(to: string, data: string, block: number): string;
  /** Answers `eth_getCode`; nobody has code unless told. */
  code?(address: string): string;
  /** From one block to the next; two seconds by default. Blocks have their time in seconds. */
  readonly blockMs?: number;
  /** The time of block 0, in milliseconds. */
  readonly startMs?: number;
  /** How far the final block is below the newest; 8 by default. */
  readonly finalityDepth?: number;
}

interface StoredBlock {
  readonly header: Record<string, unknown>;
  readonly transactions: readonly { hash: string; from: string }[];
  readonly logs: readonly Record<string, unknown>[];
}

const START_MS = 1_700_000_000_000;
const GAS_EACH = 21_000;
const hex = (value: number) => `0x${value.toString(16)}`;

interface Filter {
  /** Instead of a range. */
  readonly blockHash?: string;
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
}

export class MemoryChain {
  readonly #options: MemoryChainOptions;
  readonly #blocks: StoredBlock[] = [];
  /** Of each block, by its hash and by those of its transactions. */
  readonly #numbers = new Map<string, number>();

  constructor(options: MemoryChainOptions, blocks: readonly StoredBlock[] = []) {
    this.#options = options;
    for (const block of blocks) this.#push(block);
    if (blocks.length === 0) this.add([]);
  }

  get head(): number {
    return this.#blocks.length - 1;
  }

  /** Of the block of that number, in milliseconds; blocks have whole seconds only. */
  timeOf(number: number): number {
    const { startMs = START_MS, blockMs = 2000 } = this.#options;
    return startMs + number * blockMs;
  }

  get finalized(): number {
    return this.#findFinalized(this.head);
  }

  #findFinalized(head: number): number {
    return Math.max(0, head - (this.#options.finalityDepth ?? 8));
  }

  /** For another chain that has the same blocks so far. */
  get blocks(): readonly StoredBlock[] {
    return this.#blocks;
  }

  /** Appends a block; `branch` makes its hash differ from another block at the same position. */
  add(transactions: readonly MemoryTransaction[], branch = 'main'): number {
    const number = this.#blocks.length;
    const hash = keccak256(stringToHex(`${branch}:${number}`));
    const parent = this.#blocks.at(-1)?.header['hash'] ?? `0x${'0'.repeat(64)}`;
    const { milliseconds } = this.#options;
    const timeMs = this.timeOf(number);
    const timestamp = hex(Math.floor(timeMs / 1000));
    const stored = transactions.map(({ from }, index) => ({
      hash: keccak256(stringToHex(`${branch}:${number}:${index}`)),
      from,
    }));
    const flat = transactions.flatMap(({ logs }, index) =>
      logs.map((log) => ({ ...log, index, txHash: stored[index]!.hash })),
    );
    const logs = flat.map(({ txHash, index, ...log }, logIndex) => ({
      ...log,
      blockNumber: hex(number),
      blockHash: hash,
      transactionHash: txHash,
      transactionIndex: hex(index),
      logIndex: hex(logIndex),
      removed: false,
      ...(this.#options.blockTimestamps ? { blockTimestamp: timestamp } : {}),
      ...(milliseconds?.logs === true ? { blockTimestampMs: hex(timeMs) } : {}),
    }));
    const bloom = computeLogsBloom(flat as unknown as Parameters<typeof computeLogsBloom>[0]);
    this.#push({
      header: {
        number: hex(number),
        hash,
        parentHash: parent,
        timestamp,
        ...(milliseconds?.headers === true ? { timestampMs: hex(timeMs) } : {}),
        gasUsed: hex(GAS_EACH * stored.length),
        logsBloom: `0x${Buffer.from(bloom).toString('hex')}`,
      },
      transactions: stored,
      logs,
    });
    return number;
  }

  /** Removes the last blocks, like a reorganisation before it adds others. */
  drop(count: number): void {
    const dropped = this.#blocks.splice(this.#blocks.length - count, count);
    for (const { header, transactions } of dropped) {
      this.#numbers.delete(String(header['hash']));
      for (const { hash } of transactions) this.#numbers.delete(hash);
    }
  }

  #push(block: StoredBlock): void {
    const number = this.#blocks.push(block) - 1;
    this.#numbers.set(String(block.header['hash']), number);
    for (const { hash } of block.transactions) this.#numbers.set(hash, number);
  }

  /** A block's header as a node announces it: without transactions. */
  announcementOf(number: number): unknown {
    return this.#blocks[number]?.header ?? null;
  }

  /** A node that has not reached more than `head`. */
  answerUpTo(head: number): TrueAnswer {
    return (method, params) => this.#answer(method, params, head);
  }

  readonly answer: TrueAnswer = (method, params) => this.#answer(method, params, this.head);

  #answer(method: string, params: readonly unknown[], head: number): unknown {
    switch (method) {
      case 'eth_chainId':
        return hex(this.#options.chainId);
      case 'eth_blockNumber':
        return hex(head);
      case 'eth_getBlockByNumber':
        return this.#findBlock(String(params[0]), params[1] === true, head);
      case 'eth_getLogs':
        return this.#findLogs(params[0] as Filter, head);
      case 'eth_getBlockReceipts':
        return this.#buildReceipts(Number(params[0]));
      case 'eth_getTransactionReceipt':
        return this.#findReceipt(String(params[0]));
      case 'eth_getTransactionByHash':
        return this.#findTransaction(String(params[0]));
      case 'eth_call': {
        const { to, data } = params[0] as { to: string; data: string };
        return this.#options.call?.(to, data, this.#findCalled(params[1], head)) ?? '0x';
      }
      case 'eth_getCode':
        return this.#options.code?.(String(params[0])) ?? '0x';
      default:
        throw new RpcFault(-32601, `the method ${method} does not exist/is not available`);
    }
  }

  /** Nodes know a block that calls ask for by its number or its hash. */
  #findCalled(tag: unknown, head: number): number {
    const { blockHash } = (tag ?? {}) as { blockHash?: string };
    const isNewest = tag === undefined || tag === 'latest';
    const number =
      blockHash === undefined
        ? Number(isNewest ? head : tag)
        : (this.#numbers.get(blockHash) ?? -1);
    if (number < 0 || number > head) throw new RpcFault(-32000, 'header not found');
    return number;
  }

  #findBlock(tag: string, full: boolean, head: number): unknown {
    const number =
      tag === 'latest' ? head : tag === 'finalized' ? this.#findFinalized(head) : Number(tag);
    const block = number <= head ? this.#blocks[number] : undefined;
    if (block === undefined) return null;
    const { transactions } = block;
    return {
      ...block.header,
      transactions: full ? transactions : transactions.map((tx) => tx.hash),
    };
  }

  #findLogs(filter: Filter, head: number): unknown[] {
    const found: unknown[] = [];
    const [from, to] = this.#findRange(filter, head);
    const isOneOf = (wanted: string | readonly string[] | null | undefined, value?: string) =>
      wanted == null || [wanted].flat().includes(value ?? '');
    for (let n = from; n <= Math.min(head, to); n += 1) {
      for (const log of this.#blocks[n]?.logs ?? []) {
        const topics = log['topics'] as string[];
        if (!isOneOf(filter.address, String(log['address']))) continue;
        if (filter.topics?.every((wanted, at) => isOneOf(wanted, topics[at])) === false) continue;
        found.push(log);
      }
    }
    return found;
  }

  #findRange(filter: Filter, head: number): [from: number, to: number] {
    const { blockHash } = filter;
    if (blockHash === undefined) return [Number(filter.fromBlock), Number(filter.toBlock)];
    const number = this.#numbers.get(blockHash) ?? -1;
    if (number < 0 || number > head) throw new RpcFault(-32000, 'unknown block');
    return [number, number];
  }

  #findReceipt(hash: string): unknown {
    const receipts = this.#buildReceipts(this.#numbers.get(hash) ?? -1) as
      | { transactionHash: string }[]
      | null;
    return receipts?.find((receipt) => receipt.transactionHash === hash) ?? null;
  }

  #buildReceipts(number: number): unknown {
    const block = this.#blocks[number];
    if (block === undefined) return null;
    return block.transactions.map((tx, index) => ({
      transactionHash: tx.hash,
      blockHash: block.header['hash'],
      from: tx.from,
      cumulativeGasUsed: hex(GAS_EACH * (index + 1)),
      logs: block.logs.filter((log) => log['transactionHash'] === tx.hash),
    }));
  }

  #findTransaction(hash: string): unknown {
    const block = this.#blocks[this.#numbers.get(hash) ?? -1];
    const tx = block?.transactions.find((one) => one.hash === hash);
    if (block === undefined || tx === undefined) return null;
    return { ...tx, blockHash: block.header['hash'], blockNumber: block.header['number'] };
  }
}
