// A small JSON-RPC client with batches, because a single call costs ten times as much.

import { Agent, request } from 'node:http';

export interface DevnetRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface JsonRpc {
  readonly url: string;
  call<T>(method: string, ...params: unknown[]): Promise<T>;
  /** Results in the order of the calls; throws the first error. */
  batch<T>(calls: readonly DevnetRpcCall[]): Promise<T[]>;
  /** Results and errors in the order of the calls. */
  ask(calls: readonly DevnetRpcCall[]): Promise<readonly RpcReply[]>;
  close(): void;
}

export interface RpcReply {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: RpcFailure;
}

/** An error as the node reports it. */
export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export class DevnetRpcError extends Error {
  readonly code: number;
  readonly failure: RpcFailure;

  constructor(method: string, failure: RpcFailure) {
    super(`${method}: ${failure.message} (${failure.code})`);
    this.name = 'RpcError';
    this.code = failure.code;
    this.failure = failure;
  }
}

function post(target: { url: URL; agent: Agent }, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const { url, agent } = target;
    const outgoing = request(url, { method: 'POST', agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function readResult(method: string, reply: RpcReply | undefined): unknown {
  if (reply === undefined) throw new Error(`${method}: no answer`);
  if (reply.error !== undefined) throw new DevnetRpcError(method, reply.error);
  return reply.result;
}

export function createJsonRpc(rpcUrl: string): JsonRpc {
  const target = { url: new URL(rpcUrl), agent: new Agent({ keepAlive: true, maxSockets: 8 }) };
  async function ask(calls: readonly DevnetRpcCall[]): Promise<readonly RpcReply[]> {
    if (calls.length === 0) return [];
    const requests = calls.map(({ method, params }, id) => ({
      jsonrpc: '2.0',
      id,
      method,
      params,
    }));
    const replies = JSON.parse(await post(target, JSON.stringify(requests))) as RpcReply[];
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    return calls.map(({ method }, id) => {
      const reply = byId.get(id);
      if (reply === undefined) throw new Error(`${method}: no answer`);
      return reply;
    });
  }
  return {
    url: rpcUrl,
    ask,
    async call<T>(method: string, ...params: unknown[]) {
      const text = await post(target, JSON.stringify({ jsonrpc: '2.0', id: 0, method, params }));
      return readResult(method, JSON.parse(text) as RpcReply) as T;
    },
    async batch<T>(calls: readonly DevnetRpcCall[]) {
      const replies = await ask(calls);
      return calls.map(({ method }, index) => readResult(method, replies[index]) as T);
    },
    close() {
      target.agent.destroy();
    },
  };
}
