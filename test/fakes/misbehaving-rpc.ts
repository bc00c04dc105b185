// A JSON-RPC server at the network's edge that responds correctly unless a test sets a fault.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** How many calls of this method came before, over the life of the server. */
  readonly seen: number;
  /** How many calls came in the same request. */
  readonly batch: number;
}

/** What to do instead of responding correctly. The first four apply to the whole request. */
export type Misdeed =
  | { readonly do: 'hang' }
  | { readonly do: 'cut'; readonly after: number }
  | {
      readonly do: 'reply';
      readonly status: number;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly do: 'refuseBatch'; readonly message: string }
  | { readonly do: 'error'; readonly code: number; readonly message: string }
  | { readonly do: 'change'; change(result: unknown): unknown };

/** Null means: respond correctly. */
export type Mischief = (call: FakeCall) => Misdeed | null;

export class RpcFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Throws `RpcFault` for an error response. */
export type TrueAnswer = (method: string, params: readonly unknown[]) => unknown;

export interface MisbehavingRpc {
  readonly url: string;
  /** Every call that arrived, in order. */
  readonly calls: readonly FakeCall[];
  /** HTTP requests, however many calls each had. */
  readonly requests: number;
  /** The length of all replies. */
  readonly bytesSent: number;
  misbehave(mischief: Mischief | null): void;
  count(method: string): number;
  stop(): Promise<void>;
}

interface WireCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function buildReply(call: WireCall, answer: TrueAnswer, misdeed: Misdeed | null) {
  const envelope = { jsonrpc: '2.0', id: call.id };
  if (misdeed?.do === 'error') {
    return { ...envelope, error: { code: misdeed.code, message: misdeed.message } };
  }
  try {
    const result = await answer(call.method, call.params);
    return { ...envelope, result: misdeed?.do === 'change' ? misdeed.change(result) : result };
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    return { ...envelope, error: { code: error.code, message: error.message } };
  }
}

export async function startMisbehavingRpc(answer: TrueAnswer): Promise<MisbehavingRpc> {
  let mischief: Mischief | null = null;
  let requests = 0;
  let bytesSent = 0;
  const calls: FakeCall[] = [];
  const seen = new Map<string, number>();

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1;
    const body = JSON.parse(await readBody(request)) as WireCall | WireCall[];
    const wire = Array.isArray(body) ? body : [body];
    const misdeeds = wire.map(({ method, params }) => {
      const call = { method, params, seen: seen.get(method) ?? 0, batch: wire.length };
      seen.set(method, call.seen + 1);
      calls.push(call);
      return mischief?.(call) ?? null;
    });
    const whole = misdeeds.find((one) => one?.do === 'hang' || one?.do === 'reply');
    if (whole?.do === 'hang') return;
    if (whole?.do === 'reply') {
      response.writeHead(whole.status, { ...whole.headers }).end(whole.text);
      return;
    }
    const refused = misdeeds.find((one) => one?.do === 'refuseBatch');
    if (refused?.do === 'refuseBatch' && wire.length > 1) {
      const error = { code: -32600, message: refused.message };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      return;
    }
    const replies = await Promise.all(
      wire.map((call, index) => buildReply(call, answer, misdeeds[index] ?? null)),
    );
    const text = JSON.stringify(Array.isArray(body) ? replies : replies[0]);
    bytesSent += Buffer.byteLength(text);
    response.setHeader('content-type', 'application/json');
    const cut = misdeeds.find((one) => one?.do === 'cut');
    if (cut?.do === 'cut') {
      response.setHeader('content-length', Buffer.byteLength(text));
      response.write(text.slice(0, cut.after), () => response.destroy());
      return;
    }
    response.end(text);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v2/sEcReTkEy0123456789`,
    calls,
    get requests() {
      return requests;
    },
    get bytesSent() {
      return bytesSent;
    },
    misbehave(next) {
      mischief = next;
    },
    count: (method) => calls.filter((call) => call.method === method).length,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Forwards to a real node; for misbehaving in front of it. */
export function forwardTo(url: string): TrueAnswer {
  return async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const reply = (await response.json()) as {
      result?: unknown;
      error?: { code: number; message: string };
    };
    if (reply.error !== undefined) throw new RpcFault(reply.error.code, reply.error.message);
    return reply.result;
  };
}
