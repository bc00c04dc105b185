// SQD Portal on loopback, as its documents describe it: blocks of a chain as lines, gzip, the
// statuses; and whatever lie or fault a test tells it to send.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { PortalLine } from '../archive-fixtures.ts';

type Columns = Readonly<Record<string, boolean>>;

export interface PortalQuery {
  readonly fromBlock: number;
  readonly toBlock?: number;
  readonly includeAllBlocks?: boolean;
  readonly fields: Readonly<Record<'block' | 'log', Columns>> & { readonly transaction?: Columns };
  /** Without `includeAllBlocks`: what is looked for. */
  readonly logs: readonly Readonly<Record<string, readonly string[] | boolean>>[];
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
  /** Bytes of all answers, before and after gzip. */
  readonly sent: { jsonBytes: number; gzipBytes: number };
  /** Null answers truly. */
  behave(pick: (query: PortalQuery, request: IncomingMessage) => PortalBehaviour | null): void;
  stop(): Promise<void>;
}

/** Answers have at most so many blocks: a stream may end anywhere. */
const BLOCKS_MAX = 25;
/** Of filtered answers, which cover more: 20 chunks of a portal's workers. */
const FILTERED_BLOCKS_MAX = 500_000;

export async function startFakePortal(
  lines: readonly PortalLine[],
  { filteredBlocksMax = FILTERED_BLOCKS_MAX } = {},
): Promise<FakePortal> {
  const requests: PortalQuery[] = [];
  const sent = { jsonBytes: 0, gzipBytes: 0 };
  let pick: Parameters<FakePortal['behave']>[0] = () => null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const query = JSON.parse(body) as PortalQuery;
      requests.push(query);
      answer({
        query,
        behaviour: pick(query, request) ?? {},
        lines,
        response,
        sent,
        filteredBlocksMax,
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/datasets/test-mainnet`,
    requests,
    sent,
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
  readonly sent: FakePortal['sent'];
  readonly filteredBlocksMax: number;
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
  const isWhole = query.includeAllBlocks === true;
  const blocksMax = isWhole ? BLOCKS_MAX : of.filteredBlocksMax;
  const covered = lines.slice(fromBlock, Math.min(toBlock + 1, fromBlock + blocksMax));
  const wanted = structuredClone(isWhole ? covered : filterLines(covered, query));
  const sent = (change?.(wanted) ?? wanted).map((line) =>
    JSON.stringify(selectFields(line, query)),
  );
  const json = sent.map((line) => `${line}\n`).join('');
  const packed = gzipSync(json);
  of.sent.jsonBytes += json.length;
  of.sent.gzipBytes += packed.length;
  const type = { 'content-type': 'application/jsonl', 'content-encoding': 'gzip' };
  response.writeHead(200, { ...type, ...headers });
  if (endsAt !== undefined) {
    response.end(packed.subarray(0, endsAt));
  } else if (cutAt !== undefined) {
    response.write(packed.subarray(0, cutAt), () => response.destroy());
  } else response.end(packed);
}

/** Blocks with logs that were asked for and what belongs to them; first and last in any case. */
function filterLines(lines: readonly PortalLine[], { logs: filters }: PortalQuery): PortalLine[] {
  const isMatch = ({ address, topics }: PortalLine['logs'][number]) =>
    filters.some((filter) => {
      const isIn = (name: string, value: unknown) => {
        const any = filter[name];
        return !Array.isArray(any) || any.includes(value);
      };
      return isIn('address', address) && [0, 1, 2, 3].every((at) => isIn(`topic${at}`, topics[at]));
    });
  const isWhole = filters.some(({ transactionLogs }) => transactionLogs === true);
  return lines.flatMap((line, index): PortalLine[] => {
    const found = line.logs.filter(isMatch);
    const isEdge = index === 0 || index === lines.length - 1;
    if (found.length === 0 && !isEdge) return [];
    const of = new Set(found.map(({ transactionIndex }) => transactionIndex));
    const isOf = (part: { readonly [name: string]: unknown }) => of.has(part['transactionIndex']);
    const logs = isWhole ? line.logs.filter(isOf) : found;
    return [{ ...line, logs, transactions: line.transactions.filter(isOf) }];
  });
}

/** Empty lists are left out, and fields that were not asked for. */
function selectFields(line: PortalLine, { fields }: PortalQuery): object {
  const { header } = line;
  const hashes = new Map(line.transactions.map((one) => [one.transactionIndex, one.hash]));
  const logs = line.logs.map((log) => {
    const own = { ...log, transactionHash: hashes.get(Number(log['transactionIndex'])) };
    return Object.fromEntries(Object.entries(own).filter(([name]) => fields.log[name] === true));
  });
  const transactions = line.transactions
    .map((one) =>
      Object.fromEntries(
        Object.entries(one).filter(([name]) => fields.transaction?.[name] === true),
      ),
    )
    .filter((one) => Object.keys(one).length > 0);
  const kept = Object.entries(header).filter(([name]) => fields.block[name] === true);
  return {
    header: Object.fromEntries(kept),
    ...(transactions.length === 0 ? {} : { transactions }),
    ...(logs.length === 0 ? {} : { logs }),
  };
}
