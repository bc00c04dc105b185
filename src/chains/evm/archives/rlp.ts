// RLP. The writer fills one buffer from its end: what comes last is written first, so that the
// length of a list is known when its head is written, and nothing is copied.

const SHORT_MAX = 55;

export class RlpWriter {
  #buffer: Buffer;
  #at: number;

  constructor(bytes = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafe(bytes);
    this.#at = bytes;
  }

  /** A place: what is written from here on lies before it. */
  get mark(): number {
    return this.#buffer.length - this.#at;
  }

  /** What was written since the mark; overwritten after the next `clear`. */
  since(mark: number): Buffer {
    return this.#buffer.subarray(this.#at, this.#buffer.length - mark);
  }

  clear(): void {
    this.#at = this.#buffer.length;
  }

  /** Bytes as they are, without a head. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#at);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#at] = value;
  }

  bytes(bytes: Uint8Array): void {
    this.raw(bytes);
    this.#head(bytes.length, 0x80);
  }

  /** Bytes as hex text with its prefix. */
  hex(text: string): void {
    const length = (text.length - 2) >> 1;
    this.#reserve(length);
    this.#buffer.write(text.slice(2), this.#at, length, 'hex');
    this.#head(length, 0x80);
  }

  /** A number without leading zeros; 0 is the empty string. */
  quantity(value: bigint | number): void {
    let digits = value === 0 || value === 0n ? '' : value.toString(16);
    if (digits.length % 2 === 1) digits = `0${digits}`;
    this.hex(`0x${digits}`);
  }

  /** Makes a list of what was written since the mark. */
  list(mark: number): void {
    this.#lengthHead(this.mark - mark, 0xc0);
  }

  #head(length: number, base: number): void {
    if (length === 1 && (this.#buffer[this.#at] ?? 0) < 0x80) return;
    this.#lengthHead(length, base);
  }

  #lengthHead(length: number, base: number): void {
    if (length <= SHORT_MAX) {
      this.byte(base + length);
      return;
    }
    let size = 0;
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) {
      this.byte(rest & 0xff);
      size += 1;
    }
    this.byte(base + SHORT_MAX + size);
  }

  #reserve(count: number): void {
    if (this.#at < count) {
      const grown = Buffer.allocUnsafe(2 * (this.#buffer.length + count));
      const used = this.since(0);
      this.#at = grown.length - used.length;
      grown.set(used, this.#at);
      this.#buffer = grown;
    }
    this.#at -= count;
  }
}

export type RlpItem = Buffer | readonly RlpItem[];

export class RlpError extends Error {}

export function encodeRlp(item: RlpItem): Buffer {
  const writer = new RlpWriter(1024);
  writeItem(writer, item);
  return writer.since(0);
}

function writeItem(writer: RlpWriter, item: RlpItem): void {
  if (Buffer.isBuffer(item)) {
    writer.bytes(item);
    return;
  }
  const mark = writer.mark;
  for (const inner of asList(item).toReversed()) writeItem(writer, inner);
  writer.list(mark);
}

/** Throws `RlpError` for anything but one whole item. */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const { item, end } = decodeAt(buffer, 0);
  if (end !== buffer.length) throw new RlpError('bytes after the item');
  return item;
}

function decodeAt(buffer: Buffer, at: number): { item: RlpItem; end: number } {
  const first = buffer[at];
  if (first === undefined) throw new RlpError('cut off');
  if (first < 0x80) return { item: buffer.subarray(at, at + 1), end: at + 1 };
  const base = first < 0xc0 ? 0x80 : 0xc0;
  const short = first - base;
  const size = Math.max(0, short - SHORT_MAX);
  const start = at + 1 + size;
  if (start > buffer.length || size > 6) throw new RlpError('cut off');
  const length = size === 0 ? short : buffer.readUIntBE(at + 1, size);
  const end = start + length;
  if (end > buffer.length) throw new RlpError('cut off');
  if (base === 0x80) return { item: buffer.subarray(start, end), end };
  const items: RlpItem[] = [];
  for (let next = start; next < end; ) {
    const one = decodeAt(buffer, next);
    if (one.end > end) throw new RlpError('an item is longer than its list');
    items.push(one.item);
    next = one.end;
  }
  return { item: items, end };
}

export function asBytes(item: RlpItem | undefined): Buffer {
  if (item === undefined || !Buffer.isBuffer(item)) throw new RlpError('bytes were expected');
  return item;
}

export function asList(item: RlpItem | undefined): readonly RlpItem[] {
  if (item === undefined || Buffer.isBuffer(item)) throw new RlpError('a list was expected');
  return item as readonly RlpItem[];
}
