// A file of old blocks: era1 (before the merge) or ere, whose hosted files end in `.erae`. Both are
// a list of entries with an index at the end. (eth-clients/e2store-format-specs, as facts.)

import { type FileHandle, open } from 'node:fs/promises';
import { KNOWN_ADDRESSES } from '../data/hex-data.ts';
import { keccak, toHex } from '../data/keccak.ts';
import {
  type ArchivedBlock,
  type ArchivedLog,
  type ArchivedReceipt,
  HEADER_FIELDS,
  HEADER_NUMBERS,
  MalformedBlock,
  parseHeader,
} from './archived-block.ts';
import { computeListRoot } from './list-root.ts';
import { parseTransaction } from './parse-portal-block.ts';
import { asBytes, asList, decodeRlp, encodeRlp, RlpError, type RlpItem } from './rlp.ts';
import { SnappyError, unpackSnappyFrames } from './snappy.ts';

const HEADER = 0x03;
const BODY = 0x04;
const RECEIPTS = 0x05;
const SLIM_RECEIPTS = 0x0a;
const ERA1_INDEX = 0x3266;
const ERE_INDEX = 0x3267;

const ENTRY_HEAD_BYTES = 8;
const ENTRY_BYTES_MAX = 50 * 1024 * 1024;
const BLOCKS_MAX = 8192;
/** Of each block at most: header, body, receipts, total difficulty, proof. */
const PARTS_MAX = 5;
const ROOT_BYTES = 32;

interface Entry {
  readonly type: number;
  readonly data: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

export class EraFile {
  readonly firstBlock: number;
  /** Where the parts of each block begin; of era1 the first alone, which the others follow. */
  readonly #places: readonly (readonly number[])[];
  readonly #file: FileHandle;

  private constructor(file: FileHandle, firstBlock: number, places: readonly number[][]) {
    this.#file = file;
    this.firstBlock = firstBlock;
    this.#places = places;
  }

  get lastBlock(): number {
    return this.firstBlock + this.#places.length - 1;
  }

