// Filters of clients (eth_newFilter and the like): made again when the node is replaced.

import type { JsonRpc } from './json-rpc.ts';

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

interface NodeFilter {
  readonly made: Call;
  nodeId: string;
  /** Changes that the node before had for its client. */
  kept: unknown[];
}

const MAKES = new Set([
  ...['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter'],
]);
const FILTERS_MAX = 1_000;

export class NodeFilters {
  /** By the id that the client got: that of the first node. */
  readonly #filters = new Map<string, NodeFilter>();

  handles(method: string): boolean {
    return MAKES.has(method) || /^eth_(getFilterChanges|uninstallFilter)$/.test(method);
  }

  /** The parameters of a log filter, to read its logs; undefined for any other. */
  findLogFilter(id: unknown): unknown {
    const made = this.#filters.get(String(id))?.made;
    return made?.method === 'eth_newFilter' ? made.params[0] : undefined;
  }

  async run(rpc: JsonRpc, call: Call): Promise<unknown> {
    if (MAKES.has(call.method)) return this.#make(rpc, call);
    const id = String(call.params[0]);
    const filter = this.#filters.get(id);
    if (filter === undefined) return rpc.call(call.method, ...call.params);
    if (call.method === 'eth_uninstallFilter') {
      this.#filters.delete(id);
      return rpc.call(call.method, filter.nodeId);
    }
    try {
      const changes = await rpc.call<unknown[]>(call.method, filter.nodeId);
      const kept = filter.kept;
      filter.kept = [];
      return [...kept, ...changes];
    } catch (error) {
      // The node drops filters that nobody asks for.
      this.#filters.delete(id);
      throw error;
    }
  }

  /** While no block is mined. */
  async move(from: JsonRpc, to: JsonRpc): Promise<() => void> {
    const moved = new Map<NodeFilter, string>();
    for (const [id, filter] of this.#filters) {
      const [reply] = await from.ask([{ method: 'eth_getFilterChanges', params: [filter.nodeId] }]);
      if (!Array.isArray(reply?.result)) {
        this.#filters.delete(id);
        continue;
      }
      filter.kept.push(...reply.result);
      const { method, params } = filter.made;
      moved.set(filter, await to.call<string>(method, ...params.map(withoutPast)));
    }
    return () => {
      for (const [filter, nodeId] of moved) filter.nodeId = nodeId;
    };
  }

  async #make(rpc: JsonRpc, made: Call): Promise<string> {
    const id = await rpc.call<string>(made.method, ...made.params);
    this.#filters.set(id, { made, nodeId: id, kept: [] });
    const [oldest] = this.#filters.keys();
    if (this.#filters.size > FILTERS_MAX && oldest !== undefined) this.#filters.delete(oldest);
    return id;
  }
}

/** With a first block, the node would tell the logs since then once more. */
function withoutPast(filter: unknown): unknown {
  if (typeof filter !== 'object' || filter === null) return filter;
  const { fromBlock: _, ...rest } = filter as Record<string, unknown>;
  return rest;
}
