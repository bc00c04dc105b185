// Many addresses (or pool ids) in little memory, numbered in the order in which they came.

const HEX = /^0x(?:[0-9a-f]{2})+$/;
const TEXT_TAG = 0;
const HEX_TAG = 1;
const SLOTS_FIRST = 1024;
const BYTES_FIRST = 16_384;

/** A tag, then the bytes of lower-case hexadecimal, or the characters of any other text. */
function toBytes(id: string): Buffer {
  return HEX.test(id)
    ? Buffer.concat([Buffer.of(HEX_TAG), Buffer.from(id.slice(2), 'hex')])
    : Buffer.concat([Buffer.of(TEXT_TAG), Buffer.from(id, 'latin1')]);
}

function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

export class PackedIds<Id extends string> {
  #bytes = Buffer.alloc(BYTES_FIRST);
  #end = 0;
  /** The start of each id; its end is the start of the next. */
  #starts = new Uint32Array(SLOTS_FIRST);
  /** An open-addressing hash table of positions plus one, at most half full. */
  #slots = new Uint32Array(SLOTS_FIRST);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  at(position: number): Id {
    const [from, to] = this.#rangeOf(position);
    const isHex = this.#bytes[from] === HEX_TAG;
    const text = this.#bytes.toString(isHex ? 'hex' : 'latin1', from + 1, to);
    return (isHex ? `0x${text}` : text) as Id;
  }

  /** Null if the id is not here. */
  find(id: string): number | null {
    const bytes = toBytes(id);
    const position = (this.#slots[this.#findSlot(bytes)] ?? 0) - 1;
    return position < 0 ? null : position;
  }

  /** The id's position; a new one if it was not here. */
  add(id: Id): number {
    const bytes = toBytes(id);
    const known = this.#slots[this.#findSlot(bytes)] ?? 0;
    if (known > 0) return known - 1;
    this.#reserve(bytes.length);
    this.#slots[this.#findSlot(bytes)] = this.#size + 1;
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
    this.#size += 1;
    this.#starts[this.#size] = this.#end;
    return this.#size - 1;
  }

  /** In the order of their texts, as for `sort`; ids of one chain have one form. */
  compare(a: number, b: number): number {
    const [fromA, toA] = this.#rangeOf(a);
    const [fromB, toB] = this.#rangeOf(b);
    const length = Math.min(toA - fromA, toB - fromB);
    for (let offset = 0; offset < length; offset += 1) {
      const difference = (this.#bytes[fromA + offset] ?? 0) - (this.#bytes[fromB + offset] ?? 0);
      if (difference !== 0) return difference;
    }
    return toA - fromA - (toB - fromB);
  }

  #rangeOf(position: number): readonly [number, number] {
    return [this.#starts[position] ?? 0, this.#starts[position + 1] ?? 0];
  }

  /** The slot of these bytes, or the free slot where they belong. */
  #findSlot(wanted: Buffer): number {
    const mask = this.#slots.length - 1;
    let slot = hashBytes(wanted, 0, wanted.length) & mask;
    for (;;) {
      const position = (this.#slots[slot] ?? 0) - 1;
      if (position < 0) return slot;
      const [from, to] = this.#rangeOf(position);
      const isOfLength = to - from === wanted.length;
      if (isOfLength && this.#bytes.compare(wanted, 0, wanted.length, from, to) === 0) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #reserve(byteCount: number): void {
    if (this.#end + byteCount > this.#bytes.length) {
      const grown = Buffer.alloc(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    if (this.#size + 2 > this.#starts.length) {
      const grown = new Uint32Array(this.#starts.length * 2);
      grown.set(this.#starts);
      this.#starts = grown;
    }
    if ((this.#size + 1) * 2 > this.#slots.length) this.#rehash(this.#slots.length * 2);
  }

  #rehash(slotCount: number): void {
    const slots = new Uint32Array(slotCount);
    for (let position = 0; position < this.#size; position += 1) {
      const [from, to] = this.#rangeOf(position);
      let slot = hashBytes(this.#bytes, from, to) & (slotCount - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slotCount - 1);
      slots[slot] = position + 1;
    }
    this.#slots = slots;
  }
}
