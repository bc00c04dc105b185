// SQD Portal on loopback, as its documents describe it: blocks of a chain as lines, gzip, the
// statuses; and whatever lie or fault a test tells it to send.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { PortalLine } from '../archive-fixtures.ts';

export interface PortalQuery {
  readonly fromBlock: number;
  readonly toBlock?: number;
  readonly includeAllBlocks?: boolean;
  readonly fields: { readonly block: Readonly<Record<string, boolean>> };
}

/** What happens to one request. */
export interface PortalBehaviour {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Changes the lines of the answer: they are copies. */
  readonly change?: (lines: PortalLine[]) => PortalLine[];
  /** Sends only this part of the compressed answer, then cuts the connection. */
  readonly cutAt?: number;
  /** Says so many bytes fewer than the answer has, so that the reply ends well before its end. */
  readonly endsAt?: number;
}

export interface FakePortal {
  readonly url: string;
  readonly requests: readonly PortalQuery[];
  /** Null answers truly. */
  behave(pick: (query: PortalQuery, request: IncomingMessage) => PortalBehaviour | null): void;
  stop(): Promise<void>;
}

/** Answers have at most so many blocks: a stream may end anywhere. */
const BLOCKS_MAX = 25;

export async function startFakePortal(lines: readonly PortalLine[]): Promise<FakePortal> {
  const requests: PortalQuery[] = [];
  let pick: Parameters<FakePortal['behave']>[0] = () => null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const query = JSON.parse(body) as PortalQuery;
      requests.push(query);
      answer({ query, behaviour: pick(query, request) ?? {}, lines, response });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/datasets/test-mainnet`,
    requests,
    behave: (next) => {
      pick = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(of: {
  readonly query: PortalQuery;
  readonly behaviour: PortalBehaviour;
  readonly lines: readonly PortalLine[];
  readonly response: ServerResponse;
}): void {
  const { query, behaviour, lines, response } = of;
  const { status = 200, headers = {}, body, change, cutAt, endsAt } = behaviour;
  const { fromBlock, toBlock = lines.length - 1 } = query;
  if (status !== 200) {
    response.writeHead(status, headers).end(body);
    return;
  }
  if (fromBlock >= lines.length) {
    response.writeHead(204, headers).end();
    return;
  }
  const wanted = structuredClone(
    lines.slice(fromBlock, Math.min(toBlock + 1, fromBlock + BLOCKS_MAX)),
  );
  const sent = (change?.(wanted) ?? wanted).map((line) =>
    JSON.stringify(selectFields(line, query)),
  );
  const packed = gzipSync(sent.map((line) => `${line}\n`).join(''));
  const type = { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' };
  response.writeHead(200, { ...type, ...headers });
  if (endsAt !== undefined) {
    response.end(packed.subarray(0, endsAt));
  } else if (cutAt !== undefined) {
    response.write(packed.subarray(0, cutAt), () => response.destroy());
  } else response.end(packed);
}

/** Empty lists are left out, and fields that were not asked for. */
function selectFields({ header, transactions, logs }: PortalLine, { fields }: PortalQuery): object {
  const kept = Object.entries(header).filter(([name]) => fields.block[name] === true);
  return {
    header: Object.fromEntries(kept),
    ...(transactions.length === 0 ? {} : { transactions }),
    ...(logs.length === 0 ? {} : { logs }),
  };
}
