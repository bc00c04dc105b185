// A child process that serves a recorded chain over JSON-RPC: the same source for every indexer.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RecordedAnswer, RecordedAnswers, type RpcRequest } from './recorded-chain-answers.ts';
import { createContractCalls } from './recorded-chain-contracts.ts';
import type { LedgerTotals } from './recorded-chain-ledger.ts';
import { recordSwapChain, type SwapChainOptions } from './recorded-chain-swaps.ts';
import { recordTransferChain, type TransferChainOptions } from './recorded-chain-transfers.ts';

export type RecordedChainOptions =
  | ({ readonly kind: 'transfers' } & TransferChainOptions)
  | ({ readonly kind: 'swaps' } & SwapChainOptions);

/** The first message that the process sends. */
export interface RecordedChainReady {
  readonly port: number;
  readonly head: number;
  readonly finalized: number;
  readonly logs: number;
  readonly tokens: readonly string[];
  readonly totals: LedgerTotals;
}

/** The requests since the last report. */
export interface RecordedChainReport {
  /** When logs were first requested: everything before was startup. */
  readonly firstLogsAtMs: number | null;
  readonly requests: number;
  readonly calls: number;
  readonly cpuMs: number;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function buildReply(answers: RecordedAnswers, request: RpcRequest): Uint8Array[] {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},`;
  let result: RecordedAnswer;
  try {
    result = answers.answer(request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const fault = JSON.stringify({ code: -32601, message: `cannot answer: ${message}` });
    return [Buffer.from(`${head}"error":${fault}}`)];
  }
  return [Buffer.from(`${head}"result":`), ...result, Buffer.from('}')];
}

function send(response: ServerResponse, parts: readonly Uint8Array[]): void {
  let length = 0;
  for (const part of parts) length += part.length;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

function serve(options: RecordedChainOptions): void {
  const market =
    options.kind === 'transfers' ? recordTransferChain(options) : recordSwapChain(options);
  const { recording, tokens, totals } = market;
  const answers = new RecordedAnswers(recording, createContractCalls(tokens));
  let firstLogsAtMs: number | null = null;
  let requests = 0;
  let calls = 0;
  let cpu = process.cpuUsage();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const body = JSON.parse(await readBody(request)) as RpcRequest | RpcRequest[];
    const list = Array.isArray(body) ? body : [body];
    calls += list.length;
    if (list.some(({ method }) => method === 'eth_getLogs')) firstLogsAtMs ??= Date.now();
    const replies = list.map((one) => buildReply(answers, one));
    if (!Array.isArray(body)) return send(response, replies[0] ?? []);
    const comma = Buffer.from(',');
    const parts = replies.flatMap((reply, index) => (index === 0 ? reply : [comma, ...reply]));
    send(response, [Buffer.from('['), ...parts, Buffer.from(']')]);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => {
    const ready: RecordedChainReady = {
      port: (server.address() as AddressInfo).port,
      head: recording.head,
      finalized: recording.finalized,
      logs: recording.logKinds.length,
      tokens: tokens.map(({ address }) => address),
      totals,
    };
    process.send?.(ready);
  });
  process.on('message', () => {
    const used = process.cpuUsage(cpu);
    const cpuMs = (used.user + used.system) / 1000;
    process.send?.({ firstLogsAtMs, requests, calls, cpuMs } satisfies RecordedChainReport);
    firstLogsAtMs = null;
    requests = 0;
    calls = 0;
    cpu = process.cpuUsage();
  });
}

process.once('message', (options: RecordedChainOptions) => serve(options));
process.on('disconnect', () => process.exit(0));
