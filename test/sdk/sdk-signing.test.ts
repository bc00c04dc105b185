// What the SDK has a wallet sign besides EVM transactions: permits, and transactions of Solana.

import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { verifyTypedData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  type BuiltTrade,
  createClient,
  type Permit,
  TradeError,
  type TradeOptions,
  trade,
} from '../../sdk/src/client.ts';
import { buildTrade } from '../../src/contract/operations/build-trade.ts';
import { encodeBase58 } from '../../src/lib/base58.ts';
import type { Json } from '../market-scene.ts';
import { answerJson, startScriptedServer } from './scripted-server.ts';

const EXAMPLE = buildTrade.example.answer as unknown as BuiltTrade;
const [SWAP] = EXAMPLE.transactions;
const INPUT = { chain: 'devnet', mint: '0xA', side: 'sell', amountInRaw: '1' } as const;
const DONE = { status: 'confirmed', block: 7, tradeIds: ['devnet:0x1:0'] } as const;
const TOKEN = '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7';
const ROUTER = '0x9A8d4796020426cB362c7E695ef1126E919aF269';

const account = privateKeyToAccount(generatePrivateKey());

const fields = (text: string) =>
  text.split(', ').map((field) => {
    const [type = '', name = ''] = field.split(' ');
    return { name, type };
  });

const PERMIT: Permit = {
  domain: { name: 'Permit2', chainId: 1337, verifyingContract: ROUTER },
  types: {
    EIP712Domain: fields('string name, uint256 chainId, address verifyingContract'),
    PermitSingle: fields('PermitDetails details, address spender, uint256 sigDeadline'),
    PermitDetails: fields('address token, uint160 amount, uint48 expiration, uint48 nonce'),
  },
  primaryType: 'PermitSingle',
  message: {
    details: { token: TOKEN, amount: '1', expiration: '1794715004', nonce: '0' },
    spender: ROUTER,
    sigDeadline: '1794715004',
  },
};

/** Builds as given, one after the other; by default every transaction is confirmed when asked. */
function createWorld(
  builds: readonly Partial<BuiltTrade>[],
  answerStatus: (asked: URLSearchParams) => object = () => DONE,
) {
  const asked: Json[] = [];
  const fakeFetch: typeof fetch = async (url, init) => {
    const { pathname, searchParams } = new URL(String(url));
    if (pathname !== '/v1/trade/build') return Response.json(answerStatus(searchParams));
    asked.push(JSON.parse(String(init?.body)));
    const { deadline = Date.now() + 600_000, ...built } = builds[asked.length - 1] ?? {};
    return Response.json({ ...EXAMPLE, wallet: account.address, deadline, ...built });
  };
  const client = createClient({ baseUrl: 'http://api/v1', fetch: fakeFetch });
  const run = (options: TradeOptions) =>
    trade(client, { ...INPUT, approval: 'permit' }, { pollMs: 1, ...options });
  return { asked, run };
}

async function catchCode(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail('it did not throw'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TradeError, String(error));
  return error.code;
}

describe('a permit', () => {
  const own = { ...SWAP, from: account.address } as NonNullable<typeof SWAP>;
  const approve = { ...own, kind: 'approve' } as typeof own;
  const isSigned = (signature: string) =>
    verifyTypedData({ ...PERMIT, address: account.address, signature } as never);

  test('is signed after the approval, and the swap is built with it', async (t) => {
    const sent: string[] = [];
    const node = await startScriptedServer(t, [
      answerJson({ jsonrpc: '2.0', id: 1, result: '0x' }),
    ]);
    const { asked, run } = createWorld([
      { transactions: [approve], permit: PERMIT },
      { transactions: [own] },
    ]);
    const wallet = { account, rpcUrl: node.baseUrl };
    const reviewed: BuiltTrade[] = [];
    const { hashes, built } = await run({
      wallet,
      review: (one) => reviewed.push(one) > 0,
      onProgress: ({ sent: now }) => void sent.push(...now.map(String)),
    });
    assert.deepEqual([hashes.length, sent.length, reviewed.length], [1, 2, 2]);
    assert.equal(built.permit, undefined);
    const [first, second] = asked;
    assert.equal(first.permitSignature, undefined);
    assert.deepEqual([second.approval, second.quoteId], ['permit', EXAMPLE.quote.quoteId]);
    assert.ok(await isSigned(second.permitSignature));
    assert.deepEqual(
      node.requests.map(({ body }) => JSON.parse(body).method),
      ['eth_sendRawTransaction', 'eth_sendRawTransaction'],
    );
  });

  test('of a swap that is refused at the second review is signed, and no swap is sent', async (t) => {
    const result = answerJson({ jsonrpc: '2.0', id: 1, result: '0x' });
    const node = await startScriptedServer(t, [result]);
    const builds = [{ transactions: [approve], permit: PERMIT }, { transactions: [own] }];
    const wallet = { account, rpcUrl: node.baseUrl };
    const review = ({ permit }: BuiltTrade) => permit !== undefined;
    assert.equal(await catchCode(createWorld(builds).run({ wallet, review })), 'REFUSED');
    assert.equal(node.requests.length, 1);
  });

  test('that the account cannot sign is noticed before an approval is sent', async () => {
    const { address, signTransaction } = account;
    const wallet = {
      account: { address, signTransaction },
      request: () => assert.fail('something was sent'),
    };
    const { run } = createWorld([{ transactions: [approve], permit: PERMIT }]);
    assert.equal(await catchCode(run({ wallet } as never)), 'UNSUPPORTED_TRANSACTION');
  });

  test('is given to a browser wallet as text, and may be refused or given up', async () => {
    const calls: string[] = [];
    const state = { isWilling: true };
    const wallet = {
      request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
        calls.push(method);
        if (method === 'eth_chainId') return '0x539';
        if (method === 'eth_accounts') return [account.address];
        if (method === 'eth_sendTransaction') return '0xh';
        assert.equal(method, 'eth_signTypedData_v4');
        if (!state.isWilling) throw Object.assign(new Error('no'), { code: 4001 });
        const [from, text] = params as [string, string];
        assert.equal(from, account.address);
        return account.signTypedData(JSON.parse(text));
      },
    };
    const builds = [{ transactions: [], permit: PERMIT }, { transactions: [own] }];
    const { asked, run } = createWorld(builds);
    await run({ wallet });
    assert.ok(await isSigned(asked[1].permitSignature));
    const abort = new AbortController();
    const left = {
      request: (call: { method: string; params?: readonly unknown[] }) => {
        if (call.method === 'eth_accounts') abort.abort();
        return wallet.request(call);
      },
    };
    const given = createWorld(builds).run({ wallet: left, signal: abort.signal });
    await assert.rejects(given, { name: 'AbortError' });
    assert.equal(calls.filter((method) => method === 'eth_signTypedData_v4').length, 1);
    state.isWilling = false;
    assert.equal(await catchCode(createWorld(builds).run({ wallet })), 'REFUSED');
    assert.equal(calls.filter((method) => method === 'eth_sendTransaction').length, 1);
  });
});

