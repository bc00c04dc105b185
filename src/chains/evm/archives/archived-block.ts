// A block as an archive has it, checked for its form and for nothing else.

import type { Address, TransactionId } from '../../../model/ids.ts';
import { ArchiveError } from '../../archives/archive-error.ts';

/** The fields that a header's hash covers, in their order; the last ones came with later forks. */
export const HEADER_FIELDS = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
] as const;

export type HeaderField = (typeof HEADER_FIELDS)[number];

/** How many of them every header has. */
export const HEADER_FIELDS_MIN = 15;

/** Numbers without leading zeros; the others are bytes as they are. */
export const HEADER_NUMBERS: ReadonlySet<HeaderField> = new Set([
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
  'slotNumber',
]);

export interface ArchivedHeader {
  readonly position: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestampMs: number;
  /** Hex text in lower case; null for a field that the header, or the archive, does not have. */
  readonly fields: Readonly<Record<HeaderField, string | null>>;
}

export interface ArchivedLog {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface ArchivedReceipt {
  readonly txHash: TransactionId;
  /** Null where the archive has none: it is then recovered from the signature, or asked for. */
  readonly from: Address | null;
  /** The transaction as it was signed, where the archive has it. */
  readonly signed?: Uint8Array;
  readonly type: number;
  /** 0 or 1; a root of 32 bytes before Byzantium; null if the archive has neither. */
  readonly outcome: number | string | null;
  readonly cumulativeGas: bigint;
  readonly logs: readonly ArchivedLog[];
  /** Of a deposit on OP chains, its nonce. */
  readonly nonce: number | null;
}

export interface ArchivedBlock {
  readonly header: ArchivedHeader;
  /** Fields of headers that the archive has for no block of this range. */
  readonly absent: ReadonlySet<HeaderField>;
  /** In the order of the block. */
  readonly receipts: readonly ArchivedReceipt[];
}

/** The form of a block is impossible; the message says where. */
export class MalformedBlock extends ArchiveError {
  constructor(message: string) {
    super('wrong', message);
  }
}

const BYTES = /^0x(?:[0-9a-f]{2})*$/;
const QUANTITY = /^0x[0-9a-f]{1,64}$/;
const LENGTHS: Partial<Record<HeaderField, number>> = { miner: 20, logsBloom: 256, nonce: 8 };
/** `extraData` of a block that changes BSC's validators has some kilobytes. */
const EXTRA_BYTES_MAX = 64 * 1024;

export function parseBytes(value: unknown, what: string, length?: number): string {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  const isFitting = length === undefined || text.length === 2 + 2 * length;
  if (!isFitting || !BYTES.test(text)) throw new MalformedBlock(`${what} is malformed`);
  return text;
}

export function parseQuantity(value: unknown, what: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value !== 'string' || !QUANTITY.test(value.toLowerCase())) {
    throw new MalformedBlock(`${what} is malformed`);
  }
  return BigInt(value);
}

export function parseCount(value: unknown, what: string): number {
  const number = Number(parseQuantity(value, what));
  if (!Number.isSafeInteger(number)) throw new MalformedBlock(`${what} is malformed`);
  return number;
}

function parseField(name: HeaderField, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (HEADER_NUMBERS.has(name)) return `0x${parseQuantity(value, name).toString(16)}`;
  if (name === 'extraData') {
    const text = parseBytes(value, name);
    if (text.length > 2 * EXTRA_BYTES_MAX) throw new MalformedBlock('extraData is too long');
    return text;
  }
  return parseBytes(value, name, LENGTHS[name] ?? 32);
}

/** A header of JSON-RPC or of the Portal, which has some numbers as such. */
export function parseHeader(value: unknown): ArchivedHeader {
  if (typeof value !== 'object' || value === null) throw new MalformedBlock('no header');
  const raw = value as Record<string, unknown>;
  const fields = Object.fromEntries(
    HEADER_FIELDS.map((name) => [name, parseField(name, raw[name])]),
  ) as Record<HeaderField, string | null>;
  return {
    position: parseCount(raw['number'], 'number'),
    hash: parseBytes(raw['hash'], 'hash', 32),
    parentHash: parseBytes(raw['parentHash'], 'parentHash', 32),
    timestampMs: parseCount(raw['timestamp'], 'timestamp') * 1000,
    fields,
  };
}
