// A node of a chain that has stopped: the stored head is its head, so that quotes are of the newest
// state.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface StillNode {
  readonly url: string;
  stop(): Promise<void>;
}

interface RpcCall {
  readonly id: number;
  readonly method: string;
}

interface StillBlock {
  readonly block: number;
  readonly blockHash: string;
  readonly parentHash: string;
  readonly timestampMs: number;
}

const GWEI = '0x3b9aca00';

function toHex(value: number): string {
  return `0x${value.toString(16)}`;
}

function createResults(chainId: number, head: StillBlock): Readonly<Record<string, unknown>> {
  const number = toHex(head.block);
  return {
    eth_chainId: toHex(chainId),
    eth_blockNumber: number,
    eth_getBlockByNumber: {
      ...{ number, hash: head.blockHash, parentHash: head.parentHash },
      ...{ timestamp: toHex(head.timestampMs / 1000), baseFeePerGas: GWEI, gasLimit: '0x1c9c380' },
      ...{ gasUsed: '0x0', logsBloom: `0x${'0'.repeat(512)}`, transactions: [] },
    },
    eth_getLogs: [],
    eth_gasPrice: GWEI,
    eth_feeHistory: { oldestBlock: number, baseFeePerGas: [GWEI, GWEI], reward: [[GWEI]] },
  };
}

export async function startStillNode(chainId: number, head: StillBlock): Promise<StillNode> {
  const results = createResults(chainId, head);
  const answer = ({ id, method }: RpcCall) =>
    method in results
      ? { jsonrpc: '2.0', id, result: results[method] }
      : { jsonrpc: '2.0', id, error: { code: -32601, message: `no ${method}` } };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8')) as RpcCall | RpcCall[];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
