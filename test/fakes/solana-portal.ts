// SQD Portal with blocks of Solana, on loopback: lines of slots, gzip, and whatever lie or fault a
// test tells it to send.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { MemorySolana } from './memory-solana.ts';
import { type PortalLine, toPortalBlock } from './to-portal-block.ts';

interface SlotQuery {
  readonly type: string;
  readonly fromBlock: number;
  readonly toBlock: number;
}

interface SolanaPortalBehaviour {
  readonly status?: number;
  /** Changes the lines of the answer: they are copies. */
  readonly change?: (lines: PortalLine[]) => PortalLine[];
  /** Sends only this part of the compressed answer, then cuts the connection. */
  readonly cutAt?: number;
}

export interface FakeSolanaPortal {
  readonly url: string;
  readonly queries: readonly SlotQuery[];
  behave(pick: (query: SlotQuery) => SolanaPortalBehaviour | null): void;
  stop(): Promise<void>;
}

/** Answers have at most so many blocks: a stream may end anywhere. */
const BLOCKS_MAX = 12;

export async function startSolanaPortal(chain: MemorySolana): Promise<FakeSolanaPortal> {
  const queries: SlotQuery[] = [];
  let pick: Parameters<FakeSolanaPortal['behave']>[0] = () => null;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const query = JSON.parse(body) as SlotQuery;
    queries.push(query);
    const { status = 200, change, cutAt } = pick(query) ?? {};
    const slots = [...chain.blocks.keys()]
      .filter((slot) => slot >= query.fromBlock && slot <= query.toBlock)
      .sort((a, b) => a - b)
      .slice(0, BLOCKS_MAX);
    if (status !== 200 || slots.length === 0) {
      response.writeHead(status === 200 ? 204 : status).end();
      return;
    }
    const lines = slots.flatMap((slot) => {
      const block = chain.blocks.get(slot);
      return block === undefined ? [] : [toPortalBlock(slot, block)];
    });
    const sent = change?.(structuredClone(lines)) ?? lines;
    const packed = gzipSync(sent.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const type = { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' };
    response.writeHead(200, type);
    if (cutAt === undefined) response.end(packed);
    else response.write(packed.subarray(0, cutAt), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/datasets/solana-mainnet`,
    queries,
    behave: (next) => {
      pick = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
