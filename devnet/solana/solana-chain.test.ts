// The embedded chain as its clients see it: blocks, forks, refusals, restarts.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { answerCall } from './answer-call.ts';
import { ChainFault } from './chain-fault.ts';
import { transferLamports } from './instructions.ts';
import { openChain } from './open-chain.ts';
import { startRpcServer } from './rpc-server.ts';
import { createTestAccount, describeGenesis, send } from './scene.ts';
import { RECENT_BLOCKS, type SolanaChain } from './solana-chain.ts';
import { signTransaction } from './wire-transaction.ts';

const START = 1_790_000_000;
const [FROM, TO] = [createTestAccount(0), createTestAccount(1)];
const CONFIRMED = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };

function create(file = ':memory:'): SolanaChain {
  return openChain({ file, genesis: describeGenesis('chain'), genesisSeconds: START });
}

function seal(chain: SolanaChain, skipped = 0): void {
  chain.seal({ seconds: chain.head.seconds + 1, skipped });
}

function plan(lamports: bigint) {
  const instructions = [transferLamports(FROM.address, TO.address, lamports)];
  return { payer: FROM, instructions };
}

function lamportsOf(chain: SolanaChain, address: string): bigint {
  return chain.read(address)?.lamports ?? 0n;
}

/** The code of the refusal. */
function codeOf(work: () => unknown): number {
  try {
    work();
  } catch (error) {
    if (error instanceof ChainFault) return error.code;
    throw error;
  }
  return assert.fail('it was not refused');
}

test('a transaction waits for its block and runs once', () => {
  const chain = create();
  seal(chain);
  const before = lamportsOf(chain, TO.address);
  const bytes = signTransaction(plan(5000n), chain.head.hash);
  const signature = chain.submit(bytes);
  assert.equal(chain.submit(bytes), signature);
  assert.equal(lamportsOf(chain, TO.address), before, 'accounts are those of the newest block');
  seal(chain);
  assert.equal(chain.submit(bytes), signature);
  seal(chain);
  assert.equal(lamportsOf(chain, TO.address), before + 5000n);
  const found = answerCall(chain, 'getSignaturesForAddress', [TO.address, CONFIRMED]);
  assert.deepEqual(
    (found as { signature: string }[]).map((row) => row.signature),
    [signature],
  );
});

test('old blockhashes, wrong signatures and empty wallets are refused', () => {
  const chain = create();
  seal(chain);
  const old = signTransaction(plan(1n), chain.head.hash);
  const wrong = Buffer.from(signTransaction(plan(2n), chain.head.hash));
  wrong.writeUInt8(wrong.readUInt8(5) ^ 1, 5);
  assert.equal(
    codeOf(() => chain.submit(wrong)),
    -32002,
  );
  const tooMuch = signTransaction(plan(10n ** 18n), chain.head.hash);
  assert.equal(
    codeOf(() => chain.submit(tooMuch)),
    -32002,
  );
  assert.equal(
    codeOf(() => chain.submit(Buffer.from([1, 2, 3]))),
    -32602,
  );
  for (let count = 0; count < RECENT_BLOCKS; count += 1) seal(chain);
  const fault = () => chain.submit(old);
  assert.throws(fault, /BlockhashNotFound/);
});

test('slots are skipped, unknown or not there yet, as nodes say it', () => {
  const chain = create();
  seal(chain);
  seal(chain, 2);
  const read = (slot: number) => () => answerCall(chain, 'getBlock', [slot, CONFIRMED]);
  assert.deepEqual(answerCall(chain, 'getBlocks', [0, 9, CONFIRMED]), [0, 1, 4]);
  assert.equal(codeOf(read(2)), -32007);
  assert.equal(codeOf(read(5)), -32004);
  assert.equal(
    codeOf(() => answerCall(chain, 'getBlock', [4, { commitment: 'confirmed' }])),
    -32015,
  );
  assert.equal(
    codeOf(() => answerCall(chain, 'getTea', [])),
    -32601,
  );
  const late = { ...CONFIRMED, minContextSlot: 99 };
  assert.equal(
    codeOf(() => answerCall(chain, 'getSlot', [late])),
    -32016,
  );
});

