// A wallet's calls simulated on a real node: with its own method, with `eth_call` if it lacks that,
// and not at all if it can do neither.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { findPool, findToken } from '../../../../devnet/deployment.ts';
import { startTestChain, type TestChain } from '../../../../devnet/test-chain.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import { address } from '../../../../test/test-ids.ts';
import { systemClock } from '../../../lib/clock.ts';
import { sleep } from '../../../lib/retry.ts';
import type { Address } from '../../../model/ids.ts';
import type { PermitTerms } from '../../chain-transactions.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import { addressWord, encodeCallData, uintWord } from '../data/hex-data.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import { parseConditions } from '../rpc/realistic-simulation.ts';
import { parseDevnetDeployment } from '../venues/parse-devnet-deployment.ts';
import { encodeSwap } from '../venues/universal-router/encode-swap.ts';
import {
  findUniversalRouter,
  type UniversalRouter,
} from '../venues/universal-router/universal-router.ts';
import { decodeRevertReason } from './decode-revert.ts';
import { encodeApprovals } from './encode-approval.ts';
import { buildPermitMessage, encodePermitInput } from './permit-message.ts';
import { buildNativeBalanceRead, CallSimulator, type Simulation } from './simulate-calls.ts';
import { TokenBalanceSlots } from './token-balance-slot.ts';

/** It belongs to nobody and has never been used. */
const WALLET = address('0x00000000000000000000000000000000c0ffee00');
const NONE = { tokenRaw: 0n, permit2Raw: 0n, permit2Expiration: 0, permit2Nonce: 0 };

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

let chain: TestChain;
let router: UniversalRouter;
const closing: (() => void)[] = [];

before(async () => {
  chain = await startTestChain();
  router = findUniversalRouter(parseDevnetDeployment(chain.deployment)) ?? assert.fail();
});
after(async () => {
  for (const close of closing) close();
  await chain.stop();
});

/** A node that does not support some methods. */
async function startLesserNode(isKnown: (call: Call) => boolean) {
  const asked: string[] = [];
  const answer = async (call: Call) => {
    asked.push(call.method);
    const error = { code: -32601, message: `the method ${call.method} is not available` };
    if (!isKnown(call)) return { jsonrpc: '2.0', id: call.id, error };
    try {
      const result = await chain.rpc.call(call.method, ...call.params);
      return { jsonrpc: '2.0', id: call.id, result };
    } catch (cause) {
      return { jsonrpc: '2.0', id: call.id, error: { code: 3, message: String(cause) } };
    }
  };
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const calls = JSON.parse(text) as Call | Call[];
    const replies = Array.isArray(calls)
      ? await Promise.all(calls.map(answer))
      : await answer(calls);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(replies));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function connect(url: string) {
  const client = new RpcClient({
    ...{
      endpoints: [url],
      dialect: createEvmDialect(1337),
      clock: systemClock,
      sleep,
      random: Math.random,
    },
    log: { info: () => undefined, warn: () => undefined },
    budgetMs: 10_000,
    limits: {
      timeoutMs: 10_000,
      replyBytesMax: 1_000_000,
      batchCallsMax: 50,
      batchesMax: 2,
      chainCheckMs: 60_000,
    },
  });
  closing.push(() => client.close());
  return {
    simulator: new CallSimulator(client, systemClock),
    slots: new TokenBalanceSlots(client),
  };
}

async function readHead() {
  const head = await chain.rpc.call<{ number: string; hash: string }>(
    'eth_getBlockByNumber',
    'latest',
    false,
  );
  const conditions = parseConditions(head) ?? assert.fail('no conditions');
  return { position: Number(head.number), hash: head.hash, conditions };
}

async function signPermit(signer: PrivateKeyAccount, token: Address, terms: PermitTerms) {
  const message = buildPermitMessage({ router, token }, terms, 1337);
  const signature = await signer.signTypedData(message as never);
  return encodePermitInput({ router, token }, { ...terms, signature });
}

/** Sells WIRE, which the wallet does not have, for the native coin: two approvals and the swap. */
async function sell(
  parts: ReturnType<typeof connect>,
  more: {
    readonly amountOutMin?: bigint;
    readonly hash?: string;
    /** Signs a permit in place of the second approval. */
    readonly signer?: PrivateKeyAccount;
  } = {},
): Promise<Simulation & { kinds?: readonly string[] }> {
  const block = await readHead();
  const token = address(findToken(chain.deployment, 'wire').address);
  const { id } = findPool(chain.deployment, { token: 'wire', venue: 'uniswap-v2' });
  const amountRaw = 10n ** 20n;
  const deadlineSeconds = 4_000_000_000;
  const tokenOut = router.wrapped;
  const { signer } = more;
  const wallet = signer === undefined ? WALLET : address(signer.address.toLowerCase());
  const terms = {
    ...{ form: 'permit2' as const, router: router.name },
    ...{ amountRaw, nonce: 0, deadlineSeconds },
  };
  const permitInput = signer && (await signPermit(signer, token, terms));
  const hop = { pool: { kind: 'v2', pair: address(id) }, tokenIn: token, tokenOut } as const;
  const swap = encodeSwap(
    {
      tokenIn: token,
      tokenOut: ZERO_ADDRESS,
      amountOutMin: more.amountOutMin ?? 1n,
      swapPaths: [{ takes: 'input', amountInRaw: amountRaw, amountOutRaw: 1n, hops: [hop] }],
      outputTaxBps: 0,
      recipient: wallet,
      deadlineSeconds,
      permitInput,
    },
    router,
  );
  const need = { token, amountRaw, deadlineSeconds, mustReset: false };
  const approval = signer === undefined ? ('onchain' as const) : ('signed' as const);
  const calls = [...encodeApprovals({ ...need, approval }, NONE, router), swap].map(
    ({ to, data, value }) => ({
      ...{ to, data, value },
      gas: 3_000_000n,
    }),
  );
  const found = await parts.slots.find({ token, owner: wallet, block: block.position });
  const slots = new Map(found === null ? [] : [[found.slot, `0x${uintWord(amountRaw)}`]]);
  const balance = buildNativeBalanceRead(wallet);
  return parts.simulator.simulate({
    wallet,
    calls: [balance, ...calls, balance],
    overrides: new Map([[found?.account ?? token, { slots }]]),
    ...{ nativeRaw: 0n, gasPrice: 3n * 10n ** 9n, conditions: block.conditions },
    block: { position: block.position, hash: more.hash ?? block.hash },
  });
}

