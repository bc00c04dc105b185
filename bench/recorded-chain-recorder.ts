// Records a chain as a node serves it: blocks, transactions and logs as JSON bytes.

import { hash as digest } from 'node:crypto';
import type { EvmLog } from '../src/chains/evm/data/evm-log.ts';
import { computeLogsBloom } from '../src/chains/evm/data/logs-bloom.ts';

export interface RecordedLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface RecordedTransaction {
  readonly from: string;
  readonly to: string;
  readonly input: string;
  readonly logs: readonly RecordedLog[];
}

/** Many texts in one buffer; text `n` is between the offsets `n` and `n + 1`. */
export interface TextList {
  readonly bytes: Buffer;
  readonly offsets: readonly number[];
}

export interface ChainRecording {
  readonly chainId: number;
  readonly head: number;
  /** The last block with events: everything above it is empty and not final. */
  readonly finalized: number;
  /** With transaction hashes, and with full transactions, by block number. */
  readonly lightBlocks: TextList;
  readonly fullBlocks: TextList;
  /** Each log ends with a comma, so that any run of them is a list. */
  readonly logs: TextList;
  /** The first log of each block, and at the end the total number. */
  readonly firstLogs: readonly number[];
  /** Contract and first topic of each log, as an index into `kinds`. */
  readonly logKinds: readonly number[];
  readonly kinds: readonly { readonly address: string; readonly topic: string }[];
  readonly blockByHash: ReadonlyMap<string, number>;
  readonly blockByTransaction: ReadonlyMap<string, number>;
}

export interface RecorderOptions {
  readonly chainId: number;
  readonly blockTimeS: number;
  /** Whether logs have their block's time, as on current nodes. */
  readonly blockTimestamps: boolean;
}

const START_S = 1_700_000_000;
const ZERO_WORD = `0x${'0'.repeat(64)}`;
const MINER = `0x${'fe'.repeat(20)}`;
const TEXTS_PER_BUFFER = 4096;

function toQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** A hash cannot be recomputed without the signed bytes, so any unique word works. */
function hashText(text: string): string {
  return `0x${digest('sha256', text)}`;
}

class TextListWriter {
  readonly #buffers: Buffer[] = [];
  readonly #offsets: number[] = [0];
  #pending: string[] = [];
  #length = 0;

