// The node of a test family: a fake chain behind HTTP. A request is a method of the adapter with
// its arguments.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import type { TransactionFate } from '../../src/chains/chain-transactions.ts';
import type { Cleanup } from '../start-service-process.ts';
import { FakeAdapter, type FakeChain } from './fake-chain.ts';

function readTransaction(chain: FakeChain, id: string): TransactionFate {
  const { head } = chain;
  for (const { header, events } of chain.blocks(0, head.position)) {
    const swaps = events.filter((event) => event.kind === 'swap' && event.txHash === id);
    const pools = swaps.flatMap((event) => (event.kind === 'swap' ? [event.pool] : []));
    if (pools.length === 0) continue;
    return { state: 'mined', isReverted: false, block: header, poolCandidates: pools, changes: [] };
  }
  return { state: 'unknown' };
}

/** A query may name hundreds of pools. */
const HEAD_BYTES_MAX = 1024 ** 2;

/** Returns the node's URL. `onRequest` is called with the method of each request, and may fail. */
export async function serveFakeChain(
  t: Cleanup,
  chain: FakeChain,
  onRequest: (method: string) => void = () => undefined,
): Promise<string> {
  const adapter = new FakeAdapter(chain);
  const methods: Readonly<Record<string, unknown>> = {
    readHead: adapter.readHead,
    readHeader: adapter.readHeader,
    readBlocks: adapter.readBlocks,
    readTokenMetadata: adapter.readTokenMetadata,
    readSupplies: adapter.readSupplies,
    readPoolStates: adapter.readPoolStates,
    readBalances: adapter.readBalances,
    readTransaction: async (id: string) => readTransaction(chain, id),
  };
  const answer = async (request: IncomingMessage): Promise<Buffer> => {
    const bytes = Buffer.from(request.url?.slice(2) ?? '', 'base64url');
    const [method, args] = deserialize(bytes) as [string, unknown[]];
    onRequest(method);
    const read = methods[method] as (...values: unknown[]) => Promise<unknown>;
    return serialize(await read.apply(adapter, args));
  };
  const server = createServer({ maxHeaderSize: HEAD_BYTES_MAX }, (request, response) => {
    answer(request).then(
      (bytes) => response.end(bytes),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
