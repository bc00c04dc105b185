// A search segment as a file, for other processes and the next start: what it was built from, a
// list of its arrays, then their bytes.

import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { replaceFile } from '../../lib/replace-file.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { SegmentArrays } from './segment.ts';

/** What a segment was built from. */
export interface SegmentOrigin {
  readonly chain: ChainSlug;
  /** Identifies the chain's index, and the last commit that the segment includes for certain. */
  readonly epoch: string;
  readonly version: number;
  /** As of that commit. */
  readonly finalizedBlock: number;
  /** Whether the volumes of the last day were known. */
  readonly hasVolumes: boolean;
  /** The token lists that it was built with (`computeListsMark`). */
  readonly listsMark: string;
}

export interface OpenedSegment {
  readonly origin: SegmentOrigin;
  readonly segment: SegmentArrays;
  /** Since it was written. */
  readonly ageMs: number;
}

/** Raised when the arrays, their order or the form of texts change: other files are not read. */
const FORMAT = 3;

const TYPES = { Uint8Array, Uint32Array, Float64Array } as const;

type SegmentArray = InstanceType<(typeof TYPES)[keyof typeof TYPES]>;

interface FileHead {
  readonly format: number;
  readonly origin: SegmentOrigin;
  readonly arrays: readonly ListedArray[];
  /** Of the whole file, without the head. */
  readonly byteLength: number;
  /** Their CRC-32. */
  readonly checksum: number;
}

interface ListedArray {
  /** The names on the way to it. */
  readonly path: readonly string[];
  readonly type: keyof typeof TYPES;
  readonly offset: number;
  readonly length: number;
}

/** So that an array of any type may begin there. */
const ALIGNMENT = 8;
/** The length of the list, as text in front of it. */
const LENGTH_BYTES = 16;
/** Read at once, and then checked: the thread has other work to do meanwhile. */
const READ_BYTES = 4 * 1024 * 1024;

function alignUp(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}

function* listArrays(
  node: object,
  path: readonly string[] = [],
): Generator<{ readonly path: readonly string[]; readonly array: SegmentArray }> {
  for (const [name, value] of Object.entries(node) as [string, SegmentArray | object][]) {
    if (ArrayBuffer.isView(value)) yield { path: [...path, name], array: value as SegmentArray };
    else yield* listArrays(value, [...path, name]);
  }
}

function findType(array: SegmentArray): keyof typeof TYPES {
  if (array instanceof Float64Array) return 'Float64Array';
  return array instanceof Uint32Array ? 'Uint32Array' : 'Uint8Array';
}

/** Replaces the file in one step, once all of it is on the disk. */
export async function writeSegmentFile(
  path: string,
  { origin, segment }: Pick<OpenedSegment, 'origin' | 'segment'>,
): Promise<void> {
  const arrays = [...listArrays(segment)];
  let offset = 0;
  const listed = arrays.map((one): ListedArray => {
    const at = offset;
    offset = alignUp(at + one.array.byteLength);
    const { length } = one.array;
    return { path: one.path, type: findType(one.array), offset: at, length };
  });
  const body: Uint8Array[] = arrays.flatMap(({ array: { buffer, byteOffset, byteLength } }) => [
    new Uint8Array(buffer, byteOffset, byteLength),
    new Uint8Array(alignUp(byteLength) - byteLength),
  ]);
  const checksum = body.reduce((sum, bytes) => crc32(bytes, sum), 0);
  const layout = { arrays: listed, byteLength: offset, checksum };
  await replaceFile(path, [serializeHead({ format: FORMAT, origin, ...layout }), ...body]);
}

function serializeHead(head: FileHead): Uint8Array {
  const text = Buffer.from(JSON.stringify(head));
  const bytes = Buffer.alloc(alignUp(LENGTH_BYTES + text.length), ' ');
  bytes.write(String(text.length));
  bytes.set(text, LENGTH_BYTES);
  return bytes;
}

/**
 * The arrays are views of one buffer. Null if the file is of another format, damaged or not whole,
 * or if `isWanted` says no to what it was built from.
 */
export async function readSegmentFile(
  path: string,
  isWanted: (origin: SegmentOrigin) => boolean = () => true,
): Promise<OpenedSegment | null> {
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    const lengthText = (await readBytes(file, { from: 0, to: Math.min(size, LENGTH_BYTES) }))
      .buffer;
    const headEnd = LENGTH_BYTES + Number(Buffer.from(lengthText).toString('latin1'));
    // Not a number of a file that is none of ours.
    if (!(headEnd <= size)) return null;
    const headText = (await readBytes(file, { from: LENGTH_BYTES, to: headEnd })).buffer;
    const head = JSON.parse(Buffer.from(headText).toString('utf8')) as FileHead;
    const start = alignUp(headEnd);
    if (head.format !== FORMAT || start + head.byteLength !== size) return null;
    if (!isWanted(head.origin)) return null;
    const { buffer, checksum } = await readBytes(file, { from: start, to: size });
    if (checksum !== head.checksum) return null;
    const ageMs = Math.max(0, Date.now() - mtimeMs);
    return { origin: head.origin, segment: viewArrays(head.arrays, buffer), ageMs };
  } finally {
    await file.close();
  }
}

function viewArrays(arrays: readonly ListedArray[], buffer: ArrayBuffer): SegmentArrays {
  const segment: Record<string, object> = {};
  for (const { path: names, type, offset, length } of arrays) {
    let node: Record<string, object> = segment;
    for (const name of names.slice(0, -1)) {
      node[name] ??= {};
      node = node[name] as Record<string, object>;
    }
    node[names.at(-1) ?? ''] = new TYPES[type](buffer, offset, length);
  }
  return segment as unknown as SegmentArrays;
}

async function readBytes(
  file: FileHandle,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<{ readonly buffer: ArrayBuffer; readonly checksum: number }> {
  const bytes = new Uint8Array(to - from);
  let checksum = 0;
  for (let read = 0; read < bytes.length; ) {
    const length = Math.min(READ_BYTES, bytes.length - read);
    const { bytesRead } = await file.read(bytes, read, length, from + read);
    if (bytesRead === 0) throw new Error('the file of a segment became shorter');
    checksum = crc32(bytes.subarray(read, read + bytesRead), checksum);
    read += bytesRead;
  }
  return { buffer: bytes.buffer, checksum };
}
