// Blocks as a node announces them over a WebSocket (`eth_subscribe` to `newHeads`). Connects again
// after a loss; meanwhile `latest` is null and the head is polled. Nothing can be missed: blocks
// are always read from the last indexed one up to the head.

import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Backoff, computeBackoffMs, type Random } from '../../../lib/retry.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { RpcMeter } from '../../rpc/rpc-meter.ts';
import { type EvmBlock, parseBlock } from '../data/parse-block.ts';

interface HeadSubscriptionOptions {
  readonly urls: readonly string[];
  readonly chainId: number;
  readonly meter: RpcMeter;
  readonly random: Random;
  readonly log: { warn(fields: object, message: string): void };
}

const BACKOFF: Backoff = { baseMs: 500, maxMs: 60_000 };
const CONNECT_MS = 15_000;
/** So many announced blocks are kept until they are read. */
const RECENT_MAX = 32;
/** A subscription that is this many blocks behind, and this long, is taken to be dead. */
const SILENT_BLOCKS = 3;
const SILENT_MS = 5000;
/** Headers take about two kilobytes. */
const MESSAGE_LENGTH_MAX = 100_000;
const SUBSCRIBE_ID = 1;
const CHAIN_ID = 2;

function parseMessage(data: unknown): Record<string, unknown> | null {
  if (typeof data !== 'string' || data.length > MESSAGE_LENGTH_MAX) return null;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

export class HeadSubscription {
  readonly #options: HeadSubscriptionOptions;
  readonly #waiting = new Set<() => void>();
  readonly #refused = new Set<string>();
  #socket: WebSocket | null = null;
  #url: URL | null = null;
  #isSubscribed = false;
  #isOnChain = false;
  #latest: EvmBlock | null = null;
  /** By position. */
  readonly #recent = new BoundedMap<number, EvmBlock>(RECENT_MAX);
  #failures = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  #lastFault: string | null = null;

  constructor(options: HeadSubscriptionOptions) {
    this.#options = options;
  }

  /** The newest announced block; null while there is no connection. */
  get latest(): EvmBlock | null {
    return this.#latest;
  }

  /** An announced block, so that it need not be read. */
  find(position: number): EvmBlock | null {
    return this.#recent.get(position) ?? null;
  }

  /** They turned out to be of another branch. */
  forget(): void {
    this.#recent.clear();
  }

  /** Why blocks are polled although they could be announced; null if they are announced. */
  describeFault(): string | null {
    return this.#latest === null && this.#lastFault !== null
      ? `${this.#lastFault}; new blocks are polled for`
      : null;
  }

  /** Whether an endpoint of that name is probably the same node. */
  isSameHost(name: string): boolean {
    return this.#url !== null && name.split('#')[0] === this.#url.hostname;
  }

  start(): void {
    if (this.#socket === null && this.#timer === null && !this.#isClosed) this.#connect();
  }

  /** Resolves with the next announcement, or when the signal aborts. */
  async untilNews(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise.finally(() => this.#waiting.delete(resolve));
  }

  /** The chain has this block; a connection that is far behind it is dead. */
  expect({ position, timestampMs }: BlockHeader): void {
    const header = this.#latest?.header ?? null;
    if (header === null || position - header.position <= SILENT_BLOCKS) return;
    if (timestampMs - header.timestampMs > SILENT_MS) this.#drop('stopped announcing blocks');
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#release();
  }

  /** Each attempt takes the next endpoint. */
  #connect(): void {
    const urls = this.#options.urls.filter((url) => !this.#refused.has(url));
    const text = urls[this.#failures % Math.max(1, urls.length)];
    if (text === undefined) return;
    const url = new URL(text);
    const socket = new WebSocket(url);
    this.#url = url;
    this.#socket = socket;
    const isCurrent = () => this.#socket === socket;
    this.#timer = setTimeout(() => isCurrent() && this.#drop('did not answer'), CONNECT_MS);
    this.#timer.unref();
    socket.addEventListener('open', () => {
      if (!isCurrent()) return;
      this.#options.meter.countCalls(['eth_subscribe', 'eth_chainId']);
      this.#send(socket, CHAIN_ID, 'eth_chainId', []);
      this.#send(socket, SUBSCRIBE_ID, 'eth_subscribe', ['newHeads']);
    });
    socket.addEventListener('message', ({ data }) => {
      if (isCurrent()) this.#onMessage(data);
    });
    // The event's text is left out: it may hold the URL.
    const onEnd = () => {
      if (!isCurrent()) return;
      this.#drop(this.#isSubscribed ? 'closed the connection' : 'could not be connected to');
    };
    socket.addEventListener('error', onEnd);
    socket.addEventListener('close', onEnd);
  }

  #send(socket: WebSocket, id: number, method: string, params: readonly unknown[]): void {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  #onMessage(data: unknown): void {
    const message = parseMessage(data);
    if (message === null) return;
    const { id, result, error } = message;
    if (error !== undefined && (id === SUBSCRIBE_ID || id === CHAIN_ID)) {
      this.#drop('does not offer newHeads');
    } else if (id === CHAIN_ID) {
      this.#isOnChain = Number(result) === this.#options.chainId;
      if (!this.#isOnChain) this.#refuse();
    } else if (id === SUBSCRIBE_ID) {
      this.#isSubscribed = typeof result === 'string';
    } else if (message['method'] === 'eth_subscription') {
      const { meter } = this.#options;
      meter.countCalls(['newHeads']);
      const bytes = String(data).length;
      meter.countBytes(['newHeads'], { wireBytes: bytes, bytes });
      this.#announce((message['params'] as { result?: unknown } | undefined)?.result);
    }
    if (this.#isOnChain && this.#isSubscribed && this.#timer) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }

  #announce(result: unknown): void {
    if (!this.#isOnChain || !this.#isSubscribed) return;
    try {
      this.#latest = parseBlock(result, this.#name);
      if (this.#latest !== null) this.#recent.set(this.#latest.header.position, this.#latest);
    } catch {
      this.#drop('announced a malformed block');
      return;
    }
    this.#failures = 0;
    this.#lastFault = null;
    for (const resolve of this.#waiting) resolve();
  }

  get #name(): string {
    return `${this.#url?.hostname ?? ''} (WebSocket)`;
  }

  #refuse(): void {
    const url = this.#options.urls.find((one) => new URL(one).href === this.#url?.href);
    if (url !== undefined) this.#refused.add(url);
    this.#drop('serves another chain');
  }

  #drop(reason: string): void {
    const { random, log } = this.#options;
    this.#lastFault = `${this.#name} ${reason}`;
    this.#release();
    // Who waits for an announcement polls instead.
    for (const resolve of this.#waiting) resolve();
    if (this.#isClosed) return;
    this.#failures += 1;
    const waitMs = computeBackoffMs(this.#failures, BACKOFF, random);
    log.warn({ reason: this.#lastFault, waitMs }, 'blocks are no longer announced');
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#connect();
    }, waitMs);
    this.#timer.unref();
  }

  #release(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#latest = null;
    this.#recent.clear();
    this.#isSubscribed = false;
    this.#isOnChain = false;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    socket?.close();
  }
}
