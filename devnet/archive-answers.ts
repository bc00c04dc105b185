// Answers RPC calls about old blocks from the archive; undefined leaves them to the node.

import type { ArchivedLog, ArchiveEntry, BlockArchive } from './block-archive.ts';
import { toHexQuantity } from './block-writer.ts';

type Params = readonly unknown[];

export function parseBlockTag(tag: unknown): number | null {
  if (tag === 'earliest') return 0;
  return typeof tag === 'string' && /^0x[0-9a-f]{1,12}$/i.test(tag) ? Number(tag) : null;
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value);
}

function findByNumber(archive: BlockArchive, tag: unknown): ArchiveEntry | null {
  const number = parseBlockTag(tag);
  return number === null ? null : archive.read(number);
}

function findByHash(archive: BlockArchive, hash: unknown): ArchiveEntry | null {
  const number = isHash(hash) ? archive.findNumber(hash) : null;
  return number === null ? null : archive.read(number);
}

/** A block is given by number or hash, or by either in an object. */
function findByAnyName(archive: BlockArchive, name: unknown): ArchiveEntry | null {
  if (isHash(name)) return findByHash(archive, name);
  if (typeof name !== 'object' || name === null) return findByNumber(archive, name);
  const { blockHash, blockNumber } = name as Record<string, unknown>;
  return findByHash(archive, blockHash) ?? findByNumber(archive, blockNumber);
}

function buildBlock(entry: ArchiveEntry | null, full: unknown): unknown {
  if (entry === null || full === true) return entry?.block;
  return { ...entry.block, transactions: entry.block.transactions.map(({ hash }) => hash) };
}

function pickTransaction(entry: ArchiveEntry | null, index: unknown): unknown {
  const at = parseBlockTag(index);
  return entry === null || at === null ? undefined : (entry.block.transactions[at] ?? null);
}

const isSame = (one: string, other: unknown) => one === String(other).toLowerCase();

type Answer = (archive: BlockArchive, params: Params) => unknown;

const ANSWERS: Readonly<Record<string, Answer>> = {
  eth_getBlockByNumber: (archive, [tag, full]) => buildBlock(findByNumber(archive, tag), full),
  eth_getBlockByHash: (archive, [hash, full]) => buildBlock(findByHash(archive, hash), full),
  eth_getBlockReceipts: (archive, [name]) => findByAnyName(archive, name)?.receipts,
  eth_getBlockTransactionCountByNumber(archive, [tag]) {
    const entry = findByNumber(archive, tag);
    return entry === null ? undefined : toHexQuantity(entry.block.transactions.length);
  },
  eth_getBlockTransactionCountByHash(archive, [hash]) {
    const entry = findByHash(archive, hash);
    return entry === null ? undefined : toHexQuantity(entry.block.transactions.length);
  },
  eth_getTransactionByBlockNumberAndIndex: (archive, [tag, index]) =>
    pickTransaction(findByNumber(archive, tag), index),
  eth_getTransactionByBlockHashAndIndex: (archive, [hash, index]) =>
    pickTransaction(findByHash(archive, hash), index),
  eth_getTransactionByHash: (archive, [hash]) =>
    findByHash(archive, hash)?.block.transactions.find((one) => isSame(one.hash, hash)),
  eth_getTransactionReceipt: (archive, [hash]) =>
    findByHash(archive, hash)?.receipts.find((one) => isSame(one.transactionHash, hash)),
};

export function answerFromArchive(
  archive: BlockArchive,
  call: { readonly method: string; readonly params: Params },
): unknown {
  return Object.hasOwn(ANSWERS, call.method)
    ? ANSWERS[call.method]?.(archive, call.params)
    : undefined;
}

function isWanted(log: ArchivedLog, filter: Readonly<Record<string, unknown>>): boolean {
  const { address, topics } = filter;
  const accepts = (wanted: unknown, value: string | undefined): boolean => {
    if (wanted === undefined || wanted === null) return true;
    const list: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
    return list.length === 0 || list.some((one) => value !== undefined && isSame(value, one));
  };
  if (!accepts(address, log.address)) return false;
  // As in the node, a null accepts a log without a topic there.
  return (
    !Array.isArray(topics) || topics.every((wanted, index) => accepts(wanted, log.topics[index]))
  );
}

export interface ArchivedLogs {
  readonly logs: readonly ArchivedLog[];
  /** The filter for the node, for later blocks; null if there are none. */
  readonly restFilter: Readonly<Record<string, unknown>> | null;
}

/** Null if no block of the range is in the archive. */
export function findLogs(archive: BlockArchive, filter: unknown): ArchivedLogs | null {
  if (typeof filter !== 'object' || filter === null) return null;
  const fields = filter as Record<string, unknown>;
  const collect = (entries: Iterable<ArchiveEntry | null>) =>
    [...entries].flatMap((entry) =>
      (entry?.receipts ?? []).flatMap(({ logs }) => logs.filter((log) => isWanted(log, fields))),
    );
  if (fields['blockHash'] !== undefined) {
    const entry = findByHash(archive, fields['blockHash']);
    return entry === null ? null : { logs: collect([entry]), restFilter: null };
  }
  const from = parseBlockTag(fields['fromBlock']);
  const to = parseBlockTag(fields['toBlock']);
  if (from === null || from >= archive.blockCount || (to !== null && to < from)) return null;
  const last = Math.min(to ?? Infinity, archive.blockCount - 1);
  const reaches = to !== null && to <= last;
  return {
    logs: collect(readRange(archive, { from, to: last })),
    restFilter: reaches ? null : { ...fields, fromBlock: toHexQuantity(last + 1) },
  };
}

function* readRange(archive: BlockArchive, range: { readonly from: number; readonly to: number }) {
  for (let number = range.from; number <= range.to; number++) yield archive.read(number);
}
