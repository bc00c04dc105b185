// Stands between a service and its node and notes every method that is asked for: the proof that
// nothing but reads ever leaves this project.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isReadMethod } from '../src/chains/evm/rpc/rpc-method.ts';

/** Where `npm test` gathers the notes of all its files; not set for a single one. */
const FOLDER_VARIABLE = 'MINTWIRE_TEST_RPC_NOTES';

/** Whatever signs, sends, unlocks or steers a node, by whoever's name. */
const FORBIDDEN =
  /send|sign|account|unlock|^(?:anvil|hardhat|evm|debug|admin|miner|engine|personal|wallet|txpool)_/i;

export type MethodCounts = ReadonlyMap<string, number>;

export interface RpcRecorder {
  readonly url: string;
  methods(): MethodCounts;
  /** Throws where something else than a read was asked for. */
  stop(): Promise<void>;
}

/** What of this can do more than read. */
export function findForbidden(counts: MethodCounts): string[] {
  return [...counts.keys()].filter((method) => !isReadMethod(method) || FORBIDDEN.test(method));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function* listMethods(body: Buffer): Generator<string> {
  const parsed = JSON.parse(body.toString('utf8')) as { method: string } | { method: string }[];
  for (const call of Array.isArray(parsed) ? parsed : [parsed]) yield call.method;
}

function note(counts: MethodCounts): void {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined || counts.size === 0) return;
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify([...counts]));
}

/** Lets every recorder of this process and its children leave its notes in a folder. */
export function gatherNotes(folder: string): void {
  mkdirSync(folder, { recursive: true });
  process.env[FOLDER_VARIABLE] = folder;
}

export function readNotes(folder: string): MethodCounts {
  const sums = new Map<string, number>();
  for (const name of readdirSync(folder)) {
    const counts = JSON.parse(readFileSync(join(folder, name), 'utf8')) as [string, number][];
    for (const [method, count] of counts) sums.set(method, (sums.get(method) ?? 0) + count);
  }
  return sums;
}

export async function startRpcRecorder(upstream: string): Promise<RpcRecorder> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => {
        for (const method of listMethods(body)) counts.set(method, (counts.get(method) ?? 0) + 1);
        const headers = { ...request.headers, host: new URL(upstream).host };
        const onward = send(upstream, { method: 'POST', headers }, (reply) => {
          response.writeHead(reply.statusCode ?? 502, reply.headers);
          reply.pipe(response);
        });
        onward.on('error', () => response.destroy());
        onward.end(body);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods: () => new Map(counts),
    stop: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      note(counts);
      const forbidden = findForbidden(counts);
      if (forbidden.length > 0) throw new Error(`asked for ${forbidden.join(', ')}`);
    },
  };
}
