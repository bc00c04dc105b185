// JSON-RPC over WebSocket: the same methods and answers as over HTTP, and subscriptions.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
// @ts-expect-error: the package has no types of its own
import { WebSocketServer } from 'ws';
import type { Subscriber } from './node-subscriptions.ts';
import { answerCalls, type Call, type FrontParts, parseCalls, planCalls } from './plan-call.ts';

export interface SocketFront {
  accept(incoming: IncomingMessage, socket: Socket, head: Buffer): void;
  close(): void;
}

export interface SocketFrontOptions {
  /** Null until the devnet has started. */
  readonly parts: () => FrontParts | null;
  readonly beforeCalls: (parts: FrontParts, methods: readonly string[]) => Promise<void>;
}

/** The part of `ws` that is used here. */
interface WsConnection {
  readonly bufferedAmount: number;
  send(text: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: Buffer) => void): void;
  on(event: 'close' | 'error', listener: () => void): void;
}

interface WsServer {
  readonly clients: ReadonlySet<WsConnection>;
  handleUpgrade(
    incoming: IncomingMessage,
    socket: Socket,
    head: Buffer,
    done: (connection: WsConnection) => void,
  ): void;
  close(): void;
}

const MESSAGE_BYTES_MAX = 64 * 1024 ** 2;
/** A client that reads more slowly than messages come is cut off here. */
const UNREAD_BYTES_MAX = 64 * 1024 ** 2;

function createSubscriber(connection: WsConnection): Subscriber {
  let isGone = false;
  connection.on('close', () => {
    isGone = true;
  });
  return {
    get isGone() {
      return isGone;
    },
    notify(message) {
      if (connection.bufferedAmount > UNREAD_BYTES_MAX) connection.terminate();
      else connection.send(JSON.stringify(message));
    },
    end: () => connection.terminate(),
  };
}

function planSubscription(parts: FrontParts, subscriber: Subscriber, { method, params }: Call) {
  const { gate, memory, rpc } = parts;
  const pass = <T>(work: () => Promise<T>) => gate.pass([method], work);
  if (method === 'eth_subscribe') {
    return () => pass(() => memory.subscriptions.add(rpc.url, subscriber, params));
  }
  if (method === 'eth_unsubscribe') {
    return () => pass(() => memory.subscriptions.remove(subscriber, params[0]));
  }
  return undefined;
}

export function startSocketFront(options: SocketFrontOptions): SocketFront {
  const server: WsServer = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES_MAX });

  async function answer(subscriber: Subscriber, text: string): Promise<void> {
    const parts = options.parts();
    const parsed = parseCalls(text);
    if (parts === null) return subscriber.end();
    if (parsed.kind !== 'calls') return subscriber.notify(parsed.failure);
    const { calls, isBatch } = parsed;
    await options.beforeCalls(
      parts,
      calls.map(({ method }) => method),
    );
    const planned = planCalls(parts, calls, (call) => planSubscription(parts, subscriber, call));
    const replies = await answerCalls(parts, planned);
    subscriber.notify(isBatch ? replies : replies[0]);
  }

  function serve(connection: WsConnection): void {
    const subscriber = createSubscriber(connection);
    connection.on('message', (data) => {
      // Without the node there is no answer.
      answer(subscriber, String(data)).catch(() => connection.terminate());
    });
    connection.on('error', () => connection.terminate());
    connection.on('close', () => {
      const parts = options.parts();
      const remove = async () => parts?.memory.subscriptions.removeAll(subscriber);
      parts?.gate.pass(['eth_unsubscribe'], remove).catch(() => undefined);
    });
  }

  return {
    accept(incoming, socket, head) {
      server.handleUpgrade(incoming, socket, head, serve);
    },
    close() {
      for (const connection of server.clients) connection.terminate();
      server.close();
    },
  };
}
