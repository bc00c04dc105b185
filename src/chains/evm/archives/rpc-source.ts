// Another node as an archive: its blocks and receipts are proved like those of any other.

import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveRange, ArchiveSource } from '../../archives/archive-sources.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { toQuantity } from '../data/hex-data.ts';
import {
  type ArchivedBlock,
  type ArchivedReceipt,
  MalformedBlock,
  parseBytes,
  parseCount,
  parseHeader,
  parseQuantity,
} from './archived-block.ts';
import { parseAddress, parseLogFields, parseTransaction } from './parse-portal-block.ts';

type Fields = Record<string, unknown> & {
  transactionHash?: unknown;
  from?: unknown;
  type?: unknown;
  status?: unknown;
  root?: unknown;
  cumulativeGasUsed?: unknown;
  depositNonce?: unknown;
  logs?: unknown;
};

/** Read in one request. */
const BLOCKS_AT_ONCE = 20;

function parseOutcome({ status, root }: Fields): ArchivedReceipt['outcome'] {
  if (typeof status === 'string') return parseCount(status, 'status');
  return root === undefined || root === null ? null : parseBytes(root, 'root', 32);
}

function parseReceipt(raw: Fields): ArchivedReceipt {
  const { logs, depositNonce: nonce } = raw;
  if (!Array.isArray(logs)) throw new MalformedBlock('logs are not a list');
  return {
    txHash: parseTransaction(raw.transactionHash),
    from: parseAddress(raw.from, 'from'),
    type: raw.type === undefined ? 0 : parseCount(raw.type, 'type'),
    outcome: parseOutcome(raw),
    cumulativeGas: parseQuantity(raw.cumulativeGasUsed, 'cumulativeGasUsed'),
    logs: logs.map(parseLogFields),
    nonce: nonce === undefined || nonce === null ? null : parseCount(nonce, 'depositNonce'),
  };
}

/** A block and its receipts as nodes have them. */
export function parseRpcBlock(block: unknown, receipts: unknown): ArchivedBlock {
  if (!Array.isArray(receipts)) throw new MalformedBlock('receipts are not a list');
  return { header: parseHeader(block), absent: new Set(), receipts: receipts.map(parseReceipt) };
}

export class RpcSource implements ArchiveSource<ArchivedBlock> {
  readonly name: string;
  readonly #client: RpcClient;

  constructor(client: RpcClient) {
    this.#client = client;
    this.name = client.endpoints[0]?.name ?? 'rpc';
  }

  close(): void {
    this.#client.close();
  }

  async *read(range: ArchiveRange, signal: AbortSignal): AsyncGenerator<ArchivedBlock, void> {
    for (let next = range.fromBlock; next <= range.toBlock; next += BLOCKS_AT_ONCE) {
      const last = Math.min(range.toBlock, next + BLOCKS_AT_ONCE - 1);
      for (const [block, receipts] of await this.#readBlocks(next, last, signal)) {
        if (block === null || receipts === null) return;
        yield parseRpcBlock(block, receipts);
      }
    }
  }

  async #readBlocks(
    fromBlock: number,
    toBlock: number,
    signal: AbortSignal,
  ): Promise<(readonly [unknown, unknown])[]> {
    const tags = Array.from({ length: toBlock - fromBlock + 1 }, (_, index) =>
      toQuantity(fromBlock + index),
    );
    const calls = tags.flatMap((tag) => [
      { method: 'eth_getBlockByNumber' as const, params: [tag, false] },
      { method: 'eth_getBlockReceipts' as const, params: [tag] },
    ]);
    try {
      return await this.#client.at(
        async (endpoint) => {
          const outcomes = await endpoint.batch(calls, { signal });
          return tags.map(
            (_, index) =>
              [
                endpoint.unwrap(outcomes[2 * index]),
                endpoint.unwrap(outcomes[2 * index + 1]),
              ] as const,
          );
        },
        { signal },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!isRpcError(error)) throw error;
      const isPruned = isRpcError(error, 'stateUnavailable', 'unsupported', 'lagging');
      throw new ArchiveError(isPruned ? 'dry' : 'failed', error.message);
    }
  }
}
