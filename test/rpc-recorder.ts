// A proxy between a service and its node that counts every method, so that a scene fails at once on
// anything but a read. rpc-notes.ts covers the whole suite.

import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findForbidden, listMethods, type MethodCounts } from './rpc-notes.ts';

export interface RpcRecorder {
  readonly url: string;
  methods(): MethodCounts;
  /** Requests with such a body wait until the returned function is called. */
  hold(isHeld: (body: string) => boolean): () => void;
  /** Throws if anything but a read was called. */
  stop(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The node does not know the methods that it `lacks`. */
export async function startRpcRecorder(
  upstream: string,
  lacks: readonly string[] = [],
): Promise<RpcRecorder> {
  const counts = new Map<string, number>();
  let held: { isHeld: (body: string) => boolean; until: Promise<void> } | null = null;
  const server = createServer((request, response) => {
    readBody(request)
      .then(async (body) => {
        if (held?.isHeld(body.toString('utf8'))) await held.until;
        for (const method of listMethods(body.toString('utf8'))) {
          counts.set(method, (counts.get(method) ?? 0) + 1);
        }
        const sent = lacks.reduce(
          (text, method) => text.replaceAll(`"${method}"`, `"lacking_${method}"`),
          body.toString('utf8'),
        );
        const length = Buffer.byteLength(sent);
        const host = new URL(upstream).host;
        const headers = { ...request.headers, host, 'content-length': length };
        const onward = send(upstream, { method: 'POST', headers }, (reply) => {
          response.writeHead(reply.statusCode ?? 502, reply.headers);
          reply.pipe(response);
        });
        onward.on('error', () => response.destroy());
        onward.end(sent);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods: () => new Map(counts),
    hold: (isHeld) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = { isHeld, until: promise };
      return () => {
        held = null;
        resolve();
      };
    },
    stop: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      const forbidden = findForbidden(counts);
      if (forbidden.length > 0) throw new Error(`asked for ${forbidden.join(', ')}`);
    },
  };
}
