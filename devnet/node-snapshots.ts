// Snapshots of clients. They are in the node's memory only, and end with the node.

import type { JsonRpc } from './json-rpc.ts';

const TAKES = new Set(['evm_snapshot', 'anvil_snapshot']);
const REVERTS = new Set(['evm_revert', 'anvil_revert']);
const RADIX = 16;

export class NodeSnapshots {
  /** Numbered here: the next node starts again at 0, and an old id must not mean a new snapshot. */
  #count = 0;
  readonly #nodeIds = new Map<number, string>();

  get size(): number {
    return this.#nodeIds.size;
  }

  handles(method: string): boolean {
    return TAKES.has(method) || REVERTS.has(method);
  }

  async run(rpc: JsonRpc, call: { readonly method: string; readonly params: readonly unknown[] }) {
    if (TAKES.has(call.method)) {
      this.#nodeIds.set(this.#count, await rpc.call<string>(call.method));
      const id = `0x${this.#count.toString(RADIX)}`;
      this.#count += 1;
      return id;
    }
    const id = Number(call.params[0]);
    const nodeId = this.#nodeIds.get(id);
    if (nodeId === undefined) return false;
    const isReverted = await rpc.call<boolean>(call.method, nodeId);
    for (const one of this.#nodeIds.keys()) if (one >= id) this.#nodeIds.delete(one);
    return isReverted;
  }

  clear(): void {
    this.#nodeIds.clear();
  }
}
