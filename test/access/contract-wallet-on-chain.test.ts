// Contract wallets on a real chain: deployed, not yet deployed, hostile, and with nodes that are
// down.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  serializeErc6492Signature,
} from 'viem';
import { TEST_ADDRESSES } from '../../devnet/accounts.ts';
import { startTestChain, type TestChain } from '../../devnet/test-chain.ts';
import type { ChainSource } from '../../src/chains/family.ts';
import { createContractVerifier } from '../../src/compose/open-access.ts';
import { ChainConnections } from '../../src/engines/chain-connections.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type CompiledWallet, compileWallets } from '../contracts/compile-wallets.ts';
import { type RpcRecorder, startRpcRecorder } from '../rpc-recorder.ts';
import { type AccessServer, startAccess } from '../start-access.ts';
import { createEvmWallet, type TestWallet } from '../wallets.ts';

const DEPLOYER = TEST_ADDRESSES[0] as Address;
const SALT: Hex = `0x${'07'.repeat(32)}`;
const CHAIN_ID = 1337;

/** Nothing answers there, so it does not matter which chain it is. */
const UNKNOWN = { chain: 'ethereum', devnet: null, startBlock: null, instance: null } as const;

const wallets = compileWallets();

function compiled(name: string): CompiledWallet {
  const found = wallets[name];
  assert.ok(found, `${name} is not compiled`);
  return found;
}

function startWith(t: TestContext, findSource: () => ChainSource | null): Promise<AccessServer> {
  const log = { info: () => undefined, warn: () => undefined };
  const connections = new ChainConnections({ clock: systemClock, log });
  t.after(() => connections.close());
  const verifyContractSignature = createContractVerifier({ findSource, connections });
  return startAccess(t, { verifyContractSignature });
}

/** Signs in as the contract at an address, with the signature that `sign` makes of the message. */
async function signInAs(
  server: AccessServer,
  address: string,
  sign: (message: string) => Promise<string>,
) {
  const { challengeId, message } = await server.challenge({ address, chain: 'devnet' });
  const body = { challengeId, signature: await sign(message), transport: 'token' };
  return server.send('POST', '/auth/verify', { body });
}

