// A node at the network's edge that announces blocks over a WebSocket. Only what is needed of the
// protocol: short text frames.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

const PROTOCOL_ID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export interface AnnouncingNode {
  readonly url: string;
  /** How often a client has connected. */
  readonly connections: number;
  /** Resolves when a client has subscribed; at once if one has. */
  subscribed(): Promise<void>;
  announce(header: unknown): void;
  send(text: string): void;
  /** Ends the connections without a word. */
  cut(): void;
  stop(): Promise<void>;
}

interface NodeBehaviour {
  /** What it says its chain is. */
  chainId: string;
  /** Whether it refuses to announce blocks. */
  refuses?: boolean;
}

function encodeFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const head =
    body.length < 126
      ? Buffer.from([0x81, body.length])
      : Buffer.from([0x81, 126, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([head, body]);
}

/** The texts of whole client frames, which are masked, and what is left. */
function decodeFrames(bytes: Buffer): { texts: string[]; rest: Buffer } {
  const texts: string[] = [];
  let at = 0;
  while (bytes.length >= at + 6) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const isLong = short === 126;
    const length = isLong ? bytes.readUInt16BE(at + 2) : short;
    const start = at + (isLong ? 8 : 6);
    if (bytes.length < start + length) break;
    const mask = bytes.subarray(start - 4, start);
    const body = Buffer.from(bytes.subarray(start, start + length));
    for (const [index, byte] of body.entries()) body[index] = byte ^ (mask[index % 4] ?? 0);
    if (((bytes[at] ?? 0) & 0x0f) === 1) texts.push(body.toString('utf8'));
    at = start + length;
  }
  return { texts, rest: bytes.subarray(at) };
}

export async function startAnnouncingNode(behaviour: NodeBehaviour): Promise<AnnouncingNode> {
  const open = new Set<Socket>();
  const waiting = new Set<() => void>();
  let connections = 0;
  let subscriptions = 0;
  const send = (text: string) => {
    for (const socket of open) socket.write(encodeFrame(text));
  };
  const answer = (socket: Socket, text: string) => {
    const { id, method } = JSON.parse(text) as { id: number; method: string };
    const isRefused = method === 'eth_subscribe' && behaviour.refuses;
    const result = method === 'eth_chainId' ? behaviour.chainId : '0x5b';
    const error = { code: -32601, message: 'no such subscription' };
    socket.write(
      encodeFrame(JSON.stringify({ jsonrpc: '2.0', id, ...(isRefused ? { error } : { result }) })),
    );
    if (method !== 'eth_subscribe') return;
    subscriptions += 1;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const server = createServer();
  server.on('upgrade', (request, socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    const key = String(request.headers['sec-websocket-key']);
    const accept = createHash('sha1').update(`${key}${PROTOCOL_ID}`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    let unread = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      const { texts, rest } = decodeFrames(Buffer.concat([unread, chunk]));
      unread = Buffer.from(rest);
      for (const text of texts) answer(socket, text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/sEcReTkEy0123456789`,
    get connections() {
      return connections;
    },
    subscribed: () => {
      if (open.size > 0 && subscriptions === connections) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      return promise;
    },
    announce: (result) => {
      const params = { subscription: '0x5b', result };
      send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
    },
    send,
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
