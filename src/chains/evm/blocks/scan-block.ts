// Reads a full block from the bytes of a reply: on some chains hundreds of kilobytes, of which the
// header and the senders are wanted. `JSON.parse` would make objects of all of it.

import type { Address, TransactionId } from '../../../model/ids.ts';
import {
  parseBytes,
  skipValue,
  startsWithBytes,
  type ValueBytes,
  walkList,
  walkObject,
} from '../../rpc/json-bytes.ts';
import { isLowerHex } from './hex-bytes.ts';
import { ADDRESS_LENGTH, KNOWN_ACCOUNTS, WORD_LENGTH } from './known-hex.ts';
import { type EvmBlock, parseBlock } from './parse-block.ts';

const [TRANSACTIONS, HASH, FROM] = [
  Buffer.from('"transactions"'),
  Buffer.from('"hash"'),
  Buffer.from('"from"'),
];
const NO_TRANSACTIONS = Buffer.from('[]');
const QUOTE = 34;

function isQuoted(body: Buffer, start: number, end: number): boolean {
  return body[start - 1] === QUOTE && body[end] === QUOTE;
}

class SenderScanner {
  readonly txHashes: TransactionId[] = [];
  readonly senders = new Map<TransactionId, Address>();
  readonly #body: Buffer;
  #hash: TransactionId | null = null;
  #from: Address | null = null;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** Where the list ends; -1 if it has anything but whole transactions. */
  scan(start: number): number {
    return walkList(this.#body, start, (at) => this.#scanTransaction(at));
  }

  #scanTransaction(start: number): number {
    this.#hash = null;
    this.#from = null;
    const end = walkObject(this.#body, start, this.#readMember);
    if (this.#hash === null || this.#from === null) return -1;
    this.txHashes.push(this.#hash);
    this.senders.set(this.#hash, this.#from);
    return end;
  }

  readonly #readMember = (nameAt: number, valueAt: number): number => {
    const body = this.#body;
    const start = valueAt + 1;
    if (startsWithBytes(body, nameAt, HASH)) {
      const end = start + WORD_LENGTH;
      if (!isLowerHex(body, start, end) || !isQuoted(body, start, end)) return -1;
      this.#hash = body.toString('latin1', start, end) as TransactionId;
    } else if (startsWithBytes(body, nameAt, FROM)) {
      if (!isQuoted(body, start, start + ADDRESS_LENGTH)) return -1;
      this.#from = KNOWN_ACCOUNTS.find(body, start);
    }
    return skipValue(body, valueAt);
  };
}

/** Undefined if the parser must read it: a block without whole transactions, or none. */
export function scanBlock(block: ValueBytes, endpoint: string): EvmBlock | undefined {
  const { body, start, end } = block;
  const scanner = new SenderScanner(body);
  let listStart = -1;
  let listEnd = -1;
  const scanned = walkObject(body, start, (nameAt, valueAt) => {
    if (!startsWithBytes(body, nameAt, TRANSACTIONS)) return skipValue(body, valueAt);
    // Of two the parser takes the last.
    if (listStart >= 0) return -1;
    listStart = valueAt;
    listEnd = scanner.scan(valueAt);
    return listEnd;
  });
  if (scanned !== end || listStart < 0) return undefined;
  const rest = Buffer.concat([
    body.subarray(start, listStart),
    NO_TRANSACTIONS,
    body.subarray(listEnd, end),
  ]);
  const fields = parseBytes({ body: rest, start: 0, end: rest.length });
  const parsed = fields === undefined ? null : parseBlock(fields, endpoint);
  if (parsed === null) return undefined;
  return { ...parsed, txHashes: scanner.txHashes, senders: scanner.senders };
}
