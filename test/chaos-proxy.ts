// A JSON-RPC proxy that misbehaves on purpose, at the network's edge, in front of a real node.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fault =
  | 'none'
  /** Accepts the request and never responds. */
  | 'hang'
  /** 429 with Retry-After. */
  | 'limit'
  /** Cuts the connection in the middle of the response. */
  | 'cut'
  /** Omits half of the logs. */
  | 'partial'
  /** Reports a head of some blocks ago. */
  | 'lag'
  /** Serves another chain. */
  | 'switch';

export interface ChaosProxy {
  readonly url: string;
  /** The fault from now on; a function is called for each response. */
  setFault(fault: Fault | (() => Fault)): void;
  /** Requests with a corrupted response; those that a fault does not affect do not count. */
  readonly spoilt: () => number;
  stop(): Promise<void>;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: unknown[];
}

interface Reply {
  readonly id: unknown;
  result?: unknown;
}

const LAG_BLOCKS = 20;

function toHexNumber(value: number): string {
  return `0x${Math.max(0, value).toString(16)}`;
}

function isBlock(result: unknown): result is { hash: string; parentHash: string } {
  return typeof result === 'object' && result !== null && 'parentHash' in result;
}

/** Another chain has other blocks, which link as well. */
function toOtherHash(hash: string): string {
  return `0x${[...hash.slice(2)].reverse().join('')}`;
}

/** Leaves out half of the logs; returns whether there were so many. */
function omitLogs(receipts: { logs: unknown[] }[]): boolean {
  let count = 0;
  for (const receipt of receipts) {
    receipt.logs = receipt.logs.filter(() => {
      count += 1;
      return count % 2 === 1;
    });
  }
  return count > 1;
}

/** Corrupts a reply, and returns whether it did; most calls pass unchanged. */
function spoilReply(fault: Fault, call: Call, reply: Reply): boolean {
  const { result } = reply;
  if (fault === 'partial' && call.method === 'eth_getLogs' && Array.isArray(result)) {
    reply.result = result.filter((_, index) => index % 2 === 0);
    return result.length > 1;
  }
  if (fault === 'partial' && call.method === 'eth_getBlockReceipts' && Array.isArray(result)) {
    return omitLogs(result as { logs: unknown[] }[]);
  }
  if (fault === 'switch' && call.method === 'eth_chainId') {
    reply.result = '0x1';
    return true;
  }
  if (fault === 'switch' && call.method === 'eth_getBlockByNumber' && isBlock(result)) {
    for (const name of ['hash', 'parentHash'] as const) result[name] = toOtherHash(result[name]);
    return true;
  }
  if (fault === 'lag' && call.method === 'eth_blockNumber' && typeof result === 'string') {
    reply.result = toHexNumber(Number(result) - LAG_BLOCKS);
    return true;
  }
  return fault === 'lag' && call.params?.includes('latest') === true;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function forward(upstream: string, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(upstream, { method: 'POST', headers, body })).json();
}

/** A call for the newest block asks for an older one instead. */
async function lagCalls(upstream: string, calls: readonly Call[]): Promise<Call[]> {
  const asked = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] };
  const head = (await forward(upstream, JSON.stringify(asked))) as Reply;
  const lagging = toHexNumber(Number(head.result) - LAG_BLOCKS);
  return calls.map((call) => ({
    ...call,
    params: (call.params ?? []).map((param) => (param === 'latest' ? lagging : param)),
  }));
}

/** Responds according to the fault; resolves with whether anything was corrupted. */
async function answer(
  options: { readonly upstream: string; readonly fault: Fault },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { upstream, fault } = options;
  const body = await readBody(request);
  if (fault === 'hang') return true;
  if (fault === 'limit') {
    response.writeHead(429, { 'retry-after': '1' }).end('slow down');
    return true;
  }
  const parsed = JSON.parse(body) as Call | Call[];
  const calls = Array.isArray(parsed) ? parsed : [parsed];
  const asked = fault === 'lag' ? await lagCalls(upstream, calls) : calls;
  const replies = (await forward(upstream, JSON.stringify(asked))) as Reply[];
  let spoilt = fault === 'cut';
  for (const reply of replies) {
    const call = calls.find((one) => one.id === reply.id);
    if (call && spoilReply(fault, call, reply)) spoilt = true;
  }
  const text = JSON.stringify(Array.isArray(parsed) ? replies : replies[0]);
  response.writeHead(200, { 'content-type': 'application/json' });
  if (fault === 'cut') {
    response.write(text.slice(0, text.length / 2));
    response.destroy();
  } else {
    response.end(text);
  }
  return spoilt;
}

export async function startChaosProxy(upstream: string): Promise<ChaosProxy> {
  let fault: Fault | (() => Fault) = 'none';
  let spoilt = 0;
  const server = createServer((request, response) => {
    const now = typeof fault === 'function' ? fault() : fault;
    answer({ upstream, fault: now }, request, response).then(
      (wasSpoilt) => {
        if (wasSpoilt) spoilt += 1;
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setFault: (next) => {
      fault = next;
    },
    spoilt: () => spoilt,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
