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

/** What to do instead of responding correctly. All but the last two apply to the whole request. */
export type Misdeed =
  | { readonly do: 'hang' }
  /** Ends the connection without a reply. */
  | { readonly do: 'close' }
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

/** What goes back over the connection. */
export type WireReply =
  | { readonly kind: 'hang' }
  | { readonly kind: 'close' }
  | {
      readonly kind: 'text';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
      /** After so many characters the connection ends. */
      readonly cutAfter?: number;
    };

export interface WireCall {
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

/** Answers the body of a request; `decide` says what to do instead, one misdeed or null a call. */
export async function replyTo(
  body: string,
  node: {
    readonly answer: TrueAnswer;
    decide(calls: readonly WireCall[]): readonly (Misdeed | null)[];
  },
): Promise<WireReply> {
  const parsed = JSON.parse(body) as WireCall | WireCall[];
  const calls = Array.isArray(parsed) ? parsed : [parsed];
  const misdeeds = node.decide(calls);
  const headers = { 'content-type': 'application/json' };
  const toJson = (value: unknown) => {
    return { kind: 'text', status: 200, headers, text: JSON.stringify(value) } as const;
  };
  const whole = misdeeds.find(
    (one) => one?.do === 'hang' || one?.do === 'close' || one?.do === 'reply',
  );
  if (whole?.do === 'hang' || whole?.do === 'close') return { kind: whole.do };
  if (whole?.do === 'reply') {
    return { kind: 'text', headers: {}, ...whole };
  }
  const refused = misdeeds.find((one) => one?.do === 'refuseBatch');
  if (refused?.do === 'refuseBatch' && calls.length > 1) {
    const error = { code: -32600, message: refused.message };
    return toJson({ jsonrpc: '2.0', id: null, error });
  }
  const replies = await Promise.all(
    calls.map((call, index) => buildReply(call, node.answer, misdeeds[index] ?? null)),
  );
  const reply = toJson(Array.isArray(parsed) ? replies : replies[0]);
  const cut = misdeeds.find((one) => one?.do === 'cut');
  return cut?.do === 'cut' ? { ...reply, cutAfter: cut.after } : reply;
}

function sendReply(reply: WireReply, response: ServerResponse): void {
  if (reply.kind === 'hang') return;
  if (reply.kind === 'close') {
    response.destroy();
    return;
  }
  const { status, headers, text, cutAfter } = reply;
  if (cutAfter === undefined) {
    response.writeHead(status, headers).end(text);
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, cutAfter), () => response.destroy());
}

/** An HTTP server on a free port; `respond` gets the body of each request. */
export async function serveReplies(
  respond: (body: string) => Promise<WireReply>,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    readBody(request)
      .then(respond)
      .then((reply) => sendReply(reply, response))
      .catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v2/sEcReTkEy0123456789`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export async function startMisbehavingRpc(answer: TrueAnswer): Promise<MisbehavingRpc> {
  let mischief: Mischief | null = null;
  let requests = 0;
  let bytesSent = 0;
  const calls: FakeCall[] = [];
  const seen = new Map<string, number>();
  const decide = (wire: readonly WireCall[]) =>
    wire.map(({ method, params }) => {
      const call = { method, params, seen: seen.get(method) ?? 0, batch: wire.length };
      seen.set(method, call.seen + 1);
      calls.push(call);
      return mischief?.(call) ?? null;
    });
  const { url, stop } = await serveReplies(async (body) => {
    requests += 1;
    const reply = await replyTo(body, { answer, decide });
    if (reply.kind === 'text' && reply.status === 200) bytesSent += Buffer.byteLength(reply.text);
    return reply;
  });
  return {
    ...{ url, stop, calls },
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
