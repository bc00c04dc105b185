// Compressed bodies. Each buffer is compressed at most once, however often it is sent.
//
// An answer that is kept is one long buffer and a short end, `asOf`, that is new with every block.
// Both formats are sequences of blocks, and a flush ends a block at a whole byte. So the long
// buffer is compressed and flushed once, and each end follows as a block that is stored as it is.

import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  crc32,
  deflateRaw,
  deflateRawSync,
} from 'node:zlib';
import { BoundedMap } from '../lib/bounded-map.ts';

// Reads `Accept-Encoding`: which compression to use for a response.

export type Encoding = 'br' | 'gzip';

interface EncodingChoice {
  readonly encoding: Encoding;
  /** Whether a plain response would not be accepted. */
  readonly isForced: boolean;
}

/** The preferred one first. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip'];

/** Few clients send anything else than a handful of values. */
const KEPT_MAX = 200;
const LENGTH_MAX = 200;
const kept = new BoundedMap<string, EncodingChoice | null>(KEPT_MAX);

function parseQuality(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [, digits] = /^\s*q\s*=\s*(\d(?:\.\d*)?)\s*$/i.exec(parameter) ?? [];
    if (digits !== undefined) return Math.min(1, Number(digits));
  }
  return 1;
}

function parseQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const item of header.split(',')) {
    const [name = '', ...parameters] = item.split(';');
    const coding = name
      .trim()
      .toLowerCase()
      .replace(/^x-gzip$/, 'gzip');
    if (coding !== '') qualities.set(coding, parseQuality(parameters));
  }
  return qualities;
}

function choose(header: string): EncodingChoice | null {
  const qualities = parseQualities(header);
  const others = qualities.get('*');
  const qualityOf = (coding: string) => qualities.get(coding) ?? others ?? 0;
  // A plain response is accepted unless the client rules it out.
  const identity = qualities.get('identity') ?? (others === 0 ? 0 : null);
  let best: Encoding | null = null;
  for (const encoding of ENCODINGS) {
    if (qualityOf(encoding) > (best === null ? 0 : qualityOf(best))) best = encoding;
  }
  // A client that prefers a plain response says so by its quality.
  if (best === null || (identity ?? 0) > qualityOf(best)) return null;
  return { encoding: best, isForced: identity === 0 };
}

/** Null for a plain response. */
export function pickEncoding(header: string | undefined): EncodingChoice | null {
  if (header === undefined) return null;
  const known = kept.get(header);
  if (known !== undefined) return known;
  const choice = choose(header);
  if (header.length <= LENGTH_MAX) kept.set(header, choice);
  return choice;
}

/** Whether a response could be sent with an encoding, even if another one is preferred. */
export function accepts(header: string | undefined, encoding: Encoding): boolean {
  const qualities = parseQualities(header ?? '');
  return (qualities.get(encoding) ?? qualities.get('*') ?? 0) > 0;
}

/** Smaller bodies fit into one packet, so compressing them gains nothing. */
export const COMPRESSED_BYTES_MIN = 1024;
/** Longer ones take a millisecond and more, so they are compressed on another thread. */
const SYNC_BYTES_MAX = 16 * 1024;

function buildBrotliOptions(quality: number) {
  return {
    finishFlush: constants.BROTLI_OPERATION_FLUSH,
    params: { [constants.BROTLI_PARAM_QUALITY]: quality },
  };
}

/** Measured on an answer of 10 KB: 5 takes twice as long as 3 and gains nothing. */
const BROTLI_SHORT = buildBrotliOptions(3);
const BROTLI_LONG = buildBrotliOptions(5);
const DEFLATE = { finishFlush: constants.Z_SYNC_FLUSH, level: 6 };

const EMPTY = Buffer.alloc(0);

type Compress<Result> = (bytes: Buffer) => Result;

const COMPRESSORS: Readonly<
  Record<Encoding, { readonly now: Compress<Buffer>; readonly later: Compress<Promise<Buffer>> }>
> = {
  br: {
    now: (bytes) => brotliCompressSync(bytes, BROTLI_SHORT),
    later: (bytes) => promisify(brotliCompress)(bytes, BROTLI_LONG),
  },
  gzip: {
    now: (bytes) => deflateRawSync(bytes, DEFLATE),
    later: (bytes) => promisify(deflateRaw)(bytes, DEFLATE),
  },
};

