// Finds stream clients that never read. The system buffers megabytes per connection before anything
// waits in this process, so the TCP send queues are checked, too.

import { read } from 'node:fs';
import { open } from 'node:fs/promises';
import { endianness } from 'node:os';
import type { Clock } from '../lib/clock.ts';

// Reads the TCP send queues: bytes written to a connection that the peer has not acknowledged.
// Linux lists them in /proc/net/tcp and tcp6, for all connections at once.

/** The two ends of a connection, with the field names of `net.Socket`. */
interface ConnectionEnds {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** Unacknowledged bytes by `formatConnection`; connections without any are left out. */
export type SendQueues = ReadonlyMap<string, number>;

/** Null if the system does not report them, or the table is too long. */
export type ReadSendQueues = () => Promise<SendQueues | null>;

/** More than 100,000 connections; above that, reading would cost too much. */
const TABLE_BYTES_MAX = 16 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

const COLON = 0x3a;
const LINE_FEED = 0x0a;
const ZERO = 0x30;

function parseIpv6Groups(address: string): number[] {
  const [plain = ''] = address.split('%', 1);
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain);
  const [a = 0, b = 0, c = 0, d = 0] = dotted?.slice(2).map(Number) ?? [];
  const text =
    dotted === null
      ? plain
      : `${dotted[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const [left = [], right = []] = text
    .split('::', 2)
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = new Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

/** Each word of four bytes in the machine's byte order, in hexadecimal. */
function toTableAddress(address: string, order: 'LE' | 'BE'): string {
  const bytes = address.includes(':')
    ? parseIpv6Groups(address).flatMap((group) => [group >> 8, group & 0xff])
    : address.split('.').map(Number);
  const buffer = Buffer.from(bytes);
  if (order === 'LE') buffer.swap32();
  return buffer.toString('hex').toUpperCase();
}

function toTablePort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

/** A connection's name in the system's table; null if it is no longer connected. */
export function formatConnection(ends: ConnectionEnds, order = endianness()): string | null {
  const { localAddress, localPort, remoteAddress, remotePort } = ends;
  if (!localAddress || !localPort || !remoteAddress || !remotePort) return null;
  const local = `${toTableAddress(localAddress, order)}:${toTablePort(localPort)}`;
  return `${local} ${toTableAddress(remoteAddress, order)}:${toTablePort(remotePort)}`;
}

/**
 * Adds the entries of one table. A line is
 * `   0: 0100007F:1F90 0100007F:C350 01 00000A28:00000000 …`: its number, the two ends, the state,
 * then the send and receive queues. Nearly all queues are empty, so the queue is checked before the
 * line is parsed.
 */
export function parseSendQueues(
  table: Buffer,
  addressLength: 8 | 32,
  queues: Map<string, number>,
): void {
  const nameLength = 2 * (addressLength + 5) + 1;
  // Skips the header line.
  let start = table.indexOf(LINE_FEED) + 1;
  while (start > 0 && start < table.length) {
    const name = table.indexOf(COLON, start) + 2;
    // After the name: a space, two digits of state, a space.
    const queue = name + nameLength + 4;
    if (name < 2 || queue + 8 > table.length) return;
    let digit = 0;
    while (digit < 8 && table[queue + digit] === ZERO) digit += 1;
    if (digit < 8) {
      const bytes = Number.parseInt(table.toString('latin1', queue + digit, queue + 8), 16);
      queues.set(table.toString('latin1', name, name + nameLength), bytes);
    }
    start = table.indexOf(LINE_FEED, queue) + 1;
  }
}

/**
 * The system returns one page per read, so this is called often: callbacks cost half of promises.
 */
function readAll(file: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let table = Buffer.allocUnsafe(FIRST_BYTES);
    let length = 0;
    const readOn = () => {
      if (length === table.length) {
        if (length >= TABLE_BYTES_MAX) return resolve(null);
        table = Buffer.concat([table], 2 * length);
      }
      read(file, table, length, table.length - length, null, (error, bytesRead) => {
        if (error !== null) return reject(error);
        if (bytesRead === 0) return resolve(table.subarray(0, length));
        length += bytesRead;
        readOn();
      });
    };
    readOn();
  });
}

/** Null if it cannot be read. */
async function readTable(path: string): Promise<Buffer | null> {
  try {
    await using file = await open(path);
    return await readAll(file.fd);
  } catch {
    return null;
  }
}

export async function readSendQueues(): Promise<SendQueues | null> {
  const queues = new Map<string, number>();
  const table = await readTable('/proc/net/tcp');
  if (table === null) return null;
  parseSendQueues(table, 8, queues);
  // Missing if IPv6 is disabled.
  const table6 = await readTable('/proc/net/tcp6');
  if (table6 !== null) parseSendQueues(table6, 32, queues);
  return queues;
}

interface WatchedSocket extends ConnectionEnds {
  /** Bytes written, whether or not they have left this process. */
  readonly bytesWritten: number;
  /** Of those, bytes that are still in this process. */
  readonly writableLength: number;
}

export interface WatchedQueue {
  /**
   * How long the system's send queue has been non-empty without any acknowledged byte, as of the
   * last check; 0 if it was empty or is unknown.
   */
  readonly stalledMs: number;
  /** Call this when the connection closes. */
  forget(): void;
}

interface SendQueueWatchOptions {
  readonly readSendQueues: ReadSendQueues;
  readonly clock: Clock;
}

const POLL_EVERY_MS = 15_000;

class Queue {
  readonly #socket: WatchedSocket;
  /** Bytes that had left this process before the current check; null before the first. */
  #takenBytes: number | null = null;
  /** The highest number of bytes known to be acknowledged. */
  #ackedBytes = Number.NEGATIVE_INFINITY;
  #sinceMs = 0;
  stalledMs = 0;

  constructor(socket: WatchedSocket) {
    this.#socket = socket;
  }

  /**
   * Called before the queues are read: bytes written during the read may already be queued, and
   * must not count as acknowledged.
   */
  prepare(): void {
    this.#takenBytes = this.#socket.bytesWritten - this.#socket.writableLength;
  }

  see(queuedBytes: number, nowMs: number): void {
    if (this.#takenBytes === null) return;
    // An empty queue cannot stall: time counts from the first check that finds bytes in it.
    const ackedBytes =
      queuedBytes === 0 ? Number.NEGATIVE_INFINITY : this.#takenBytes - queuedBytes;
    if (queuedBytes === 0 || ackedBytes > this.#ackedBytes) {
      this.#ackedBytes = ackedBytes;
      this.#sinceMs = nowMs;
    }
    this.stalledMs = nowMs - this.#sinceMs;
  }
}

export class SendQueueWatch {
  readonly #options: SendQueueWatchOptions;
  readonly #queues = new Map<string, Queue>();
  #timer: NodeJS.Timeout | null = null;
  #isPolling = false;

  constructor(options: SendQueueWatchOptions) {
    this.#options = options;
  }

  watch(socket: WatchedSocket): WatchedQueue {
    const queue = new Queue(socket);
    const name = formatConnection(socket);
    if (name !== null) {
      this.#queues.set(name, queue);
      this.#timer ??= setInterval(() => void this.poll(), POLL_EVERY_MS).unref();
    }
    return {
      get stalledMs() {
        return queue.stalledMs;
      },
      forget: () => {
        if (name !== null && this.#queues.get(name) === queue) this.#queues.delete(name);
        if (this.#queues.size > 0 || this.#timer === null) return;
        clearInterval(this.#timer);
        this.#timer = null;
      },
    };
  }

  /** Reads the system's tables once for all connections. */
  async poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      for (const queue of this.#queues.values()) queue.prepare();
      const queued = await this.#options.readSendQueues();
      const nowMs = this.#options.clock.monotonicMs();
      // An unknown queue counts as empty: nobody is disconnected for it.
      for (const [name, queue] of this.#queues) queue.see(queued?.get(name) ?? 0, nowMs);
    } finally {
      this.#isPolling = false;
    }
  }
}
