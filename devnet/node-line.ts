// A connection to the devnet's node that stays when the node is replaced by another.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeGate } from './change-gate.ts';
import { createJsonRpc, type DevnetRpcCall, type JsonRpc, type RpcReply } from './json-rpc.ts';

export class NodeLine implements JsonRpc {
  readonly #gate: ChangeGate;
  #current: JsonRpc;
  /** The connection to the node before; its last replies may still be under way. */
  #previous: JsonRpc | null = null;
  /** Calls that have no reply yet, by connection. */
  readonly #running = new Map<JsonRpc, Set<Promise<unknown>>>();

  constructor(url: string, gate: ChangeGate) {
    this.#gate = gate;
    this.#current = createJsonRpc(url);
  }

  get url(): string {
    return this.#current.url;
  }

  /** Later calls go to another node. */
  switchTo(url: string): void {
    this.#previous?.close();
    this.#previous = this.#current;
    this.#current = createJsonRpc(url);
  }

  /** Resolves when the node before has replied to all calls of this line, or after the time. */
  async drainPrevious(waitMaxMs: number): Promise<void> {
    const running = this.#previous === null ? [] : [...(this.#running.get(this.#previous) ?? [])];
    if (running.length === 0) return;
    const waited = new AbortController();
    const late = sleep(waitMaxMs, undefined, { signal: waited.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(running), late]);
    waited.abort();
  }

  call<T>(method: string, ...params: unknown[]): Promise<T> {
    return this.#pass([method], (rpc) => rpc.call<T>(method, ...params));
  }

  batch<T>(calls: readonly DevnetRpcCall[]): Promise<T[]> {
    return this.#pass(listMethods(calls), (rpc) => rpc.batch<T>(calls));
  }

  ask(calls: readonly DevnetRpcCall[]): Promise<readonly RpcReply[]> {
    return this.#pass(listMethods(calls), (rpc) => rpc.ask(calls));
  }

  #pass<T>(methods: readonly string[], send: (rpc: JsonRpc) => Promise<T>): Promise<T> {
    return this.#gate.pass(methods, () => {
      const rpc = this.#current;
      const running = this.#running.get(rpc) ?? new Set();
      this.#running.set(rpc, running);
      const reply = send(rpc).finally(() => {
        running.delete(reply);
        if (running.size === 0) this.#running.delete(rpc);
      });
      running.add(reply);
      return reply;
    });
  }

  close(): void {
    this.#previous?.close();
    this.#current.close();
  }
}

function listMethods(calls: readonly DevnetRpcCall[]): string[] {
  return calls.map(({ method }) => method);
}
