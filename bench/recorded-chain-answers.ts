// Answers a node's read methods from a recorded chain, mostly with prepared bytes.

import type { ContractCalls } from './recorded-chain-contracts.ts';
import type { ChainRecording, TextList } from './recorded-chain-recorder.ts';

/** The JSON of a result, in parts. */
export type RecordedAnswer = readonly Uint8Array[];

export interface RpcRequest {
  readonly id: number | string | null;
  readonly method: string;
  readonly params?: readonly unknown[];
}

export class UnknownMethod extends Error {}

interface Filter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | readonly string[] | null;
  readonly topics?: readonly (string | readonly string[] | null)[];
}

interface Transaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly transactionIndex: string;
}

const NULL = Buffer.from('null');
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

function json(value: unknown): RecordedAnswer {
  return [Buffer.from(JSON.stringify(value))];
}

function textAt(list: TextList, index: number): Buffer {
  return list.bytes.subarray(list.offsets[index], list.offsets[index + 1]);
}

function toSet(wanted: string | readonly string[] | null | undefined): Set<string> | null {
  if (wanted === null || wanted === undefined) return null;
  return new Set((typeof wanted === 'string' ? [wanted] : wanted).map((one) => one.toLowerCase()));
}

export class RecordedAnswers {
  readonly #recording: ChainRecording;
  readonly #call: ContractCalls;

  constructor(recording: ChainRecording, call: ContractCalls) {
    this.#recording = recording;
    this.#call = call;
  }

  answer({ method, params = [] }: RpcRequest): RecordedAnswer {
    const { chainId, head, blockByHash } = this.#recording;
    switch (method) {
      case 'eth_chainId':
        return json(`0x${chainId.toString(16)}`);
      case 'net_version':
        return json(String(chainId));
      case 'web3_clientVersion':
        return json('recorded-chain/1');
      case 'eth_blockNumber':
        return json(`0x${head.toString(16)}`);
      case 'eth_getBlockByNumber':
        return this.#readBlock(this.#findNumber(String(params[0])), params[1] === true);
      case 'eth_getBlockByHash':
        return this.#readBlock(blockByHash.get(String(params[0])) ?? -1, params[1] === true);
      case 'eth_getLogs':
        return this.#readLogs(params[0] as Filter);
      case 'eth_getBlockReceipts':
        return this.#buildReceipts(String(params[0]));
      case 'eth_getTransactionByHash':
        return json(this.#findTransaction(String(params[0]))?.transaction ?? null);
      case 'eth_getTransactionReceipt':
        return this.#findReceipt(String(params[0]));
      case 'eth_getCode':
        return json('0x60');
      case 'eth_call': {
        const { to, data } = params[0] as { to: string; data: string };
        return json(this.#call(to, data));
      }
      default:
        throw new UnknownMethod(method);
    }
  }

  #findNumber(tag: string): number {
    const { head, finalized, blockByHash } = this.#recording;
    if (tag === 'latest' || tag === 'pending') return head;
    if (tag === 'finalized' || tag === 'safe') return finalized;
    if (tag === 'earliest') return 0;
    return tag.length === 66 ? (blockByHash.get(tag) ?? -1) : Number(tag);
  }

  #readBlock(number: number, full: boolean): RecordedAnswer {
    const { head, fullBlocks, lightBlocks } = this.#recording;
    if (!(number >= 0 && number <= head)) return [NULL];
    return [textAt(full ? fullBlocks : lightBlocks, number)];
  }

