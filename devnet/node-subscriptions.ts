// Subscriptions of WebSocket clients (eth_subscribe): made again when the node is replaced.
//
// One connection to the node serves all clients. A client keeps the subscription id that it got
// first, whichever node answers.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { DevnetRpcError, type RpcReply } from './json-rpc.ts';

/** Gets messages of its subscriptions; identifies the client. */
export interface Subscriber {
  notify(message: unknown): void;
  /** The node has ended. */
  end(): void;
  /** Whether the client has disconnected. */
  readonly isGone: boolean;
}

interface Subscription {
  readonly owner: Subscriber;
  readonly params: readonly unknown[];
  readonly id: string;
}

interface Notification {
  readonly method?: string;
  readonly params?: { readonly subscription: string; readonly result: unknown };
}

/** How long the messages about the last block may take to arrive. */
const SETTLE_MAX_MS = 2_000;
const POLL_MS = 5;
const CONNECT_MAX_MS = 10_000;

/** A WebSocket connection to one node. */
class Upstream {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, (reply: RpcReply) => void>();
  readonly subscriptions = new Map<string, Subscription>();
  #lastId = 0;
  /** The newest block that the node has told of. */
  headHash: Hex | null = null;
  #headsId: unknown = null;

  private constructor(socket: WebSocket, onEnd: (ended: Upstream) => void) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#onMessage(JSON.parse(String(data))));
    socket.addEventListener('close', () => onEnd(this));
  }

  static async open(url: string, onEnd: (ended: Upstream) => void): Promise<Upstream> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'));
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error('the node takes no subscriptions'));
      const timer = setTimeout(fail, CONNECT_MAX_MS);
      socket.addEventListener('error', fail);
      socket.addEventListener('open', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    const upstream = new Upstream(socket, onEnd);
    await upstream.ask('eth_subscribe', ['newHeads'], ({ result }) => {
      upstream.#headsId = result;
    });
    return upstream;
  }

  /** `onReply` runs before any later message is read. */
  ask(
    method: string,
    params: readonly unknown[],
    onReply: (reply: RpcReply) => void = () => undefined,
  ): Promise<RpcReply> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error('the node has ended'));
      this.#socket.addEventListener('close', fail, { once: true });
      this.#pending.set(id, (reply) => {
        this.#socket.removeEventListener('close', fail);
        onReply(reply);
        resolve(reply);
      });
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  async subscribe(owner: Subscriber, params: readonly unknown[], id?: string): Promise<string> {
    const reply = await this.ask('eth_subscribe', params, ({ result }) => {
      if (typeof result !== 'string') return;
      this.subscriptions.set(result, { owner, params, id: id ?? result });
    });
    if (reply.error !== undefined) throw new DevnetRpcError('eth_subscribe', reply.error);
    // A client that disconnected meanwhile was not found when its subscriptions were removed.
    if (owner.isGone) await this.unsubscribe(String(reply.result));
    return id ?? String(reply.result);
  }

  async unsubscribe(nodeId: string): Promise<void> {
    this.subscriptions.delete(nodeId);
    await this.ask('eth_unsubscribe', [nodeId]);
  }

  /** Waits until all messages about the blocks up to this one have arrived, for a limited time. */
  async settle(headHash: Hex): Promise<void> {
    const deadline = Date.now() + SETTLE_MAX_MS;
    while (this.headHash !== null && this.headHash !== headHash && Date.now() < deadline) {
      await sleep(POLL_MS);
    }
    // The node writes the messages that are due before the reply.
    await this.ask('eth_chainId', []);
  }

  close(): void {
    this.#socket.close();
  }

  #onMessage(message: RpcReply & Notification): void {
    const reply = this.#pending.get(Number(message.id));
    if (message.method === undefined) {
      this.#pending.delete(Number(message.id));
      reply?.(message);
      return;
    }
    const { subscription: nodeId = '', result } = message.params ?? {};
    if (nodeId === this.#headsId) {
      this.headHash = (result as { readonly hash: Hex }).hash;
      return;
    }
    const found = this.subscriptions.get(nodeId);
    if (found === undefined) return;
    const { owner, id: subscription } = found;
    // After the reply to the subscription itself, which may have come in the same moment.
    setImmediate(() => owner.notify({ ...message, params: { subscription, result } }));
  }
}

export class NodeSubscriptions {
  #upstream: Promise<Upstream> | null = null;

  async add(url: string, owner: Subscriber, params: readonly unknown[]): Promise<string> {
    this.#upstream ??= this.#open(url);
    return (await this.#upstream).subscribe(owner, params);
  }

  async remove(owner: Subscriber, id: unknown): Promise<boolean> {
    const upstream = await this.#upstream;
    for (const [nodeId, one] of upstream?.subscriptions ?? []) {
      if (one.owner !== owner || one.id !== id) continue;
      await upstream?.unsubscribe(nodeId);
      return true;
    }
    return false;
  }

  async removeAll(owner: Subscriber): Promise<void> {
    const upstream = await this.#upstream?.catch(() => null);
    const ids = [...(upstream?.subscriptions.values() ?? [])]
      .filter((one) => one.owner === owner)
      .map(({ id }) => id);
    for (const id of ids) await this.remove(owner, id).catch(() => undefined);
  }

  /** While no block is mined. The returned function ends the subscriptions of the node before. */
  async move(to: {
    readonly url: string;
    /** The heads of the node before and of the next one. */
    readonly hashFrom: Hex;
    readonly hashTo: Hex;
  }): Promise<() => void> {
    const before = await this.#upstream;
    if (before == null) return () => undefined;
    await before.settle(to.hashFrom);
    const next = await Upstream.open(to.url, (ended) => void this.#end(ended));
    next.headHash = to.hashTo;
    for (const { owner, params, id } of before.subscriptions.values()) {
      if (owner.isGone) continue;
      await next.subscribe(owner, params, id);
    }
    return () => {
      this.#upstream = Promise.resolve(next);
      before.close();
    };
  }

  close(): void {
    const upstream = this.#upstream;
    this.#upstream = null;
    upstream?.then((one) => one.close()).catch(() => undefined);
  }

  async #open(url: string): Promise<Upstream> {
    try {
      return await Upstream.open(url, (ended) => void this.#end(ended));
    } catch (error) {
      this.#upstream = null;
      throw error;
    }
  }

  /** A node that ended by itself takes its clients' connections with it. */
  async #end(upstream: Upstream): Promise<void> {
    if ((await this.#upstream?.catch(() => null)) !== upstream) return;
    this.#upstream = null;
    for (const { owner } of upstream.subscriptions.values()) owner.end();
  }
}
