// Whose fault it is that a token tells nothing of its permits: the token's, or the node's.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { domainSeparator, type Hex } from 'viem';
import { encodeAbiParameters, keccak256, parseAbiParameters, toHex } from 'viem/utils';
import {
  type MisbehavingRpc,
  RpcFault,
  startMisbehavingRpc,
} from '../../../../test/fakes/misbehaving-rpc.ts';
import { address } from '../../../../test/test-ids.ts';
import { systemClock } from '../../../lib/clock.ts';
import { sleep } from '../../../lib/retry.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import { readTokenPermit } from './token-permit.ts';

const CHAIN_ID = 1337;
const [TOKEN, OWNER, ROUTER] = ['a', 'b', 'c'].map((digit) => address(`0x${digit.repeat(40)}`));
const PARTIES = { token: TOKEN!, owner: OWNER!, router: ROUTER! };
const NAME = 'Token';
const TYPE =
  'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)' as const;
/** By selector. */
const VALUES = new Map<string, Hex>([
  [
    '0x3644e515',
    domainSeparator({
      domain: { name: NAME, version: '1', chainId: CHAIN_ID, verifyingContract: TOKEN as Hex },
    }),
  ],
  ['0x7ecebe00', encodeAbiParameters(parseAbiParameters('uint256'), [4n])],
  ['0x06fdde03', encodeAbiParameters(parseAbiParameters('string'), [NAME])],
  ['0x30adf81f', keccak256(toHex(TYPE))],
]);

/** A token with EIP-2612 and a router with `selfPermitIfNecessary`. */
function answer(method: string, params: readonly unknown[], ownerCode: string): unknown {
  if (method === 'eth_chainId') return '0x539';
  if (method === 'eth_blockNumber') return '0x64';
  if (method === 'eth_getCode') return params[0] === OWNER ? ownerCode : '0x63C2E3140A14';
  const [{ data }] = params as [{ data: string }];
  const value = VALUES.get(data.slice(0, 10));
  if (value === undefined) throw new RpcFault(3, 'execution reverted');
  return value;
}

async function startNode(t: TestContext, ownerCode = '0x'): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc((method, params) => answer(method, params, ownerCode));
  t.after(() => node.stop());
  return node;
}

async function read(nodes: readonly MisbehavingRpc[]) {
  const client = new RpcClient({
    ...{ endpoints: nodes.map(({ url }) => url), dialect: createEvmDialect(CHAIN_ID) },
    ...{
      clock: systemClock,
      sleep,
      random: Math.random,
      budgetMs: nodes.length === 1 ? 0 : 60_000,
    },
    log: { info: () => undefined, warn: () => undefined },
    limits: {
      ...{ timeoutMs: 60_000, replyBytesMax: 1 << 20, batchCallsMax: 50 },
      ...{ batchesMax: 2, chainCheckMs: 600_000 },
    },
  });
  try {
    return await readTokenPermit(client, PARTIES, CHAIN_ID);
  } finally {
    client.close();
  }
}

const FOUND = { form: 'eip2612', name: NAME, version: '1', nonce: 4 };
const TROUBLES = [
  [-32_000, 'missing trie node 1234 (path ) state 0xab is not available'],
  [-32_000, 'header not found'],
  [-32_601, 'the method does not exist/is not available'],
  [-32_603, 'internal error'],
] as const;
/** What each call of the batch is about: an address whose code is asked, or a selector. */
const CALLS = [OWNER, ROUTER, ...VALUES.keys(), '0x54fd4d50', '0xd505accf', '0x8fcbaf0c'];

test('trouble of the node is no answer of the token', async (t) => {
  const [node, healthy] = [await startNode(t), await startNode(t)];
  assert.deepEqual(await read([node]), FOUND);
  for (const asked of CALLS) {
    for (const [code, message] of TROUBLES) {
      node.misbehave(({ params: [of] }) => {
        const isAsked = of === asked || (of as { data?: string })?.data?.startsWith(asked ?? '');
        return isAsked === true ? { do: 'error', code, message } : null;
      });
      await assert.rejects(read([node]), (error) => isRpcError(error), `${asked}: ${message}`);
      assert.deepEqual(await read([node, healthy]), FOUND);
    }
  }
});

test('a call that the contract itself fails is an answer', async (t) => {
  const node = await startNode(t);
  for (const message of ['execution reverted', 'out of gas', 'invalid jump destination']) {
    node.misbehave(({ params: [of] }) => {
      const isName = (of as { data?: string })?.data === '0x06fdde03';
      return isName ? { do: 'error', code: -32_000, message } : null;
    });
    assert.equal(await read([node]), null, message);
  }
});

test('a wallet with code is offered none: some tokens ask the code, and others the key', async (t) => {
  for (const code of ['0x00', `0xef0100${'12'.repeat(20)}`]) {
    assert.equal(await read([await startNode(t, code)]), null, code);
  }
});