  #findRange(filter: Filter): { readonly from: number; readonly to: number } {
    const { head, blockByHash } = this.#recording;
    if (filter.blockHash !== undefined) {
      const number = blockByHash.get(filter.blockHash);
      return number === undefined ? { from: 0, to: -1 } : { from: number, to: number };
    }
    const to = Math.min(head, this.#findNumber(filter.toBlock ?? 'latest'));
    return { from: this.#findNumber(filter.fromBlock ?? 'latest'), to };
  }

  #readLogs(filter: Filter): RecordedAnswer {
    const { firstLogs, logs, logKinds, kinds } = this.#recording;
    const { from, to } = this.#findRange(filter);
    const first = from <= to ? firstLogs[from]! : 0;
    const end = from <= to ? firstLogs[to + 1]! : 0;
    if (first === end) return [OPEN, CLOSE];
    const addresses = toSet(filter.address);
    const topics = (filter.topics ?? []).map(toSet);
    const wanted = kinds.map(
      ({ address, topic }) => (addresses?.has(address) ?? true) && (topics[0]?.has(topic) ?? true),
    );
    const hasMoreTopics = topics.slice(1).some((topic) => topic !== null);
    if (!hasMoreTopics && wanted.every(Boolean)) {
      // Without the comma of the last log.
      const bytes = logs.bytes.subarray(logs.offsets[first], logs.offsets[end]! - 1);
      return [OPEN, bytes, CLOSE];
    }
    const parts: Buffer[] = [OPEN];
    for (let index = first; index < end; index += 1) {
      if (wanted[logKinds[index]!] !== true) continue;
      const bytes = textAt(logs, index);
      if (hasMoreTopics && !hasTopics(bytes, topics)) continue;
      parts.push(bytes);
    }
    if (parts.length > 1) parts.push(parts.pop()!.subarray(0, -1));
    return [...parts, CLOSE];
  }

  #buildReceipts(tag: string): RecordedAnswer {
    const number = this.#findNumber(tag);
    const [block] = this.#readBlock(number, true);
    if (block === undefined || block === NULL) return [NULL];
    const { firstLogs, logs } = this.#recording;
    const byTransaction = new Map<string, unknown[]>();
    for (let index = firstLogs[number]!; index < firstLogs[number + 1]!; index += 1) {
      const log = JSON.parse(textAt(logs, index).subarray(0, -1).toString());
      const own = byTransaction.get(log.transactionHash) ?? [];
      own.push(log);
      byTransaction.set(log.transactionHash, own);
    }
    const { hash, transactions, logsBloom } = JSON.parse(Buffer.from(block).toString());
    return json(
      transactions.map((transaction: Transaction) => ({
        transactionHash: transaction.hash,
        transactionIndex: transaction.transactionIndex,
        blockHash: hash,
        blockNumber: `0x${number.toString(16)}`,
        from: transaction.from,
        to: transaction.to,
        contractAddress: null,
        cumulativeGasUsed: '0x186a0',
        gasUsed: '0x186a0',
        effectiveGasPrice: '0x3b9aca00',
        logs: byTransaction.get(transaction.hash) ?? [],
        logsBloom,
        status: '0x1',
        type: '0x2',
      })),
    );
  }

  #findTransaction(
    hash: string,
  ): { readonly number: number; readonly transaction: Transaction } | null {
    const number = this.#recording.blockByTransaction.get(hash);
    if (number === undefined) return null;
    const block = JSON.parse(textAt(this.#recording.fullBlocks, number).toString());
    return {
      number,
      transaction: block.transactions.find((one: Transaction) => one.hash === hash),
    };
  }

  #findReceipt(hash: string): RecordedAnswer {
    const found = this.#findTransaction(hash);
    if (found === null) return [NULL];
    const [receipts] = this.#buildReceipts(`0x${found.number.toString(16)}`);
    const all = JSON.parse(Buffer.from(receipts!).toString()) as { transactionHash: string }[];
    return json(all.find(({ transactionHash }) => transactionHash === hash) ?? null);
  }
}

function hasTopics(bytes: Buffer, topics: readonly (Set<string> | null)[]): boolean {
  const log = JSON.parse(bytes.subarray(0, -1).toString()) as { topics: string[] };
  return topics.every((wanted, index) => wanted?.has(log.topics[index] ?? '') ?? true);
}
