// The data costs of rollups, queried as each requires.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { decodeFunctionData, parseAbi } from 'viem';
import { address } from '../../../../test/test-ids.ts';
import { systemClock } from '../../../lib/clock.ts';
import { sleep } from '../../../lib/retry.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import { uintWord } from '../data/hex-data.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import { EVM_DEPLOYMENTS } from '../venues/deployments.ts';
import { readDataCost } from './read-data-cost.ts';
import { readDataFees } from './read-data-fees.ts';

const ABI = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data)',
  'function getL1Fee(bytes data)',
]);
const TO = address(`0x${'11'.repeat(20)}`);
const SENT = [
  { to: TO, data: '0x1234' },
  { to: TO, data: `0x${'ab'.repeat(100)}` },
];

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly [{ readonly to: string; readonly data: `0x${string}` }, string];
}

/** A node with one contract: its result depends on the length of the data, or it reverts. */
async function connect(t: TestContext, contract: string | null) {
  const reply = ({ id, method, params }: Call) => {
    if (method !== 'eth_call') return { jsonrpc: '2.0', id, result: '0xa4b1' };
    const [{ to, data }] = params;
    if (to !== contract) return { jsonrpc: '2.0', id, error: { code: 3, message: 'reverted' } };
    const { args } = decodeFunctionData({ abi: ABI, data });
    const length = (String(args?.at(-1)).length - 2) / 2;
    const result = `0x${uintWord(length * 1000)}${uintWord(7)}${uintWord(9)}`;
    return { jsonrpc: '2.0', id, result };
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const calls = JSON.parse(text) as Call | Call[];
    response.end(JSON.stringify(Array.isArray(calls) ? calls.map(reply) : reply(calls)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new RpcClient({
    endpoints: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    ...{
      dialect: createEvmDialect(0xa4b1),
      clock: systemClock,
      sleep,
      random: Math.random,
      budgetMs: 5000,
    },
    log: { info: () => undefined, warn: () => undefined },
    limits: {
      timeoutMs: 5000,
      replyBytesMax: 100_000,
      batchCallsMax: 10,
      batchesMax: 1,
      chainCheckMs: 60_000,
    },
  });
  t.after(() => {
    client.close();
    server.close();
  });
  return client;
}

describe('readDataCost', () => {
  it('is gas of each transaction on Arbitrum, with a reserve', async (t) => {
    const client = await connect(t, '0x00000000000000000000000000000000000000c8');
    const cost = await readDataCost(client, 'arbitrum', SENT);
    assert.deepEqual(cost, { gas: [2500n, 125_000n], feesRaw: 0n });
  });

  it('is a fee of all together on OP chains, their envelopes included', async (t) => {
    const client = await connect(t, '0x420000000000000000000000000000000000000f');
    const cost = await readDataCost(client, 'optimism', SENT);
    assert.deepEqual(cost, { gas: [0n, 0n], feesRaw: ((182_000n + 280_000n) * 125n) / 100n });
  });

  it('is zero on other chains, or if the node does not report it', async (t) => {
    const client = await connect(t, null);
    const nothing = { gas: [0n, 0n], feesRaw: 0n };
    for (const rollup of [null, 'arbitrum', 'optimism'] as const) {
      assert.deepEqual(await readDataCost(client, rollup, SENT), nothing);
    }
  });
});

describe('readDataFees', () => {
  const { arbitrum, base, ethereum } = EVM_DEPLOYMENTS;
  const ORACLE = '0x420000000000000000000000000000000000000f';

  it('is further gas on Arbitrum and a fee on OP chains, more for a longer call', async (t) => {
    const nodes = { units: '0x00000000000000000000000000000000000000c8', coin: ORACLE };
    for (const [kind, deployment] of [
      ['units', arbitrum],
      ['coin', base],
    ] as const) {
      const client = await connect(t, nodes[kind]);
      const fees = await readDataFees(client, deployment ?? assert.fail());
      assert.ok(fees.kind === kind);
      const { short, long } = fees;
      assert.deepEqual([short.bytes, long.bytes], [400, 4000]);
      // The fake charges 1000 a byte, with the reserve of a quarter.
      const perByte = Number(long.charged - short.charged) / (long.bytes - short.bytes);
      assert.ok(perByte > 1000 && perByte < 1500, `${perByte}`);
    }
  });

  it('is none on other chains, and unknown if the node does not report it', async (t) => {
    const client = await connect(t, null);
    assert.deepEqual(await readDataFees(client, ethereum ?? assert.fail()), { kind: 'none' });
    assert.deepEqual(await readDataFees(client, base ?? assert.fail()), { kind: 'unknown' });
  });
});
