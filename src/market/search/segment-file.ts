// A search segment as a file, for other processes: a list of its arrays, then their bytes.

import { open, writeFile } from 'node:fs/promises';
import type { SegmentArrays } from './segment.ts';

const TYPES = { Uint8Array, Uint32Array, Float64Array } as const;

type SegmentArray = InstanceType<(typeof TYPES)[keyof typeof TYPES]>;

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

export async function writeSegmentFile(path: string, segment: SegmentArrays): Promise<void> {
  const arrays = [...listArrays(segment)];
  let offset = 0;
  const listed = arrays.map((one): ListedArray => {
    const at = offset;
    offset = alignUp(at + one.array.byteLength);
    const { length } = one.array;
    return { path: one.path, type: findType(one.array), offset: at, length };
  });
  const list = JSON.stringify(listed);
  const headBytes = alignUp(LENGTH_BYTES + list.length);
  const head = `${String(list.length).padEnd(LENGTH_BYTES)}${list}`.padEnd(headBytes);
  const parts: Uint8Array[] = [Buffer.from(head, 'latin1')];
  for (const { array } of arrays) {
    const { buffer, byteOffset, byteLength } = array;
    parts.push(new Uint8Array(buffer, byteOffset, byteLength));
    parts.push(new Uint8Array(alignUp(byteLength) - byteLength));
  }
  await writeFile(path, parts, { mode: 0o600 });
}

/** The arrays are views of one buffer, which holds the whole file. */
export async function readSegmentFile(path: string): Promise<SegmentArrays> {
  const buffer = await readBuffer(path);
  const listLength = Number(Buffer.from(buffer, 0, LENGTH_BYTES).toString('latin1'));
  const text = Buffer.from(buffer, LENGTH_BYTES, listLength).toString('latin1');
  const start = alignUp(LENGTH_BYTES + listLength);
  const segment: Record<string, object> = {};
  for (const { path: names, type, offset, length } of JSON.parse(text) as ListedArray[]) {
    let node: Record<string, object> = segment;
    for (const name of names.slice(0, -1)) {
      node[name] ??= {};
      node = node[name] as Record<string, object>;
    }
    node[names.at(-1) ?? ''] = new TYPES[type](buffer, start + offset, length);
  }
  return segment as unknown as SegmentArrays;
}

async function readBuffer(path: string): Promise<ArrayBuffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = new Uint8Array(size);
    for (let read = 0; read < size; ) {
      const { bytesRead } = await file.read(bytes, read, size - read, read);
      if (bytesRead === 0) throw new Error(`${path} is shorter than expected`);
      read += bytesRead;
    }
    return bytes.buffer;
  } finally {
    await file.close();
  }
}
