// A node that is some blocks behind another one: what it says of blocks that it does not have yet.

import { RpcFault, type TrueAnswer } from '../fakes/misbehaving-rpc.ts';

const NEWEST = ['latest', 'pending'];

function toTag(block: number): string {
  return `0x${Math.max(0, block).toString(16)}`;
}

function isAbove(tag: unknown, head: number): boolean {
  return typeof tag === 'string' && /^0x[0-9a-f]{1,15}$/.test(tag) && Number(tag) > head;
}

export function answerBehind(answer: TrueAnswer, lagBlocks: number): TrueAnswer {
  return async (method, params) => {
    if (method === 'getSlot') return Number(await answer(method, params)) - lagBlocks;
    if (!method.startsWith('eth_') || method === 'eth_chainId') return answer(method, params);
    const head = Number(await answer('eth_blockNumber', [])) - lagBlocks;
    if (method === 'eth_blockNumber') return toTag(head);
    const own = params.map((param) => (NEWEST.includes(param as string) ? toTag(head) : param));
    if (method === 'eth_getLogs') {
      const { toBlock, blockHash } = (own[0] ?? {}) as { toBlock?: string; blockHash?: string };
      if (isAbove(toBlock, head)) throw new RpcFault(-32000, `block not found: ${toBlock}`);
      const logs = (await answer(method, own)) as { blockNumber: string }[];
      if (blockHash === undefined || !isAbove(logs[0]?.blockNumber, head)) return logs;
      throw new RpcFault(-32000, 'unknown block');
    }
    if (!own.some((param) => isAbove(param, head))) {
      const result = await answer(method, own);
      const { blockNumber } = (result ?? {}) as { blockNumber?: string };
      return isAbove(blockNumber, head) ? null : result;
    }
    if (method.startsWith('eth_getBlock') || method.startsWith('eth_getTransaction')) return null;
    throw new RpcFault(-32000, 'header not found');
  };
}