  /** Throws `MalformedBlock` if it is no such file. */
  static async open(path: string): Promise<EraFile> {
    const file = await open(path, 'r');
    try {
      const { firstBlock, places } = await readIndex(file, (await file.stat()).size);
      return new EraFile(file, firstBlock, places);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Null if the file has no receipts. */
  async readBlock(position: number): Promise<ArchivedBlock | null> {
    const places = this.#places[position - this.firstBlock] ?? [];
    const entries: Entry[] = [];
    if (places.length === 1) {
      for (let at = places[0] ?? 0, part = 0; part < 3; part += 1) {
        const entry = await readEntry(this.#file, at);
        entries.push(entry);
        at = entry.end;
      }
    } else for (const at of places) entries.push(await readEntry(this.#file, at));
    try {
      return toBlock(entries);
    } catch (error) {
      if (!(error instanceof RlpError || error instanceof SnappyError)) throw error;
      throw new MalformedBlock(`block ${position}: ${error.message}`);
    }
  }
}

async function readBytes(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = at < 0 ? { bytesRead: 0 } : await file.read(buffer, 0, length, at);
  if (bytesRead < length) throw new MalformedBlock('the file is cut off');
  return buffer;
}

async function readEntry(file: FileHandle, at: number): Promise<Entry> {
  const head = await readBytes(file, at, ENTRY_HEAD_BYTES);
  const length = head.readUInt32LE(2);
  if (length > ENTRY_BYTES_MAX) throw new MalformedBlock('an entry is too long');
  const start = at + ENTRY_HEAD_BYTES;
  const data = await readBytes(file, start, length);
  return { type: head.readUInt16LE(0), data, end: start + length };
}

async function readIndex(
  file: FileHandle,
  size: number,
): Promise<{ firstBlock: number; places: number[][] }> {
  const tail = await readBytes(file, size - 16, 16);
  const count = Number(tail.readBigUInt64LE(8));
  if (count === 0 || count > BLOCKS_MAX) throw new MalformedBlock('the file has no index');
  // Both end with the number of blocks; ere has that of each block's parts before it.
  const told = Number(tail.readBigUInt64LE(0));
  const isDynamic = told >= 2 && told <= PARTS_MAX;
  for (const [type, parts] of [
    [ERE_INDEX, told],
    [ERA1_INDEX, 1],
  ] as const) {
    if (type === ERE_INDEX && !isDynamic) continue;
    const length = 8 * (2 + count * parts + (type === ERE_INDEX ? 1 : 0));
    const at = size - length - ENTRY_HEAD_BYTES;
    if (at < 0) continue;
    const entry = await readEntry(file, at);
    if (entry.type !== type || entry.data.length !== length) continue;
    const { data } = entry;
    const places = Array.from({ length: count }, (_, block) =>
      Array.from({ length: parts }, (__, part) => {
        // Counted from the first byte of the index.
        return at + Number(data.readBigInt64LE(8 * (1 + block * parts + part)));
      }),
    );
    return { firstBlock: Number(data.readBigUInt64LE(0)), places };
  }
  throw new MalformedBlock('the file has no index');
}

function toBlock(entries: readonly Entry[]): ArchivedBlock | null {
  const find = (type: number) => {
    const entry = entries.find((one) => one.type === type);
    return entry === undefined ? null : unpackSnappyFrames(entry.data);
  };
  const [head, body] = [find(HEADER), find(BODY)];
  const receipts = find(RECEIPTS) ?? find(SLIM_RECEIPTS);
  if (receipts === null) return null;
  if (head === null || body === null) throw new MalformedBlock('a block has no header or body');
  const header = toHeader(head);
  const raw = asList(asList(decodeRlp(body))[0]).map(toRaw);
  if (computeListRoot(raw) !== header.fields.transactionsRoot) {
    throw new MalformedBlock(`the transactions of block ${header.position} have another root`);
  }
  const list = asList(decodeRlp(receipts));
  if (list.length !== raw.length) throw new MalformedBlock('transactions without receipts');
  return {
    header,
    absent: new Set(),
    receipts: list.map((receipt, index) => toReceipt(receipt, raw[index] ?? Buffer.alloc(0))),
  };
}

function toHeader(bytes: Buffer) {
  const items = asList(decodeRlp(bytes)).map(asBytes);
  const raw = Object.fromEntries(
    HEADER_FIELDS.map((name, index) => {
      const item = items[index];
      if (item === undefined) return [name, null];
      const text = item.toString('hex');
      return [name, HEADER_NUMBERS.has(name) ? `0x${text === '' ? '0' : text}` : `0x${text}`];
    }),
  );
  return parseHeader({ ...raw, hash: toHex(keccak(bytes)) });
}

/** A transaction as it was signed: its hash is that of these bytes. */
function toRaw(item: RlpItem): Buffer {
  return Buffer.isBuffer(item) ? item : encodeRlp(item);
}

function toNumber(item: RlpItem | undefined): number {
  const bytes = asBytes(item);
  return bytes.length === 0 ? 0 : bytes.readUIntBE(0, Math.min(bytes.length, 6));
}

function toReceipt(item: RlpItem, signed: Buffer): ArchivedReceipt {
  // Of era1: the type and a list, or the list alone. Of ere: the type is the first of the list.
  const isTyped = Buffer.isBuffer(item);
  const list = asList(isTyped ? decodeRlp(item.subarray(1)) : item);
  const isSlim = !isTyped && !(Buffer.isBuffer(list[2]) && list[2].length === 256);
  const [outcome, gas, logs] = isSlim ? list.slice(1) : [list[0], list[1], list[3]];
  const result = asBytes(outcome);
  return {
    txHash: parseTransaction(toHex(keccak(signed))),
    from: null,
    signed,
    type: isTyped ? item.readUInt8(0) : isSlim ? toNumber(list[0]) : 0,
    outcome: result.length === ROOT_BYTES ? toHex(result) : toNumber(result),
    cumulativeGas: BigInt(`0x0${asBytes(gas).toString('hex')}`),
    logs: asList(logs).map(toLog),
    nonce: null,
  };
}

function toLog(item: RlpItem): ArchivedLog {
  const [emitter, topics, data] = asList(item);
  const address = KNOWN_ADDRESSES.find(toHex(asBytes(emitter)));
  if (address === null) throw new MalformedBlock('the address of a log is malformed');
  return {
    address,
    topics: asList(topics).map((one) => toHex(asBytes(one))),
    data: toHex(asBytes(data)),
  };
}
