// Whether a block of an archive is what its hash says: the hash of its header, and the root of its
// receipts, with every log. What no hash covers (senders, and on most chains the transactions'
// hashes) is the reader's to compare with the node.
//
// Rules of forms: go-ethereum core/types, op-geth core/types/receipt.go, OffchainLabs/go-ethereum,
// bor PIP-74, as facts.

import { keccak, toHex } from '../data/keccak.ts';
import { computeLogsBloom } from '../data/logs-bloom.ts';
import {
  type ArchivedBlock,
  type ArchivedHeader,
  type ArchivedReceipt,
  HEADER_FIELDS,
  HEADER_FIELDS_MIN,
  HEADER_NUMBERS,
} from './archived-block.ts';
import { computeListRoot, EMPTY_ROOT } from './list-root.ts';
import { RlpWriter } from './rlp.ts';

/**
 * `wrong` means that everything is there and does not fit. A fork of the chain that we do not know
 * looks the same: the reader asks the node before it blames the archive.
 */
export type Verdict =
  | { readonly kind: 'proved' }
  | { readonly kind: 'notProvable' | 'wrong'; readonly reason: string };

const PROVED: Verdict = { kind: 'proved' };
const notProvable = (reason: string): Verdict => ({ kind: 'notProvable', reason });
const wrong = (reason: string): Verdict => ({ kind: 'wrong', reason });

/** A deposit on OP chains. */
const DEPOSIT = 0x7e;
/** Arbitrum's transactions from before Nitro, whose receipts have no type in front. */
const CLASSIC = 0x78;
/** Ethereum's 0 to 4, Arbitrum's own, deposits of OP chains, state syncs of Polygon. */
const KNOWN_TYPES: ReadonlySet<number> = new Set([
  ...[0, 1, 2, 3, 4],
  ...[0x64, 0x65, 0x66, 0x68, 0x69, 0x6a, CLASSIC],
  ...[DEPOSIT, 0x7f],
]);

const writer = new RlpWriter(4 * 1024 * 1024);

export function computeHeaderHash(fields: ArchivedHeader['fields']): string {
  writer.clear();
  // Optional fields end at the first that is missing.
  const end = HEADER_FIELDS.findIndex((name) => fields[name] === null);
  for (const name of HEADER_FIELDS.slice(0, end === -1 ? undefined : end).toReversed()) {
    const value = fields[name] ?? '0x';
    if (HEADER_NUMBERS.has(name)) writer.quantity(BigInt(value));
    else writer.hex(value);
  }
  writer.list(0);
  return toHex(keccak(writer.since(0)));
}

function proveHeader({ header, absent }: ArchivedBlock): Verdict {
  const { fields, hash } = header;
  const lacking = HEADER_FIELDS.slice(0, HEADER_FIELDS_MIN).find((name) => fields[name] === null);
  if (lacking !== undefined) return notProvable(`headers have no ${lacking}`);
  if (computeHeaderHash(fields) === hash) return PROVED;
  if (absent.size === 0) return wrong('the hash is not that of the header');
  // OP chains have an empty list of withdrawals from Canyon to Ecotone.
  const isCanyon = computeHeaderHash({ ...fields, withdrawalsRoot: EMPTY_ROOT }) === hash;
  return isCanyon ? PROVED : notProvable(`headers have no ${[...absent].join(', ')}`);
}

/** The receipt as the trie has it, written before what was written last. */
function encodeReceipt(receipt: ArchivedReceipt, isCanyon: boolean): Uint8Array {
  const { type, outcome, logs } = receipt;
  const start = writer.mark;
  if (type === DEPOSIT && isCanyon) {
    writer.quantity(1);
    writer.quantity(receipt.nonce ?? 0);
  }
  const logsMark = writer.mark;
  for (const log of logs.toReversed()) {
    const logMark = writer.mark;
    writer.hex(log.data);
    const topicsMark = writer.mark;
    for (const topic of log.topics.toReversed()) writer.hex(topic);
    writer.list(topicsMark);
    writer.hex(log.address);
    writer.list(logMark);
  }
  writer.list(logsMark);
  writer.bytes(computeLogsBloom(logs));
  writer.quantity(receipt.cumulativeGas);
  if (typeof outcome === 'string') writer.hex(outcome);
  else writer.quantity(outcome ?? 0);
  writer.list(start);
  if (type !== 0 && type !== CLASSIC) writer.byte(type);
  return writer.since(start);
}

export function computeReceiptsRoot(
  receipts: readonly ArchivedReceipt[],
  isCanyon: boolean,
): string {
  writer.clear();
  return computeListRoot(receipts.map((receipt) => encodeReceipt(receipt, isCanyon)));
}

/** Polygon's state syncs before block 80,084,800, whose receipts are outside of the root. */
function computeStateSyncHash({ position, hash }: ArchivedHeader): string {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(position));
  const text = Buffer.from('matic-bor-receipt-');
  return toHex(keccak(Buffer.concat([text, number, Buffer.from(hash.slice(2), 'hex')])));
}

function proveReceipts({ header, receipts }: ArchivedBlock): Verdict {
  const strange = receipts.find(({ type }) => !KNOWN_TYPES.has(type));
  if (strange !== undefined) return notProvable(`transactions of type ${strange.type}`);
  if (receipts.some(({ outcome }) => outcome === null)) {
    return notProvable('receipts have neither status nor root');
  }
  const { receiptsRoot } = header.fields;
  if (computeReceiptsRoot(receipts, true) === receiptsRoot) return PROVED;
  const hasDeposits = receipts.some(({ type }) => type === DEPOSIT);
  if (hasDeposits && computeReceiptsRoot(receipts, false) === receiptsRoot) return PROVED;
  const syncHash = computeStateSyncHash(header);
  const rooted = receipts.filter(({ txHash }) => txHash !== syncHash);
  // Polygon's, and those of HyperEVM's system: their logs are in no root.
  const ordinary = receipts.filter(({ cumulativeGas }) => cumulativeGas > 0n);
  const isOutside = [rooted, ordinary].some(
    (some) => some.length < receipts.length && computeReceiptsRoot(some, true) === receiptsRoot,
  );
  if (isOutside) return notProvable('receipts of the system, which no root covers');
  return wrong('the receipts do not have the root of the header');
}

export function proveBlock(block: ArchivedBlock): Verdict {
  const receipts = proveReceipts(block);
  if (receipts.kind === 'wrong') return receipts;
  const header = proveHeader(block);
  return header.kind === 'proved' ? receipts : header;
}
