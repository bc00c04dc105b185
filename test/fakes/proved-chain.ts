// A chain in memory whose blocks have true hashes: headers, receipts and links can be proved. It
// answers as a node and gives its blocks in the form of SQD Portal.

import {
  type ArchivedHeader,
  type ArchivedReceipt,
  parseHeader,
} from '../../src/chains/evm/archives/archived-block.ts';
import {
  computeHeaderHash,
  computeReceiptsRoot,
} from '../../src/chains/evm/archives/prove-block.ts';
import { parseRpcBlock } from '../../src/chains/evm/archives/rpc-source.ts';
import { keccak, toHex } from '../../src/chains/evm/data/keccak.ts';
import type { PortalLine } from '../archive-fixtures.ts';
import type { MemoryChain } from './memory-chain.ts';
import type { TrueAnswer } from './misbehaving-rpc.ts';

type Fields = Record<string, unknown>;

const word = (text: string) => toHex(keccak(Buffer.from(text)));

export interface ProvedChain {
  /** By position. */
  readonly lines: readonly PortalLine[];
  readonly answer: TrueAnswer;
}

/** What stands in every header of it. */
const HEADER = {
  sha3Uncles: word('uncles'),
  miner: `0x${'0c'.repeat(20)}`,
  stateRoot: word('state'),
  transactionsRoot: word('transactions'),
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  extraData: '0x',
  mixHash: word('mix'),
  nonce: '0x0000000000000000',
  baseFeePerGas: '0x7',
  withdrawalsRoot: word('withdrawals'),
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: word('beacon'),
  requestsHash: word('requests'),
};

const RECEIPT = { status: '0x1', type: '0x2' };

/** The same blocks as those of a chain with invented hashes, with true ones. */
export function proveChain(chain: MemoryChain): ProvedChain {
  const lines: PortalLine[] = [];
  const hashes = new Map<string, string>();
  const headers: Fields[] = [];
  for (let number = 0; number <= chain.head; number += 1) {
    const block = chain.answer('eth_getBlockByNumber', [number, true]) as Fields & {
      transactions: { hash: string; from: string }[];
    };
    const raw = chain.answer('eth_getBlockReceipts', [number]) as Fields[];
    const receipts = raw.map((one) => ({ ...one, ...RECEIPT }));
    const parentHash = lines.at(-1)?.header.hash ?? `0x${'0'.repeat(64)}`;
    const { number: _, transactions, ...own } = block;
    const told = {
      ...own,
      ...HEADER,
      number: block['number'],
      parentHash,
      receiptsRoot: HEADER.mixHash,
    };
    const parsed = parseRpcBlock(told, receipts);
    const receiptsRoot = computeReceiptsRoot(parsed.receipts, true);
    const fields: ArchivedHeader['fields'] = { ...parsed.header.fields, receiptsRoot };
    const hash = computeHeaderHash(fields);
    hashes.set(String(block['hash']), hash);
    const { timestampMs, ...header } = parseHeader({ ...told, receiptsRoot, hash });
    headers.push({ ...told, receiptsRoot, hash });
    lines.push({
      header: {
        ...header.fields,
        number,
        timestamp: timestampMs / 1000,
        hash,
        parentHash,
      },
      transactions: transactions.map((one, transactionIndex) => ({
        ...{ transactionIndex, hash: one.hash, from: one.from, nonce: 1, type: 2, status: 1 },
        cumulativeGasUsed: raw[transactionIndex]!['cumulativeGasUsed'],
      })),
      logs: listLogs(parsed.receipts),
    });
  }
  const invented = new Map([...hashes].map(([from, to]) => [to, from]));
  const answer: TrueAnswer = (method, params) => {
    const back = JSON.parse(JSON.stringify(params), (_, value) => invented.get(value) ?? value);
    const reply = chain.answer(method, back);
    const text = JSON.stringify(reply ?? null, (key, value: unknown) => {
      if (key === 'parentHash' || typeof value !== 'string') return value;
      return hashes.get(value) ?? value;
    });
    const result = JSON.parse(text) as Fields | null;
    if (method === 'eth_getBlockReceipts' && Array.isArray(result)) {
      return result.map((one) => ({ ...one, ...RECEIPT }));
    }
    if (method !== 'eth_getBlockByNumber' || result === null) return result;
    return {
      ...result,
      ...headers[Number(result['number'])],
      transactions: result['transactions'],
    };
  };
  return { lines, answer };
}

function listLogs(receipts: readonly ArchivedReceipt[]): PortalLine['logs'] {
  return receipts
    .flatMap(({ logs }, transactionIndex) => logs.map((log) => ({ ...log, transactionIndex })))
    .map((log, logIndex) => ({ ...log, topics: [...log.topics], logIndex }));
}
