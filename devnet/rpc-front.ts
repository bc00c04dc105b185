// The devnet's RPC server: forwards requests to the node, and answers some itself.
//
// It serves old blocks, which the node has dropped (archive-answers.ts), and it alone decides when
// blocks are mined (block-clock.ts), so that nothing else changes the chain at the same time.
// Clients do not notice that the node is replaced now and then (node-roller.ts).

import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  answerCalls,
  buildInternalFailure,
  type FrontParts,
  isLeftToNode,
  parseCalls,
  planCalls,
} from './plan-call.ts';
import { startSocketFront } from './socket-front.ts';

export interface RpcFront {
  readonly url: string;
  /** Until this is called every request is rejected: the devnet is starting. */
  open(parts: FrontParts): void;
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 64 * 1024 ** 2;
/** Clients keep connections open; closing one looks like a failing node. */
const KEEP_ALIVE_MS = 600_000;

function readBody(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > BODY_BYTES_MAX) incoming.destroy(new Error('the request is too large'));
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
  });
}

function answer(outgoing: ServerResponse, status: number, value: unknown): void {
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
  });
  outgoing.end(JSON.stringify(value));
}

/** Forwards the request and the reply unchanged, headers included. */
function forward(
  target: { readonly url: string; readonly agent: Agent },
  exchange: { incoming: IncomingMessage; outgoing: ServerResponse; body: Buffer },
): Promise<void> {
  const { incoming, outgoing, body } = exchange;
  const { 'transfer-encoding': _, ...headers } = incoming.headers;
  const options = {
    method: incoming.method,
    agent: target.agent,
    headers: { ...headers, 'content-length': body.length },
  };
  const asked = request(new URL(incoming.url ?? '/', target.url), options, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
    // A pipe does not forward that the node broke off.
    reply.on('close', () => {
      if (!reply.complete) outgoing.destroy();
    });
  });
  asked.on('error', () => {
    if (outgoing.headersSent) outgoing.destroy();
    else answer(outgoing, 502, buildInternalFailure('the node is not responding'));
  });
  const closed = new Promise<void>((resolve) => {
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) asked.destroy();
      resolve();
    });
  });
  asked.end(body);
  return closed;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(isTaken ? new Error(`port ${port} is in use: set DEVNET_PORT to another`) : error);
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** `port` 0 picks a free one. */
export async function startRpcFront(port: number): Promise<RpcFront> {
  const agent = new Agent({ keepAlive: true });
  let parts: FrontParts | null = null;
  let sends = 0;

  /** Before so many transactions that the node might drop blocks that are not archived. */
  async function countSends({ keeper }: FrontParts, methods: readonly string[]): Promise<void> {
    sends += methods.filter((method) => method.startsWith('eth_send')).length;
    if (sends <= keeper.blocksAtOnceMax) return;
    sends = 0;
    await keeper.keepUp();
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const open = parts;
    if (open === null) {
      return answer(outgoing, 503, buildInternalFailure('the devnet is starting'));
    }
    const body = await readBody(incoming);
    const send = () => forward({ url: open.rpc.url, agent }, { incoming, outgoing, body });
    const parsed = parseCalls(body.toString('utf8'));
    // The node tells what is wrong with it.
    if (parsed.kind === 'not JSON') return send();
    if (parsed.kind !== 'calls') return answer(outgoing, 200, parsed.failure);
    const { calls, isBatch } = parsed;
    const methods = calls.map(({ method }) => method);
    await countSends(open, methods);
    const planned = planCalls(open, calls);
    if (isLeftToNode(open, planned)) {
      return open.gate.pass(methods, send);
    }
    const replies = await answerCalls(open, planned);
    answer(outgoing, 200, isBatch ? replies : replies[0]);
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else answer(outgoing, 500, buildInternalFailure(String(error)));
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const sockets = startSocketFront({ parts: () => parts, beforeCalls: countSends });
  server.on('upgrade', (incoming, socket: Socket, head) => {
    if (parts === null) socket.destroy();
    else sockets.accept(incoming, socket, head);
  });
  const url = `http://127.0.0.1:${await listen(server, port)}`;
  return {
    url,
    open(next) {
      parts = next;
    },
    async close() {
      sockets.close();
      parts?.memory.subscriptions.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}