describe('contract wallets on the devnet', () => {
  let chain: TestChain;
  let recorder: RpcRecorder;
  before(async () => {
    chain = await startTestChain();
    recorder = await startRpcRecorder(chain.rpcUrl);
  });
  after(async () => {
    await chain.stop();
    await recorder.stop();
  });

  async function deploy(name: string, args: readonly unknown[] = []): Promise<Address> {
    const { abi, bytecode } = compiled(name);
    const data = encodeDeployData({ abi, bytecode, args });
    const nonce = BigInt(await chain.rpc.call<Hex>('eth_getTransactionCount', DEPLOYER, 'latest'));
    const receipt = await chain.send({ from: DEPLOYER, data, gas: 3_000_000n });
    assert.equal(receipt.status, '0x1');
    return getContractAddress({ from: DEPLOYER, nonce });
  }

  const buildSource = (endpoint: string): ChainSource => ({
    ...{ chain: 'devnet', endpoints: [endpoint], devnet: chain.deployment },
    ...{ startBlock: null, instance: null },
  });

  const readCode = (address: string) => chain.rpc.call<Hex>('eth_getCode', address, 'latest');

  test('ERC-1271: what the owner signed counts, and nothing else', async (t) => {
    const server = await startWith(t, () => buildSource(recorder.url));
    const owner = createEvmWallet('devnet');
    const address = await deploy('OwnerWallet', [owner.address]);
    const answer = await signInAs(server, address, owner.sign);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const id = `eip155:${CHAIN_ID}:${address}`;
    assert.deepEqual(answer.body['wallet'], { id, address, chain: 'devnet' });
    const mallory = createEvmWallet('devnet');
    const attacks: ((message: string) => Promise<string>)[] = [
      (message) => mallory.sign(message),
      (message) => owner.sign(`${message}\n`),
      async () => '0x00',
    ];
    for (const attack of attacks) {
      const refused = await signInAs(server, address, attack);
      assert.deepEqual([refused.status, refused.body.code], [401, 'INVALID_SIGNATURE']);
    }
    assert.equal((await server.signIn(owner)).walletId, `eip155:${owner.address}`);
  });

  test('ERC-6492: a wallet signs in before it is deployed, and stays undeployed', async (t) => {
    const server = await startWith(t, () => buildSource(recorder.url));
    const owner = createEvmWallet('devnet');
    const factory = await deploy('WalletFactory');
    const { abi, bytecode } = compiled('OwnerWallet');
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: SALT,
      bytecode: encodeDeployData({ abi, bytecode, args: [owner.address] }),
    });
    const createSigner = (signer: TestWallet) => async (message: string) =>
      serializeErc6492Signature({
        address: factory,
        data: encodeFunctionData({
          abi: compiled('WalletFactory').abi,
          functionName: 'create',
          args: [owner.address, SALT],
        }),
        signature: (await signer.sign(message)) as Hex,
      });
    const answer = await signInAs(server, address, createSigner(owner));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal((answer.body['wallet'] as { id: string }).id, `eip155:${CHAIN_ID}:${address}`);
    assert.equal(await readCode(address), '0x', 'nothing was deployed');
    const refused = await signInAs(server, address, createSigner(createEvmWallet()));
    assert.deepEqual([refused.status, refused.body.code], [401, 'INVALID_SIGNATURE']);
    const bare = await signInAs(server, address, owner.sign);
    assert.equal(bare.body.code, 'INVALID_SIGNATURE', 'without its factory there is no wallet');
    // A factory that deploys somebody else's wallet proves nothing about an ordinary one.
    const victim = createEvmWallet('devnet');
    const foreign = await signInAs(server, victim.address, createSigner(owner));
    assert.equal(foreign.body.code, 'INVALID_SIGNATURE');
  });

  test("code deployed at a wallet's address does not sign for it", async (t) => {
    const server = await startWith(t, () => buildSource(recorder.url));
    const victim = createEvmWallet('devnet');
    const { token } = await server.signIn(victim);
    const { id } = await server.issueKey(token);
    await chain.rpc.call('anvil_setCode', victim.address, compiled('AcceptingWallet').runtime);
    const answer = await signInAs(server, victim.address, async () => '0x1234');
    assert.equal(answer.status, 200);
    const wallet = answer.body['wallet'] as { id: string };
    assert.equal(wallet.id, `eip155:${CHAIN_ID}:${victim.address}`);
    const bearer = String(answer.body['token']);
    assert.deepEqual((await server.send('GET', '/keys', { bearer })).body['keys'], []);
    const revoke = await server.send('DELETE', `/keys?id=${id}`, { bearer });
    assert.equal(revoke.body.code, 'KEY_NOT_FOUND');
    assert.equal((await server.signIn(victim)).walletId, `eip155:${victim.address}`);
  });

  test('contracts that return another value, revert or never end are rejected', async (t) => {
    const server = await startWith(t, () => buildSource(recorder.url));
    for (const name of ['TruthyWallet', 'NoisyWallet', 'RevertingWallet', 'LoopingWallet']) {
      const address = await deploy(name);
      const answer = await signInAs(server, address, async () => '0x1234');
      assert.deepEqual([answer.status, answer.body.code], [401, 'INVALID_SIGNATURE'], name);
    }
    const nobody = createEvmWallet();
    const answer = await signInAs(server, nobody.address, createEvmWallet().sign);
    assert.equal(answer.body.code, 'INVALID_SIGNATURE', 'no contract at all');
    const token = await signInAs(server, await deploy('WalletFactory'), async () => '0x1234');
    assert.equal(token.body.code, 'INVALID_SIGNATURE', 'a contract that is no wallet');
  });
});

test('dead and silent nodes give 503 in time, and ordinary wallets still sign in', async (t) => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const deadPort = (closed.address() as AddressInfo).port;
  await new Promise((resolve) => closed.close(resolve));
  for (const endpoint of [`http://127.0.0.1:${port}`, `http://127.0.0.1:${deadPort}`]) {
    const server = await startWith(t, () => ({ ...UNKNOWN, endpoints: [endpoint] }));
    const startedMs = performance.now();
    const answer = await signInAs(server, createEvmWallet().address, async () => '0x1234');
    assert.deepEqual([answer.status, answer.body.code], [503, 'UPSTREAM_UNAVAILABLE']);
    assert.ok(performance.now() - startedMs < 15_000);
    assert.ok(!JSON.stringify(answer.body).includes('127.0.0.1'));
    await server.signIn(createEvmWallet('devnet'));
  }
  const none = await startWith(t, () => null);
  const answer = await signInAs(none, createEvmWallet().address, async () => '0x1234');
  assert.deepEqual([answer.status, answer.body.code], [503, 'UPSTREAM_UNAVAILABLE']);
});
