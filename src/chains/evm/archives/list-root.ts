// The root of the trie of an ordered list, as headers have it of transactions and receipts: the key
// of an item is the RLP of its index (Ethereum's yellow paper, appendix D).

import { keccak, toHex } from '../data/keccak.ts';
import { RlpWriter } from './rlp.ts';

export const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

interface Leaf {
  /** The key, four bits in each byte. */
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}

function toPath(index: number): Uint8Array {
  const writer = new RlpWriter(8);
  writer.quantity(index);
  const key = writer.since(0);
  const path = new Uint8Array(key.length * 2);
  for (const [at, byte] of key.entries()) {
    path[at * 2] = byte >> 4;
    path[at * 2 + 1] = byte & 15;
  }
  return path;
}

/** Paths depend on the index alone. */
const paths: Uint8Array[] = [];

function findPath(index: number): Uint8Array {
  while (paths.length <= index && paths.length < 20_000) paths.push(toPath(paths.length));
  return paths[index] ?? toPath(index);
}

/** A part of a path as nodes have it: the first four bits say whether it is odd and ends here. */
function packPath(path: Uint8Array, isLeaf: boolean): Uint8Array {
  const odd = path.length & 1;
  const packed = new Uint8Array((path.length >> 1) + 1);
  packed[0] = ((isLeaf ? 2 : 0) + odd) << 4;
  if (odd === 1) packed[0] |= path[0] ?? 0;
  for (let from = odd, at = 1; from < path.length; from += 2, at += 1) {
    packed[at] = ((path[from] ?? 0) << 4) | (path[from + 1] ?? 0);
  }
  return packed;
}

class Trie {
  readonly #leaves: readonly Leaf[];
  readonly #writer = new RlpWriter();

  constructor(leaves: readonly Leaf[]) {
    this.#leaves = leaves;
  }

  computeRoot(): string {
    return toHex(keccak(this.#encode(0, this.#leaves.length, 0)));
  }

  /** The node of the leaves from `from` to before `to`, which have the first `depth` in common. */
  #encode(from: number, to: number, depth: number): Uint8Array {
    const first = this.#leaves[from];
    const last = this.#leaves[to - 1];
    if (first === undefined || last === undefined) throw new Error('a node without leaves');
    if (to - from === 1) {
      return this.#write(() => {
        this.#writer.bytes(first.value);
        this.#writer.bytes(packPath(first.path.subarray(depth), true));
      });
    }
    let common = depth;
    while (first.path[common] === last.path[common]) common += 1;
    if (common > depth) {
      const below = this.#refer(this.#encode(from, to, common));
      return this.#write(() => {
        this.#writer.raw(below);
        this.#writer.bytes(packPath(first.path.subarray(depth, common), false));
      });
    }
    const slots: (Uint8Array | null)[] = [];
    for (let slot = 0, at = from; slot < 16; slot += 1) {
      const start = at;
      while (at < to && this.#leaves[at]?.path[depth] === slot) at += 1;
      slots.push(at === start ? null : this.#refer(this.#encode(start, at, depth + 1)));
    }
    return this.#write(() => {
      // A key of such a list is never the start of another, so that no branch has a value.
      this.#writer.byte(0x80);
      for (const slot of slots.toReversed()) {
        if (slot === null) this.#writer.byte(0x80);
        else this.#writer.raw(slot);
      }
    });
  }

  #write(fill: () => void): Uint8Array {
    this.#writer.clear();
    fill();
    this.#writer.list(0);
    return this.#writer.since(0);
  }

  /** A node as its parent has it: itself if it is short, otherwise its hash. */
  #refer(node: Uint8Array): Uint8Array {
    if (node.length < 32) return Uint8Array.from(node);
    const refered = new Uint8Array(33);
    refered[0] = 0xa0;
    refered.set(keccak(node), 1);
    return refered;
  }
}

export function computeListRoot(values: readonly Uint8Array[]): string {
  if (values.length === 0) return EMPTY_ROOT;
  const leaves = values.map((value, index) => ({ path: findPath(index), value }));
  leaves.sort((a, b) => Buffer.compare(a.path, b.path));
  return new Trie(leaves).computeRoot();
}