  add(text: string): void {
    this.#pending.push(text);
    this.#length += text.length;
    this.#offsets.push(this.#length);
    if (this.#pending.length === TEXTS_PER_BUFFER) this.#flush();
  }

  finish(): TextList {
    this.#flush();
    return { bytes: Buffer.concat(this.#buffers), offsets: this.#offsets };
  }

  #flush(): void {
    // It is all ASCII, so a character is a byte.
    this.#buffers.push(Buffer.from(this.#pending.join(''), 'latin1'));
    this.#pending = [];
  }
}

interface BlockPlace {
  readonly blockHash: string;
  readonly blockNumber: string;
}

function encodeTransaction(
  transaction: RecordedTransaction,
  place: BlockPlace & { readonly hash: string; readonly index: number; readonly chainId: number },
): string {
  return JSON.stringify({
    blockHash: place.blockHash,
    blockNumber: place.blockNumber,
    transactionIndex: toQuantity(place.index),
    hash: place.hash,
    type: '0x2',
    chainId: toQuantity(place.chainId),
    from: transaction.from,
    to: transaction.to,
    input: transaction.input,
    value: '0x0',
    nonce: '0x1',
    gas: '0x186a0',
    gasPrice: '0x3b9aca00',
    maxFeePerGas: '0x3b9aca00',
    maxPriorityFeePerGas: '0x1',
    accessList: [],
    r: place.hash,
    s: place.hash,
    v: '0x0',
    yParity: '0x0',
  });
}

export class ChainRecorder {
  readonly #options: RecorderOptions;
  readonly #light = new TextListWriter();
  readonly #full = new TextListWriter();
  readonly #logs = new TextListWriter();
  readonly #firstLogs: number[] = [0];
  readonly #logKinds: number[] = [];
  readonly #kinds = new Map<string, number>();
  readonly #blockByHash = new Map<string, number>();
  readonly #blockByTransaction = new Map<string, number>();
  #parentHash = ZERO_WORD;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.addBlock([]);
  }

  addBlock(transactions: readonly RecordedTransaction[]): void {
    const number = this.#firstLogs.length - 1;
    const blockNumber = toQuantity(number);
    const timestamp = toQuantity(START_S + number * this.#options.blockTimeS);
    const flat = transactions.flatMap(({ logs }) => logs);
    const bloom = computeLogsBloom(flat as readonly RecordedLog[] as unknown as readonly EvmLog[]);
    const logsBloom = `0x${Buffer.from(bloom).toString('hex')}`;
    const blockHash = hashText(`block ${number} ${this.#parentHash} ${logsBloom}`);
    const hashes = transactions.map((_, index) => hashText(`${blockHash} ${index}`));
    this.#blockByHash.set(blockHash, number);
    for (const hash of hashes) this.#blockByTransaction.set(hash, number);

    let logIndex = 0;
    for (const [index, { logs }] of transactions.entries()) {
      for (const log of logs) {
        this.#addLog(log, {
          blockNumber,
          blockHash,
          ...(this.#options.blockTimestamps ? { blockTimestamp: timestamp } : {}),
          transactionHash: hashes[index],
          transactionIndex: toQuantity(index),
          logIndex: toQuantity(logIndex),
          removed: false,
        });
        logIndex += 1;
      }
    }
    this.#firstLogs.push(this.#logKinds.length);

    const head = this.#encodeHeader({ number: blockNumber, blockHash, timestamp, logsBloom });
    const { chainId } = this.#options;
    const whole = transactions.map((transaction, index) =>
      encodeTransaction(transaction, {
        blockHash,
        blockNumber,
        hash: hashes[index]!,
        index,
        chainId,
      }),
    );
    this.#light.add(`${head}"transactions":${JSON.stringify(hashes)}}`);
    this.#full.add(`${head}"transactions":[${whole.join(',')}]}`);
    this.#parentHash = blockHash;
  }

  finish(finalized: number): ChainRecording {
    return {
      chainId: this.#options.chainId,
      head: this.#firstLogs.length - 2,
      finalized,
      lightBlocks: this.#light.finish(),
      fullBlocks: this.#full.finish(),
      logs: this.#logs.finish(),
      firstLogs: this.#firstLogs,
      logKinds: this.#logKinds,
      kinds: [...this.#kinds.keys()].map((key) => {
        const [address = '', topic = ''] = key.split(' ');
        return { address, topic };
      }),
      blockByHash: this.#blockByHash,
      blockByTransaction: this.#blockByTransaction,
    };
  }

  #addLog(log: RecordedLog, place: object): void {
    const key = `${log.address} ${log.topics[0]}`;
    const kind = this.#kinds.get(key) ?? this.#kinds.size;
    this.#kinds.set(key, kind);
    this.#logKinds.push(kind);
    this.#logs.add(`${JSON.stringify({ ...log, ...place })},`);
  }

  /** A block's JSON up to its transactions. */
  #encodeHeader(block: {
    readonly number: string;
    readonly blockHash: string;
    readonly timestamp: string;
    readonly logsBloom: string;
  }): string {
    const text = JSON.stringify({
      number: block.number,
      hash: block.blockHash,
      parentHash: this.#parentHash,
      timestamp: block.timestamp,
      logsBloom: block.logsBloom,
      miner: MINER,
      gasUsed: '0xe4e1c0',
      gasLimit: '0x1c9c380',
      baseFeePerGas: '0x3b9aca00',
      nonce: '0x0000000000000000',
      mixHash: block.blockHash,
      stateRoot: block.blockHash,
      receiptsRoot: block.blockHash,
      transactionsRoot: block.blockHash,
      sha3Uncles: ZERO_WORD,
      size: '0x8000',
      difficulty: '0x0',
      totalDifficulty: '0x0',
      extraData: '0x',
      uncles: [],
    });
    return `${text.slice(0, -1)},`;
  }
}