test('a fork puts accounts back and replays the transactions in later slots', () => {
  const chain = create();
  for (let count = 0; count < 3; count += 1) seal(chain);
  const parent = chain.head;
  const before = lamportsOf(chain, TO.address);
  // Signed before the fork point: it survives. The other's blockhash is replaced.
  chain.submit(signTransaction(plan(100n), parent.hash));
  seal(chain);
  send(chain, plan(7000n));
  seal(chain);
  assert.equal(lamportsOf(chain, TO.address), before + 7100n);
  const old = chain.head;
  chain.fork(2, { seconds: START + 100 });
  assert.equal(lamportsOf(chain, TO.address), before + 100n);
  assert.deepEqual(chain.ledger.listSlots(0, 99), [0, 1, 2, 3, old.slot + 1, old.slot + 2]);
  assert.equal(chain.ledger.readBlock(old.slot + 1)?.parentHash, parent.hash);
  assert.notEqual(chain.head.hash, old.hash);
  chain.fork(2, { seconds: START + 101, drops: () => true });
  assert.equal(lamportsOf(chain, TO.address), before);
});

test('blocks are final 32 blocks down, and no fork reaches them', () => {
  const chain = create();
  for (let count = 0; count < 40; count += 1) seal(chain);
  assert.equal(chain.finalizedSlot, chain.head.slot - 32);
  const final = chain.ledger.readBlock(chain.finalizedSlot)?.hash;
  assert.equal(
    codeOf(() => chain.fork(33, { seconds: START + 100 })),
    -32602,
  );
  chain.fork(32, { seconds: START + 100 });
  assert.equal(chain.ledger.readBlock(8)?.hash, final);
});

test('blocks that are too old are forgotten, and accounts stay', () => {
  const genesis = describeGenesis('chain');
  const options = { file: ':memory:', genesis, genesisSeconds: START, blocksKept: 40 };
  const chain = openChain(options);
  seal(chain);
  send(chain, plan(5n));
  for (let count = 0; count < 60; count += 1) seal(chain);
  const first = chain.ledger.findFirstSlot() ?? 0;
  assert.ok(first > 20, `${first}`);
  assert.equal(
    codeOf(() => answerCall(chain, 'getBlock', [first - 1, CONFIRMED])),
    -32001,
  );
  assert.deepEqual(answerCall(chain, 'getSignaturesForAddress', [TO.address, CONFIRMED]), []);
  assert.equal(lamportsOf(chain, TO.address), lamportsOf(create(), TO.address) + 5n);
});

test('a chain whose process was killed goes on from its last block', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-solana-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'chain.sqlite');
  const killed = create(file);
  seal(killed);
  send(killed, plan(12_345n));
  seal(killed);
  // Not closed; what was sent after the last block is lost.
  send(killed, plan(999n));
  const chain = create(file);
  t.after(() => {
    killed.ledger.close();
    chain.ledger.close();
  });
  assert.deepEqual(chain.head, killed.head);
  assert.equal(chain.finalizedSlot, chain.head.slot);
  assert.equal(lamportsOf(chain, TO.address), lamportsOf(killed, TO.address));
  assert.ok(chain.isRecent(chain.head.parentHash));
});

test('calls are answered over HTTP, alone and in batches', async (t) => {
  const chain = create();
  seal(chain);
  const server = await startRpcServer(chain, 0);
  t.after(() => server.close());
  const post = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(server.url, init)).json() as Promise<unknown>;
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'getGenesisHash', params: [] };
  const answer = { jsonrpc: '2.0', id: 1, result: chain.genesisHash };
  assert.deepEqual(await post(call), answer);
  const unknown = { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found' } };
  assert.deepEqual(await post([call, { ...call, id: 2, method: 'getTea' }]), [answer, unknown]);
});

test('requests that a page of another site can send are refused', async (t) => {
  const server = await startRpcServer(create(), 0);
  t.after(() => server.close());
  const { port } = new URL(server.url);
  const body = '{"jsonrpc":"2.0","id":1,"method":"getGenesisHash","params":[]}';
  const post = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const json = { 'content-type': 'application/json; charset=utf-8' };
  for (const host of ['127.0.0.1', `localhost:${port}`, '[::1]:1']) {
    assert.equal(await post({ ...json, host }), 200, host);
  }
  for (const host of ['rebound.example', `127.0.0.1.example:${port}`]) {
    assert.equal(await post({ ...json, host }), 403, host);
  }
  assert.equal(await post({ 'content-type': 'text/plain' }), 415);
  assert.equal(await post({}), 415);
});
