// Parses headers and transaction senders from a node's block object.

import type { BlockHeader } from '../../../model/block-header.ts';
import type { Address, TransactionId } from '../../../model/ids.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { toTimeMs } from './block-time.ts';
import { KNOWN_ADDRESSES } from './hex-data.ts';

export interface EvmBlock {
  readonly header: BlockHeader;
  /** 256 bytes in hex; null if the node does not return it. */
  readonly logsBloom: string | null;
  /** By all of its transactions; null if the node does not return it. */
  readonly gasUsed: number | null;
  /** In the order of the block; empty in an announced header. */
  readonly txHashes: readonly TransactionId[];
  /** Sender by transaction hash; empty unless the block was read in full. */
  readonly senders: ReadonlyMap<TransactionId, Address>;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;
const WORD = /^0x[0-9a-f]{64}$/;
const BLOOM = /^0x[0-9a-f]{512}$/i;
const QUANTITY = /^0x[0-9a-f]{1,13}$/;

type BlockFields = Record<string, unknown> & {
  logsBloom?: unknown;
  gasUsed?: unknown;
  timestampMs?: unknown;
  from?: unknown;
};

function malformed(endpoint: string, what: string): RpcError {
  return new RpcError('invalidReply', `${endpoint}: ${what} is malformed`, { endpoint });
}

function parseFields(value: unknown, endpoint: string): BlockFields {
  if (typeof value !== 'object' || value === null) throw malformed(endpoint, 'block');
  return value as BlockFields;
}

function hexField(
  fields: BlockFields,
  name: string,
  format: { pattern: RegExp; endpoint: string },
) {
  const value = fields[name];
  // Nodes reply in lower case; upper case is accepted too.
  if (typeof value === 'string' && format.pattern.test(value)) return value;
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  if (!format.pattern.test(lower)) throw malformed(format.endpoint, name);
  return lower;
}

function senderField(fields: BlockFields, endpoint: string): Address {
  const { from } = fields;
  const known = typeof from === 'string' ? KNOWN_ADDRESSES.find(from) : null;
  if (known !== null) return known;
  return hexField(fields, 'from', { pattern: ADDRESS, endpoint }) as Address;
}

function parseTransactions(
  fields: BlockFields,
  endpoint: string,
): { txHashes: TransactionId[]; senders: Map<TransactionId, Address> } {
  const txHashes: TransactionId[] = [];
  const senders = new Map<TransactionId, Address>();
  const transactions = fields['transactions'];
  if (!Array.isArray(transactions)) return { txHashes, senders };
  const word = { pattern: WORD, endpoint };
  for (const transaction of transactions) {
    // A reply without full transactions has hashes here.
    const inner =
      typeof transaction === 'string' ? { hash: transaction } : parseFields(transaction, endpoint);
    const hash = hexField(inner, 'hash', word) as TransactionId;
    txHashes.push(hash);
    if (typeof transaction === 'string') continue;
    senders.set(hash, senderField(inner, endpoint));
  }
  return { txHashes, senders };
}

/** Null if the node has no such block. */
export function parseBlock(value: unknown, endpoint: string): EvmBlock | null {
  if (value === null) return null;
  const fields = parseFields(value, endpoint);
  const quantity = { pattern: QUANTITY, endpoint };
  const word = { pattern: WORD, endpoint };
  const { logsBloom: bloom, gasUsed, timestampMs: ms } = fields;
  const position = Number(hexField(fields, 'number', quantity));
  return {
    header: {
      position,
      hash: hexField(fields, 'hash', word),
      parentPosition: position - 1,
      parentHash: hexField(fields, 'parentHash', word),
      timestampMs: toTimeMs(
        Number(hexField(fields, 'timestamp', quantity)),
        typeof ms === 'string' && QUANTITY.test(ms) ? Number(ms) : null,
      ),
    },
    gasUsed: typeof gasUsed === 'string' && QUANTITY.test(gasUsed) ? Number(gasUsed) : null,
    logsBloom: typeof bloom === 'string' && BLOOM.test(bloom) ? bloom : null,
    ...parseTransactions(fields, endpoint),
  };
}

/** A transaction's sender; checks that it belongs to the block of its log. */
export function parseSender(
  value: unknown,
  expected: {
    readonly txHash: TransactionId;
    readonly blockHash: string;
    readonly endpoint: string;
  },
): Address {
  const { endpoint } = expected;
  const fields = parseFields(value, endpoint);
  const word = { pattern: WORD, endpoint };
  const same =
    hexField(fields, 'hash', word) === expected.txHash &&
    hexField(fields, 'blockHash', word) === expected.blockHash;
  if (!same) throw malformed(endpoint, 'transaction');
  return senderField(fields, endpoint);
}