describe('a transaction of Solana', () => {
  const MESSAGE = Buffer.from('the message of a transaction');

  function createSigner(): { address: string; key: KeyObject } {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    return { address: encodeBase58(raw), key: privateKey };
  }

  function signBytes(key: KeyObject, bytes: Uint8Array): Buffer {
    const signed = Buffer.from(bytes);
    sign(null, signed.subarray(65), key).copy(signed, 1);
    return signed;
  }

  const buildUnsigned = (from: string) => ({
    ...{ kind: 'swap' as const, type: 'solana-v0' as const, from, requiredSigners: [from] },
    transaction: Buffer.concat([Buffer.from([1]), Buffer.alloc(64), MESSAGE]).toString('base64'),
    ...{ recentBlockhash: 'x', lastValidBlockHeight: 9, computeUnitLimit: 1 },
    computeUnitPriceMicroLamports: '1',
  });

  async function startNode(t: TestContext) {
    const failed = { jsonrpc: '2.0', id: 1, error: { message: 'connection reset' } };
    return startScriptedServer(t, [answerJson(failed), answerJson({ jsonrpc: '2.0', id: 1 })]);
  }

  test('is signed as bytes, known by its signature, and sent to the given node', async (t) => {
    const { address, key } = createSigner();
    const transaction = buildUnsigned(address);
    const signed = signBytes(key, Buffer.from(transaction.transaction, 'base64'));
    const signer = {
      address,
      signTransaction: async (base64: string) => {
        assert.equal(base64, transaction.transaction);
        return signed.toString('base64');
      },
    };
    const standard = {
      accounts: [{ address }],
      features: {
        'solana:signTransaction': {
          signTransaction: async (call: { transaction: Uint8Array }) => [
            { signedTransaction: signBytes(key, call.transaction) },
          ],
        },
      },
    };
    for (const one of [signer, standard]) {
      const node = await startNode(t);
      const { run } = createWorld([{ transactions: [transaction] }]);
      const { hashes } = await run({ wallet: { account: one, rpcUrl: node.baseUrl } });
      assert.deepEqual(hashes, [encodeBase58(signed.subarray(1, 65))]);
      // The node failed; the status then says that the transaction has arrived.
      const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
      const params = [signed.toString('base64'), options];
      const call = { jsonrpc: '2.0', id: 1, method: 'sendTransaction', params };
      assert.deepEqual(
        node.requests.map(({ body }) => JSON.parse(body)),
        [call],
      );
    }
  });

  test('is not lost while it can be executed, and is sent until a node takes it', async (t) => {
    const { address, key } = createSigner();
    const transaction = buildUnsigned(address);
    const signTransaction = async (base64: string) =>
      signBytes(key, Buffer.from(base64, 'base64')).toString('base64');
    const node = await startNode(t);
    const state = { asked: 0, status: 'confirmed' };
    // No node knows it; with its last block the answer is that it may still be executed.
    const build = { transactions: [transaction] };
    const { run } = createWorld([build, build], (asked) => {
      const other = { block: null, tradeIds: [], reason: null };
      if (asked.get('lastValidBlockHeight') !== '9') return { status: 'unknown', ...other };
      state.asked += 1;
      if (state.asked < 4) return { status: 'pending', ...other };
      return state.status === 'confirmed' ? DONE : { ...DONE, ...state, reason: 'slippage' };
    });
    const wallet = { account: { address, signTransaction }, rpcUrl: node.baseUrl };
    const { status } = await run({ wallet, lostAfterMs: 0 });
    assert.deepEqual([status, state.asked, node.requests.length], ['confirmed', 4, 2]);
    state.status = 'reverted';
    await assert.rejects(run({ wallet, lostAfterMs: 0 }), { message: /^REVERTED: .*: slippage$/ });
  });

  /** A wallet of the Wallet Standard that sends by itself. */
  function createSender(address: string, chains: readonly string[] = ['solana:localnet']) {
    const sent: { account?: unknown; chain: string; transaction: Uint8Array }[] = [];
    const state = { isWilling: true };
    const signature = Buffer.alloc(64, 7);
    const account = { address, chains };
    const feature = {
      signAndSendTransaction: async (call: { chain: string; transaction: Uint8Array }) => {
        if (!state.isWilling) throw Object.assign(new Error('no'), { code: 4001 });
        sent.push(call);
        return [{ signature: Uint8Array.from(signature) }];
      },
    };
    const features = { 'solana:signAndSendTransaction': feature };
    const wallet = { account: { accounts: [account], features }, cluster: 'solana:localnet' };
    return { wallet, sent, state, id: encodeBase58(signature) };
  }

  test('is sent by a wallet that sends by itself, in its cluster', async () => {
    const { address } = createSigner();
    const transaction = buildUnsigned(address);
    const { wallet, sent, id } = createSender(address);
    const { run } = createWorld([{ transactions: [transaction] }]);
    assert.deepEqual((await run({ wallet })).hashes, [id]);
    assert.deepEqual(
      sent.map(({ chain, transaction: bytes }) => [chain, Buffer.from(bytes).toString('base64')]),
      [['solana:localnet', transaction.transaction]],
    );
  });

  test('is signed with its own account of a wallet that has several', async (t) => {
    const { address, key } = createSigner();
    const other = { address: createSigner().address, chains: ['solana:localnet'] };
    const own = { address, chains: ['solana:localnet'] };
    const build = { transactions: [buildUnsigned(address)] };
    const { wallet, sent, id } = createSender(address);
    const several = { ...wallet, account: { ...wallet.account, accounts: [other, own] } };
    assert.deepEqual((await createWorld([build]).run({ wallet: several })).hashes, [id]);
    const signed: unknown[] = [];
    const signTransaction = async (call: { account: unknown; transaction: Uint8Array }) => {
      signed.push(call.account);
      return [{ signedTransaction: signBytes(key, call.transaction) }];
    };
    const features = { 'solana:signTransaction': { signTransaction } };
    const node = await startNode(t);
    const signer = { account: { accounts: [other, own], features }, rpcUrl: node.baseUrl };
    await createWorld([build]).run({ wallet: signer });
    assert.deepEqual([...sent.map(({ account: used }) => used), ...signed], [own, own]);
  });

  test('is not sent by a wallet of another account or cluster, nor against its user', async () => {
    const { address } = createSigner();
    const run = (wallet: TradeOptions['wallet'], from = address) =>
      createWorld([{ transactions: [buildUnsigned(from)] }]).run({ wallet });
    const other = createSender(createSigner().address);
    assert.equal(await catchCode(run(other.wallet)), 'WRONG_WALLET');
    const elsewhere = createSender(address, ['solana:mainnet']);
    assert.equal(await catchCode(run(elsewhere.wallet)), 'WRONG_CHAIN');
    const refusing = createSender(address);
    refusing.state.isWilling = false;
    assert.equal(await catchCode(run(refusing.wallet)), 'REFUSED');
    const none = { account: { accounts: [{ address }], features: {} }, cluster: 'solana:mainnet' };
    assert.equal(await catchCode(run(none)), 'UNSUPPORTED_TRANSACTION');
    assert.deepEqual(
      [other, elsewhere, refusing].map(({ sent }) => sent.length),
      [0, 0, 0],
    );
  });

  test('is not sent for another wallet, unsigned, or by a wallet of another kind', async (t) => {
    const { address } = createSigner();
    const transaction = buildUnsigned(address);
    const node = await startNode(t);
    const rpcUrl = node.baseUrl;
    const run = (wallet: TradeOptions['wallet']) =>
      createWorld([{ transactions: [transaction] }]).run({ wallet });
    const signTransaction = async (base64: string) => base64;
    const other = { address: createSigner().address, signTransaction };
    assert.equal(await catchCode(run({ account: other, rpcUrl })), 'WRONG_WALLET');
    const lazy = { address, signTransaction };
    await assert.rejects(run({ account: lazy, rpcUrl }), /did not sign/);
    const browser = { request: () => assert.fail('it was asked') };
    assert.equal(await catchCode(run(browser)), 'UNSUPPORTED_TRANSACTION');
    assert.equal(node.requests.length, 0);
  });
});
