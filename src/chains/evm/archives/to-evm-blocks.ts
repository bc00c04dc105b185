// Proved blocks of an archive in the forms in which blocks of nodes are read.

import type { Address, TransactionId } from '../../../model/ids.ts';
import type { EvmLog } from '../data/evm-log.ts';
import type { EvmBlock } from '../data/parse-block.ts';
import type { ArchiveReading } from './archive-reader.ts';
import type { ArchivedBlock } from './archived-block.ts';

export interface ArchivedEvmBlocks {
  readonly blocks: readonly EvmBlock[];
  readonly logs: EvmLog[];
  /** Transactions as they were signed, where the archive has no senders. */
  readonly signed: ReadonlyMap<TransactionId, Uint8Array>;
}

function toEvmBlock({ header, receipts }: ArchivedBlock): EvmBlock {
  const { position, hash, parentHash, timestampMs, fields } = header;
  const senders = new Map<TransactionId, Address>();
  for (const { txHash, from } of receipts) if (from !== null) senders.set(txHash, from);
  return {
    header: { position, hash, parentPosition: position - 1, parentHash, timestampMs },
    logsBloom: fields.logsBloom,
    gasUsed: Number(fields.gasUsed),
    txHashes: receipts.map(({ txHash }) => txHash),
    senders,
  };
}

/** Fresh in each call: readers change the list of logs. */
export function toEvmBlocks({ blocks }: Pick<ArchiveReading, 'blocks'>): ArchivedEvmBlocks {
  const logs: EvmLog[] = [];
  for (const { header, receipts } of blocks) {
    const { position: block, hash: blockHash, timestampMs } = header;
    let logIndex = 0;
    for (const { txHash, logs: own } of receipts) {
      for (const { address, topics, data } of own) {
        const at = { block, blockHash, txHash, logIndex, timestampMs };
        logs.push({ address, topics, data, ...at });
        logIndex += 1;
      }
    }
  }
  const signed = new Map<TransactionId, Uint8Array>();
  for (const { receipts } of blocks) {
    for (const one of receipts) if (one.signed !== undefined) signed.set(one.txHash, one.signed);
  }
  return { blocks: blocks.map(toEvmBlock), logs, signed };
}
