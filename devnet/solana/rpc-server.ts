// JSON-RPC over HTTP, on loopback alone.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCall, RawJson } from './answer-call.ts';
import { ChainFault } from './chain-fault.ts';
import type { SolanaChain } from './solana-chain.ts';

export interface RpcServer {
  readonly url: string;
  close(): Promise<void>;
}

/** More than any transaction, or a hundred addresses. */
const BODY_BYTES_MAX = 1024 * 1024;
const BATCH_MAX = 100;

interface Call {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

function describeFault(error: unknown): { code: number; message: string; data?: unknown } {
  if (!(error instanceof ChainFault)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: -32603, message };
  }
  const { code, message, data } = error;
  return data === undefined ? { code, message } : { code, message, data };
}

/** The reply as JSON text. */
function reply(chain: SolanaChain, call: unknown): string {
  const { id = null, method, params = [] } = (call ?? {}) as Call;
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
  try {
    if (typeof method !== 'string' || !Array.isArray(params)) {
      throw new ChainFault(-32600, 'Invalid request');
    }
    const result = answerCall(chain, method, params);
    const text = result instanceof RawJson ? result.text : JSON.stringify(result ?? null);
    return `${head},"result":${text}}`;
  } catch (error) {
    return `${head},"error":${JSON.stringify(describeFault(error))}}`;
  }
}

function replyToBody(chain: SolanaChain, body: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}';
  }
  if (!Array.isArray(parsed)) return reply(chain, parsed);
  return `[${parsed
    .slice(0, BATCH_MAX)
    .map((call) => reply(chain, call))
    .join(',')}]`;
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * The status of a request that is refused; null for one that is served. Pages of other sites can
 * send neither this content type without being asked for permission, nor a loopback host by a name
 * of theirs.
 */
function findRefusal({ method, headers }: IncomingMessage): number | null {
  if (method !== 'POST') return 405;
  const { host = '', 'content-type': contentType = '' } = headers;
  if (!LOOPBACK_HOSTS.has(host.toLowerCase().replace(/:\d+$/, ''))) return 403;
  const isJson = contentType.split(';')[0]?.trim().toLowerCase() === 'application/json';
  return isJson ? null : 415;
}

async function serve(
  chain: SolanaChain,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = findRefusal(request);
  const body = refusal === null ? await readBody(request) : null;
  if (body === null) {
    response.writeHead(refusal ?? 413).end();
    return;
  }
  const text = replyToBody(chain, body);
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

/** Port 0 picks a free one. */
export async function startRpcServer(chain: SolanaChain, port: number): Promise<RpcServer> {
  const server = createServer((request, response) => {
    // A client that leaves while it is read is no fault of ours.
    serve(chain, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${chosen}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
