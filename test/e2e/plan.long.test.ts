// `plan` as an operator runs it: the command measures an endpoint and prints what it can carry.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { afterEach, test } from 'node:test';
import { promisify } from 'node:util';
import { endScene, startNode } from '../fakes/chain-scene.ts';
import { MemoryChain } from '../fakes/memory-chain.ts';
import { TradedSolana } from '../fakes/traded-solana.ts';

afterEach(endScene);

const run = promisify(execFile);

async function startBase() {
  const chain = new MemoryChain({ chainId: 8453, blockTimestamps: true });
  while (chain.head < 300) chain.add([]);
  return await startNode((method, params) =>
    method === 'eth_getBalance' ? '0x0' : chain.answer(method, params),
  );
}

test('prints limits, abilities with their substitutes, and the cost of each scope', async () => {
  const node = await startBase();
  const { stdout } = await run(process.execPath, ['src/cli/main.ts', 'plan', '--chain', 'base'], {
    env: {
      ...{ PATH: process.env['PATH'], RPC_BASE: node.url, RPC_CREDITS_BASE: 'default:20' },
      RPC_CREDITS_PER_DAY_BASE: '2500000',
    },
  });
  assert.match(stdout, /127\.0\.0\.1#0/);
  assert.match(stdout, /a block every 2\.00 s/);
  assert.match(stdout, /eth_getLogs +up to 301 blocks at once/);
  assert.match(stdout, /yes {2}receipts of a block/);
  assert.match(stdout, /no {3}eth_simulateV1: trades are simulated by eth_call/);
  assert.match(stdout, /all +[\d,]+ +[\d,]+ +[\d.]+ [kMG]B {2}1\.\d times the daily cap/);
  assert.match(stdout, /A wss:\/\/ entry in RPC_BASE saves the polls/);
  assert.ok(!stdout.includes('sEcReT'));
});

test('prints what history costs from a block on, and what a week reads if it is more', async () => {
  const node = await startBase();
  const env = {
    ...{ PATH: process.env['PATH'], RPC_BASE: node.url, RPC_CREDITS_BASE: 'default:20' },
    RPC_CREDITS_PER_DAY_BASE: '1000',
  };
  const args = ['src/cli/main.ts', 'plan', '--chain', 'base'];
  const { stdout } = await run(process.execPath, [...args, '--from', '1'], { env });
  assert.match(stdout, /history from block 1 on, scope all: 300 blocks/);
  assert.match(stdout, /903 calls, 18,060 credits, 0 B of disk/);
  assert.match(stdout, /18 days at the daily cap/);
  assert.match(stdout, /from an archive \(HISTORY_<CHAIN>\): [\d,]+ calls, [\d,]+ credits here/);
  assert.match(stdout, /SQD Portal +about [\d.]+ [kMG]?B, /);
  assert.match(stdout, /another RPC +about [\d.]+ [kMG]?B, 600 calls, /);
  assert.doesNotMatch(stdout, /era files/);
  assert.match(stdout, /over a week: block 1\d\d on is what a week reads/);
  const started = { ...env, START_BLOCK_BASE: '251' };
  assert.match((await run(process.execPath, args, { env: started })).stdout, /from block 251 on/);
  await assert.rejects(run(process.execPath, [...args, '--from', 'x'], { env }), /--from must be/);
});

test('prints what Solana costs: whole blocks, its history, and where that begins', async () => {
  const scene = new TradedSolana('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d');
  for (let count = 0; count < 100; count += 1) scene.trade({ skipped: count % 2 });
  const node = await startNode(scene.chain.answer);
  const env = {
    ...{ PATH: process.env['PATH'], RPC_SOLANA: node.url, RPC_CREDITS_SOLANA: 'default:10' },
    RPC_CREDITS_PER_DAY_SOLANA: '100',
  };
  const args = ['src/cli/main.ts', 'plan', '--chain', 'solana', '--from', '51'];
  const { stdout } = await run(process.execPath, args, { env });
  assert.match(stdout, /head +250, a block every 1\.50 s/);
  assert.match(stdout, /8 whole blocks at once were answered/);
  assert.match(stdout, /a block +[\d.]+ kB, 1\.0 trades/);
  assert.match(stdout, /first block +slot 99/);
  assert.match(stdout, /yes {2}lists of accounts/);
  assert.match(stdout, /all +[\d,]+ +[\d,]+ +[\d.]+ [kMG]B/);
  assert.match(stdout, /history from block 51 on, scope all: 134 blocks/);
  assert.match(stdout, /18 days at the daily cap\n +over a week: block 1\d\d on/);
  assert.match(stdout, /the endpoint has no block before 99/);
  assert.ok(!stdout.includes('wss://'));
});

test('an endpoint that does not answer is an error with its reason', async () => {
  const node = await startBase();
  node.misbehave(() => ({ do: 'reply', status: 401, text: 'no key' }));
  const env = { PATH: process.env['PATH'], RPC_BASE: node.url };
  await assert.rejects(
    run(process.execPath, ['src/cli/main.ts', 'plan', '--chain', 'base'], { env }),
    (error: { code: number; stdout: string }) => {
      assert.equal(error.code, 1);
      assert.match(error.stdout, /could not be measured: 127\.0\.0\.1#0: HTTP status 401/);
      return true;
    },
  );
});

test('a chain without an endpoint, or none, is refused with what to do', async () => {
  const env = { PATH: process.env['PATH'] };
  for (const [args, expected] of [
    [['--chain', 'base'], /Set RPC_BASE/],
    [['--chain', 'bass'], /no chain "bass"/],
    [[], /--chain is missing/],
  ] as const) {
    await assert.rejects(
      run(process.execPath, ['src/cli/main.ts', 'plan', ...args], { env }),
      (error: { stderr: string }) => expected.test(error.stderr),
    );
  }
});
