// Contract wallets in access: their own identity, their own budget, and no sign-in without a node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VerifyContractSignature } from '../../src/access/contract-signatures.ts';
import { type AccessServer, startAccess } from '../start-access.ts';
import { createEvmWallet } from '../wallets.ts';

async function attempt(server: AccessServer, address: string, signature: string) {
  const { challengeId } = await server.challenge({ address, chain: 'base' });
  const body = { challengeId, signature, transport: 'token' };
  return { challengeId, answer: await server.send('POST', '/auth/verify', { body }) };
}

test('a contract that accepts is a wallet of its own chain only', async (t) => {
  const asked: unknown[] = [];
  const verifyContractSignature: VerifyContractSignature = async (query) => {
    asked.push({ chain: query.chain, address: query.address });
    return true;
  };
  const server = await startAccess(t, { verifyContractSignature });
  const owner = createEvmWallet('base');
  const { answer } = await attempt(server, owner.address, '0x1234');
  assert.equal(answer.status, 200);
  assert.deepEqual(asked, [{ chain: 'base', address: owner.address }]);
  // Code at an address does not prove ownership of the same address elsewhere.
  assert.deepEqual(answer.body['wallet'], {
    id: `eip155:8453:${owner.address}`,
    address: owner.address,
    chain: 'base',
  });
  const { walletId } = await server.signIn(owner);
  assert.equal(walletId, `eip155:${owner.address}`);
  assert.equal(asked.length, 1, 'an ordinary wallet needs no node');
});

test('without a node the answer is 503 and the challenge stays; ordinary wallets are unaffected', async (t) => {
  const states: (() => Promise<boolean | null>)[] = [
    async () => null,
    () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1')),
  ];
  for (const state of states) {
    let verdict: () => Promise<boolean | null> = state;
    const server = await startAccess(t, { verifyContractSignature: () => verdict() });
    const { address } = createEvmWallet();
    const { challengeId, answer } = await attempt(server, address, '0x1234');
    assert.deepEqual([answer.status, answer.body.code], [503, 'UPSTREAM_UNAVAILABLE']);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.doesNotMatch(JSON.stringify(answer.body), /10\.0\.0\.1/);
    await server.signIn(createEvmWallet('base'));
    verdict = async () => true;
    const body = { challengeId, signature: '0x1234', transport: 'token' };
    assert.equal((await server.send('POST', '/auth/verify', { body })).status, 200);
  }
});

test('asking nodes has a budget per caller', async (t) => {
  let asked = 0;
  const server = await startAccess(t, {
    verifyContractSignature: async () => {
      asked += 1;
      return false;
    },
  });
  const { address } = createEvmWallet();
  const codes: string[] = [];
  for (let i = 0; i < 15; i += 1) {
    codes.push((await attempt(server, address, '0x1234')).answer.body.code ?? 'ok');
  }
  assert.equal(codes.filter((code) => code === 'INVALID_SIGNATURE').length, 10);
  assert.equal(codes.filter((code) => code === 'RATE_LIMITED').length, 5);
  assert.equal(asked, 10);
  await server.signIn(createEvmWallet('base'));
});

test('the number of concurrent questions of a caller is limited', async (t) => {
  const waiting: (() => void)[] = [];
  const server = await startAccess(t, {
    verifyContractSignature: () => new Promise((resolve) => waiting.push(() => resolve(false))),
  });
  const held = [];
  for (let i = 0; i < 2; i += 1) {
    const { challengeId } = await server.challenge(createEvmWallet());
    const body = { challengeId, signature: '0x1234', transport: 'token' };
    held.push(server.send('POST', '/auth/verify', { body }));
  }
  while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const { answer } = await attempt(server, createEvmWallet().address, '0x1234');
  assert.deepEqual([answer.status, answer.body.code], [503, 'OVERLOADED']);
  for (const release of waiting) release();
  for (const one of await Promise.all(held)) assert.equal(one.body.code, 'INVALID_SIGNATURE');
});