/** The blocks of a buffer, without the stream's end. */
type Blocks = Buffer | Promise<Buffer>;

const keptBlocks = new WeakMap<Buffer, Partial<Record<Encoding, Blocks>>>();

function compressBlocks(bytes: Buffer, encoding: Encoding): Blocks {
  const known = keptBlocks.get(bytes) ?? {};
  keptBlocks.set(bytes, known);
  const found = known[encoding];
  if (found !== undefined) return found;
  const { now, later } = COMPRESSORS[encoding];
  if (bytes.length <= SYNC_BYTES_MAX) {
    const blocks = now(bytes);
    known[encoding] = blocks;
    return blocks;
  }
  const promise = later(bytes);
  known[encoding] = promise;
  // A failed compression is tried again by the next request.
  promise.then(
    (blocks) => {
      known[encoding] = blocks;
    },
    () => {
      delete known[encoding];
    },
  );
  return promise;
}

/** RFC 1952: deflate, no name, no time, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** RFC 1951, 3.2.4: a block that is stored as it is, of at most 65,535 bytes. */
function writeStored(bytes: Buffer, isLast: boolean): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(isLast ? 1 : 0, 0);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(0xffff - bytes.length, 3);
  return Buffer.concat([head, bytes]);
}

const keptChecksums = new WeakMap<Buffer, number>();

function computeChecksum([first = EMPTY, ...others]: readonly Buffer[]): number {
  const start = keptChecksums.get(first) ?? crc32(first);
  keptChecksums.set(first, start);
  return others.reduce((checksum, part) => crc32(part, checksum), start);
}

function writeGzipEnd(parts: readonly Buffer[]): Buffer {
  const end = Buffer.alloc(8);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  end.writeUInt32LE(computeChecksum(parts), 0);
  end.writeUInt32LE(length % 2 ** 32, 4);
  return end;
}

/** RFC 7932, 9.2: the last block, without content. */
const BROTLI_LAST = Buffer.from([0b11]);

/** RFC 7932, 9.2: a block of at most 65,536 bytes that is stored as it is, and the last one. */
function writeBrotliEnd(bytes: Buffer): Buffer {
  if (bytes.length === 0) return BROTLI_LAST;
  // From the lowest bit: not the last (1 bit), 4 nibbles (2), length less 1 (16), stored (1).
  const bits = ((bytes.length - 1) << 3) | (1 << 19);
  const head = Buffer.from([bits & 0xff, (bits >> 8) & 0xff, (bits >> 16) & 0xff]);
  return Buffer.concat([head, bytes, BROTLI_LAST]);
}

/** Bytes to send: the long part is the same object as long as it is the same. */
export interface CompressibleBody {
  readonly bytes: Buffer;
  readonly parts?: { readonly long: Buffer; readonly end: Buffer };
}

const keptBodies = new WeakMap<CompressibleBody, Partial<Record<Encoding, Buffer>>>();

function finish(long: Buffer, end: Buffer, encoding: Encoding, blocks: Buffer): Buffer {
  if (encoding === 'br') return Buffer.concat([blocks, writeBrotliEnd(end)]);
  const stored = writeStored(end, true);
  return Buffer.concat([GZIP_HEADER, blocks, stored, writeGzipEnd([long, end])]);
}

/** A promise while a long body is being compressed. */
export function compressBody(body: CompressibleBody, encoding: Encoding): Buffer | Promise<Buffer> {
  const known = keptBodies.get(body) ?? {};
  keptBodies.set(body, known);
  const found = known[encoding];
  if (found !== undefined) return found;
  const { long, end } = body.parts ?? { long: body.bytes, end: EMPTY };
  const keep = (blocks: Buffer) => {
    const whole = finish(long, end, encoding, blocks);
    known[encoding] = whole;
    return whole;
  };
  const blocks = compressBlocks(long, encoding);
  return blocks instanceof Promise ? blocks.then(keep) : keep(blocks);
}

/** Several pieces as one gzip stream; only long ones are compressed, each once. */
export async function gzipParts(parts: readonly Buffer[]): Promise<readonly Buffer[]> {
  const blocks = await Promise.all(
    parts.map((part) =>
      part.length >= COMPRESSED_BYTES_MIN ? compressBlocks(part, 'gzip') : writeStored(part, false),
    ),
  );
  return [GZIP_HEADER, ...blocks, writeStored(EMPTY, true), writeGzipEnd(parts)];
}
