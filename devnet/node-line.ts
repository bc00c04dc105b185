// A connection to the devnet's node that stays when the node is replaced by another.

import type { ChangeGate } from './change-gate.ts';
import { createJsonRpc, type DevnetRpcCall, type JsonRpc, type RpcReply } from './json-rpc.ts';

export class NodeLine implements JsonRpc {
  readonly #gate: ChangeGate;
  #current: JsonRpc;
  /** The connection to the node before; its last replies may still be under way. */
  #previous: JsonRpc | null = null;

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

  call<T>(method: string, ...params: unknown[]): Promise<T> {
    return this.#gate.pass([method], () => this.#current.call<T>(method, ...params));
  }

  batch<T>(calls: readonly DevnetRpcCall[]): Promise<T[]> {
    return this.#gate.pass(listMethods(calls), () => this.#current.batch<T>(calls));
  }

  ask(calls: readonly DevnetRpcCall[]): Promise<readonly RpcReply[]> {
    return this.#gate.pass(listMethods(calls), () => this.#current.ask(calls));
  }

  close(): void {
    this.#previous?.close();
    this.#current.close();
  }
}

function listMethods(calls: readonly DevnetRpcCall[]): string[] {
  return calls.map(({ method }) => method);
}
