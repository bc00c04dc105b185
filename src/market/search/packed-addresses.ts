// Many addresses in little memory, found by position and by value.

import type { Address } from '../../model/ids.ts';

export interface AddressArrays {
  readonly bytes: Uint8Array;
  /** The start of each address; one more entry than there are addresses. */
  readonly starts: Uint32Array;
  /** An open-addressing hash table of positions plus one. */
  readonly slots: Uint32Array;
  /** The positions in order of the addresses. */
  readonly order: Uint32Array;
}

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/;

/** An EVM address takes twenty bytes; any other is stored as text after a zero byte. */
function toBytes(address: Address): Buffer {
  return EVM_ADDRESS.test(address)
    ? Buffer.from(address.slice(2), 'hex')
    : Buffer.concat([Buffer.of(0), Buffer.from(address, 'latin1')]);
}

const EVM_LENGTH = 20;

function hashBytes(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** `ranks` has the position of each address in the order of addresses. */
export function packAddresses(addresses: readonly Address[], ranks: Uint32Array): AddressArrays {
  const starts = new Uint32Array(addresses.length + 1);
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(addresses.length * 2 + 2)));
  const order = new Uint32Array(addresses.length);
  addresses.forEach((address, position) => {
    starts[position + 1] = (starts[position] ?? 0) + toBytes(address).length;
  });
  const bytes = new Uint8Array(starts[addresses.length] ?? 0);
  addresses.forEach((address, position) => {
    const part = toBytes(address);
    bytes.set(part, starts[position]);
    let slot = hashBytes(part) & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = position + 1;
    order[ranks[position] ?? 0] = position;
  });
  return { bytes, starts, slots, order };
}

export class PackedAddresses {
  readonly #arrays: AddressArrays;
  readonly #bytes: Buffer;

  constructor(arrays: AddressArrays) {
    this.#arrays = arrays;
    const { buffer, byteOffset, byteLength } = arrays.bytes;
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  at(position: number): Address {
    const { starts } = this.#arrays;
    const [from, to] = [starts[position] ?? 0, starts[position + 1] ?? 0];
    const text =
      to - from === EVM_LENGTH
        ? `0x${this.#bytes.toString('hex', from, to)}`
        : this.#bytes.toString('latin1', from + 1, to);
    return text as Address;
  }

  /** The position of an address; null if it is not here. */
  find(address: Address): number | null {
    const { starts, slots } = this.#arrays;
    const wanted = toBytes(address);
    let slot = hashBytes(wanted) & (slots.length - 1);
    for (;;) {
      const position = (slots[slot] ?? 0) - 1;
      if (position < 0) return null;
      const [from, to] = [starts[position] ?? 0, starts[position + 1] ?? 0];
      if (
        to - from === wanted.length &&
        this.#bytes.compare(wanted, 0, wanted.length, from, to) === 0
      ) {
        return position;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
  }

  /** The positions of addresses with a beginning, ascending, at most `limit` of them. */
  listStartingWith(start: string, limit: number): readonly number[] {
    const { order } = this.#arrays;
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(order[middle] ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    const found: number[] = [];
    for (; low < order.length && found.length < limit; low += 1) {
      const position = order[low] ?? 0;
      if (!this.at(position).startsWith(start)) break;
      found.push(position);
    }
    return found.sort((a, b) => a - b);
  }
}
