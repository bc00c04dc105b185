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
  readonly instructions: readonly Readonly<Record<string, unknown>>[];
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

/** Answers cover at most so many blocks: a stream may end anywhere. */
const BLOCKS_MAX = 12;

type Row = Record<string, unknown>;

/** Whether one of the accounts that are asked for stands in its place (`a0` to `a15`). */
function isAskedFor({ accounts }: Row, { instructions }: SlotQuery): boolean {
  return instructions.some((filter) =>
    (accounts as string[]).some((account, place) =>
      (filter[`a${place}`] as readonly string[] | undefined)?.includes(account),
    ),
  );
}

/** The transactions that succeeded and that the filters find, with the log of these calls alone. */
function filterLine(line: PortalLine, query: SlotQuery): PortalLine {
  const failed = (line.transactions ?? []).filter(({ err }) => err !== null);
  const isFailed = (row: Row) => failed.some((one) => isOf(one, row));
  const isOf = (one: Row, row: Row) => one['transactionIndex'] === row['transactionIndex'];
  const found = (line.instructions ?? []).filter((row) => isAskedFor(row, query) && !isFailed(row));
  const filtered: PortalLine = { header: line.header };
  for (const name of ['transactions', 'instructions', 'balances', 'tokenBalances'] as const) {
    const rows = (line[name] ?? []).filter((row) => found.some((one) => isOf(one, row)));
    if (rows.length > 0) filtered[name] = rows;
  }
  const pathOf = ({ instructionAddress }: Row) => String(instructionAddress);
  const logs = (line.logs ?? []).filter((row) =>
    found.some((one) => isOf(one, row) && pathOf(one) === pathOf(row)),
  );
  if (logs.length > 0) filtered.logs = logs;
  return filtered;
}

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
    const whole = slots.flatMap((slot) => {
      const block = chain.blocks.get(slot);
      return block === undefined ? [] : [toPortalBlock(slot, block)];
    });
    const isWhole = query.instructions.every((filter) => Object.keys(filter).length === 0);
    // The first and the last block of what was searched are always there.
    const lines = isWhole
      ? whole
      : whole
          .map((line) => filterLine(line, query))
          .filter(({ transactions }, at) => transactions || at === 0 || at === whole.length - 1);
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
