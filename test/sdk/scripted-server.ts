// A server at the network's edge that answers as a test says, and notes what it was asked.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** When it came, by the clock of the process. */
  readonly atMs: number;
}

type Answer = (response: ServerResponse, request: ScriptedRequest) => void;

export interface ScriptedServer {
  readonly baseUrl: string;
  readonly requests: ScriptedRequest[];
}

export function answerJson(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** A problem of the API. */
export function answerProblem(
  code: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const problem = { type: '/x', title: 'A title', status, detail: 'A detail.', code };
  return answerJson({ ...problem, requestId: 'r1' }, status, headers);
}

/** The connection breaks without an answer. */
export const breakOff: Answer = (response) => response.destroy();

/** Answers in the order given, the last one again and again. */
export async function startScriptedServer(
  t: TestContext,
  answers: readonly Answer[],
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const server = createServer(async (message, response) => {
    const atMs = performance.now();
    let body = '';
    for await (const piece of message.setEncoding('utf8')) body += piece;
    const { method = '', url: path = '', headers } = message;
    const request = { method, path, headers, body, atMs };
    requests.push(request);
    answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, requests };
}