function readOutcomes(simulation: Simulation) {
  return simulation.status === 'done' ? simulation.outcomes : assert.fail(simulation.status);
}

function computeReceived(simulation: Simulation): bigint {
  const outcomes = readOutcomes(simulation);
  for (const { isOk, returnData } of outcomes) assert.ok(isOk, decodeRevertReason(returnData));
  const feesRaw = simulation.status === 'done' ? simulation.feesRaw : 0n;
  return BigInt(outcomes.at(-1)!.returnData) - BigInt(outcomes[0]!.returnData) + feesRaw;
}

describe('CallSimulator', () => {
  it('runs the calls in order, with the given state overrides', async () => {
    const whole = await sell(connect(chain.rpcUrl));
    assert.ok(computeReceived(whole) > 10n ** 15n);
    const balance = await chain.rpc.call<string>('eth_getBalance', WALLET, 'latest');
    assert.equal(BigInt(balance), 0n);
  });

  it('gives the same result on a node with eth_call only, and detects that once', async () => {
    const node = await startLesserNode(({ method }) => method !== 'eth_simulateV1');
    const parts = connect(node.url);
    const [whole, lesser] = [await sell(connect(chain.rpcUrl)), await sell(parts)];
    assert.equal(computeReceived(lesser), computeReceived(whole));
    await sell(parts);
    assert.equal(node.asked.filter((method) => method === 'eth_simulateV1').length, 1);
    for (const [index, { gasUsed }] of readOutcomes(lesser).entries()) {
      // The difference comes from slots warmed by earlier calls, and refunds.
      const exact = Number(readOutcomes(whole)[index]!.gasUsed);
      assert.ok(Math.abs(Number(gasUsed) - exact) < 25_000, `${gasUsed} for ${exact}`);
    }
  });

  it('runs a swap that carries a signed permit, either way', async () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const lesser = await startLesserNode(({ method }) => method !== 'eth_simulateV1');
    const plain = computeReceived(await sell(connect(chain.rpcUrl)));
    for (const url of [chain.rpcUrl, lesser.url]) {
      const simulation = await sell(connect(url), { signer });
      assert.equal(readOutcomes(simulation).length, 4);
      assert.equal(computeReceived(simulation), plain);
    }
  });

  it('reports what a call reverted with, either way', async () => {
    const lesser = await startLesserNode(({ method }) => method !== 'eth_simulateV1');
    for (const url of [chain.rpcUrl, lesser.url]) {
      const outcomes = readOutcomes(await sell(connect(url), { amountOutMin: 10n ** 24n }));
      assert.deepEqual(
        outcomes.map(({ isOk }) => isOk),
        [true, true, true, false, true],
      );
      assert.match(decodeRevertReason(outcomes[3]!.returnData), /less than the minimum/);
    }
  });

  it('reports that a node without state overrides cannot simulate', async () => {
    const node = await startLesserNode(
      ({ method, params }) =>
        method !== 'eth_simulateV1' && (method !== 'eth_call' || params.length < 3),
    );
    assert.deepEqual(await sell(connect(node.url)), { status: 'unable' });
  });

  it('detects that the block is gone', async () => {
    const hash = `0x${'ab'.repeat(32)}`;
    assert.deepEqual(await sell(connect(chain.rpcUrl), { hash }), { status: 'moved' });
  });
});

describe('TokenBalanceSlots', () => {
  it('finds the balance of every token of the devnet, and asks once', async () => {
    const node = await startLesserNode(() => true);
    const { slots } = connect(node.url);
    const { position } = await readHead();
    for (const { key, ...one } of chain.deployment.tokens) {
      const token = address(one.address);
      const found = await slots.find({ token, owner: WALLET, block: position });
      assert.ok(found, key);
      const overrides = { [found.account]: { stateDiff: { [found.slot]: `0x${uintWord(7n)}` } } };
      const data = encodeCallData('0x70a08231', addressWord(WALLET));
      const stored = await chain.rpc.call<string>(
        'eth_call',
        { to: token, data },
        'latest',
        overrides,
      );
      assert.equal(BigInt(stored), 7n, key);
    }
    const before = node.asked.length;
    const token = address(chain.deployment.tokens[0]!.address);
    await slots.find({ token, owner: WALLET, block: position });
    assert.equal(node.asked.length, before);
  });

  it('guesses if a node does not report which slots are read', async () => {
    const node = await startLesserNode(({ method }) => method !== 'eth_createAccessList');
    const { slots } = connect(node.url);
    const { position } = await readHead();
    const { weth } = chain.deployment.contracts;
    for (const token of [weth, findToken(chain.deployment, 'odol').address].map(address)) {
      assert.ok(await slots.find({ token, owner: WALLET, block: position }));
    }
  });

  it('finds nothing if there is no token', async () => {
    const { slots } = connect(chain.rpcUrl);
    const { position } = await readHead();
    const token = address(`0x${'12'.repeat(20)}`);
    assert.equal(await slots.find({ token, owner: WALLET, block: position }), null);
  });
});
