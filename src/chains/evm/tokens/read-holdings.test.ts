// What an account holds: one call, of one block, whatever single tokens do.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeFunctionData, encodeFunctionResult, erc20Abi, type Hex, multicall3Abi } from 'viem';
import type { TrueAnswer } from '../../../../test/fakes/misbehaving-rpc.ts';
import { RpcFault } from '../../../../test/fakes/misbehaving-rpc.ts';
import { startClientOn } from '../../../../test/fakes/start-client-on.ts';
import { address } from '../../../../test/test-ids.ts';
import { readHoldings } from './read-holdings.ts';

const MULTICALL = address(`0x${'ca'.repeat(20)}`);
const OWNER = address(`0x${'11'.repeat(20)}`);
const GOOD = address(`0x${'22'.repeat(20)}`);
const MUTE = address(`0x${'33'.repeat(20)}`);
const BLOCK = { position: 5, hash: `0x${'b5'.repeat(32)}` };
const NATIVE = 7n * 10n ** 18n;

const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

const { signal } = new AbortController();

interface Asked {
  readonly method: string;
  readonly tag: unknown;
}

function callToken(to: string, data: Hex): Hex {
  const { args } = decodeFunctionData({ abi: erc20Abi, data });
  assert.equal(String(args?.[0]).toLowerCase(), OWNER);
  if (to.toLowerCase() !== GOOD) throw new RpcFault(3, 'execution reverted');
  return encodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', result: 42n });
}

function aggregate(data: Hex): Hex {
  const { args } = decodeFunctionData({ abi: multicall3Abi, data });
  const calls = args[0] as readonly { target: Hex; callData: Hex }[];
  const result = calls.map(({ target, callData }) => {
    if (target.toLowerCase() === MULTICALL) {
      const returnData: Hex = `0x${NATIVE.toString(16).padStart(64, '0')}`;
      return { success: true, returnData };
    }
    try {
      return { success: true, returnData: callToken(target, callData) };
    } catch {
      return { success: false, returnData: '0x' as const };
    }
  });
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
}

function createAnswer(asked: Asked[]): TrueAnswer {
  return (method, params) => {
    const [first, tag] = params as [{ to: string; data: Hex } | string, unknown];
    asked.push({ method, tag });
    if (method === 'eth_getBalance') return `0x${NATIVE.toString(16)}`;
    assert.ok(method === 'eth_call' && typeof first === 'object');
    return first.to === MULTICALL ? aggregate(first.data) : callToken(first.to, first.data);
  };
}

async function start(answer: TrueAnswer) {
  return await startClientOn({ after: (work) => void cleanups.push(work) }, answer, 2000);
}

test('the coin and the tokens are read by one call of that very block', async () => {
  const asked: Asked[] = [];
  const { client } = await start(createAnswer(asked));
  const query = { owner: OWNER, tokens: [GOOD], block: BLOCK };
  const holdings = await readHoldings(client, { multicall3: MULTICALL, query }, signal);
  assert.deepEqual(holdings, { nativeRaw: NATIVE, amountsRaw: [42n] });
  const tag = { blockHash: BLOCK.hash, requireCanonical: true };
  assert.deepEqual(asked, [{ method: 'eth_call', tag }]);
});

test('a token that does not answer is unknown, and the others are not', async () => {
  const { client } = await start(createAnswer([]));
  const query = { owner: OWNER, tokens: [MUTE, GOOD], block: BLOCK };
  const holdings = await readHoldings(client, { multicall3: MULTICALL, query }, signal);
  assert.deepEqual(holdings, { nativeRaw: NATIVE, amountsRaw: [null, 42n] });
});

test('a chain without Multicall3 is asked for the same', async () => {
  const { client } = await start(createAnswer([]));
  const query = { owner: OWNER, tokens: [GOOD, MUTE], block: BLOCK };
  const holdings = await readHoldings(client, { multicall3: null, query }, signal);
  assert.deepEqual(holdings, { nativeRaw: NATIVE, amountsRaw: [42n, null] });
});

test('a block that the node does not have is no answer', async () => {
  const { client } = await start(() => {
    throw new RpcFault(-32000, 'header for hash not found');
  });
  const query = { owner: OWNER, tokens: [GOOD], block: BLOCK };
  assert.equal(await readHoldings(client, { multicall3: MULTICALL, query }, signal), null);
});
