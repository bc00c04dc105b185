// A chain by file, with an exchange that nobody else has: followed, quoted and traded like a
// built-in one. The file is the example of docs/chains-file.md with the addresses of a real chain.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem';
import { MAKER } from '../../devnet/accounts.ts';
import { type ArtifactName, readArtifact } from '../../devnet/artifacts.ts';
import { computeInitCodeHashes } from '../../devnet/deploy-contracts.ts';
import { findToken } from '../../devnet/deployment.ts';
import { startTestChain, type TestChain } from '../../devnet/test-chain.ts';
import { parseChainsFile } from '../../src/config/parse-chains-file.ts';
import { type AccessClient, createAccessClient } from '../access-client.ts';
import { startNode } from '../fakes/chain-scene.ts';
import { MemoryChain } from '../fakes/memory-chain.ts';
import { assertVerified, untilAtHead } from '../indexed-service.ts';
import type { Json } from '../market-scene.ts';
import { setUp } from '../root-hooks.ts';
import {
  type Cleanup,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { until } from '../trade-service.ts';
import { readBalance, setBalance } from '../trade-wallet.ts';
import { createEvmWallet } from '../wallets.ts';

const CHAIN = 'my-chain';
const CHAIN_ID = 4242;
const ETHER = 10n ** 18n;
const run = promisify(execFile);

/** The JSON blocks of the document, in order. */
function readExamples(): string[] {
  const text = readFileSync('docs/chains-file.md', 'utf8');
  return [...text.matchAll(/```json\n(.*?)```/gs)].map((match) => match[1] ?? '');
}

function createFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-chains-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const FORK_ABI = parseAbi([
  'function createPair(address a, address b) returns (address)',
  'function getPair(address a, address b) view returns (address)',
  'function mint(address to) returns (uint256)',
  'function deposit() payable',
  'function transfer(address to, uint256 value) returns (bool)',
]);

/** Sends from the maker and checks that it worked. */
async function act(chain: TestChain, call: { to?: Address; data: Hex; value?: bigint }) {
  const receipt = await chain.send({ from: MAKER, gas: 20_000_000n, ...call });
  assert.equal(receipt.status, '0x1');
}

async function deploy(chain: TestChain, name: ArtifactName, args: readonly unknown[]) {
  const nonce = BigInt(await chain.rpc.call<Hex>('eth_getTransactionCount', MAKER, 'latest'));
  const { abi, bytecode } = readArtifact(name);
  await act(chain, { data: encodeDeployData({ abi, bytecode, args }) });
  return getContractAddress({ from: MAKER, nonce }).toLowerCase() as Address;
}

interface Fork {
  readonly factory: Address;
  readonly router: Address;
  readonly pair: Address;
}

/** A second V2 factory, a Universal Router for it, and the only pool of LONE. */
async function deployFork(chain: TestChain): Promise<Fork> {
  const { contracts } = chain.deployment;
  const lone = findToken(chain.deployment, 'lone').address;
  const { weth } = contracts;
  const factory = await deploy(chain, 'UniswapV2Factory', [MAKER]);
  const hashes = computeInitCodeHashes();
  const router = await deploy(chain, 'UniversalRouter', [
    {
      ...{ permit2: contracts.permit2, weth9: weth, v2Factory: factory },
      ...{ v3Factory: contracts.v3Factory, pairInitCodeHash: hashes.pair },
      ...{ poolInitCodeHash: hashes.pool, v4PoolManager: contracts.v4PoolManager },
      ...{ v3NFTPositionManager: contracts.v3PositionManager },
      ...{ v4PositionManager: contracts.v4PositionManager, spokePool: zeroAddress },
    },
  ]);
  const encode = (functionName: string, args: readonly unknown[] = []) =>
    encodeFunctionData({ abi: FORK_ABI, functionName, args } as never);
  await act(chain, { to: factory, data: encode('createPair', [lone, weth]) });
  const data = encode('getPair', [lone, weth]);
  const answer = await chain.rpc.call<Hex>('eth_call', { to: factory, data }, 'latest');
  const pair: Address = `0x${answer.slice(-40)}`;
  await act(chain, { to: weth, data: encode('deposit'), value: 50n * ETHER });
  await act(chain, { to: weth, data: encode('transfer', [pair, 50n * ETHER]) });
  await act(chain, { to: lone, data: encode('transfer', [pair, 150_000n * ETHER]) });
  await act(chain, { to: pair, data: encode('mint', [MAKER]) });
  return { factory, router, pair };
}

/** The document's second example, with the addresses of this chain. */
function writeFile(t: Cleanup, { deployment }: TestChain, fork: Fork): string {
  const file = JSON.parse(readExamples()[1] ?? '') as Json;
  const entry = file.chains[CHAIN];
  const { contracts, anchorPools } = deployment;
  entry.wrapped = contracts.weth;
  entry.stables = [findToken(deployment, 'usdc').address];
  entry.anchorPools = anchorPools;
  const [own, v2, v3, v4] = entry.factories;
  own.factory = fork.factory;
  Object.assign(v2, { factory: contracts.v2Factory, router: contracts.v2Router });
  Object.assign(v3, { factory: contracts.v3Factory, quoter: contracts.v3Quoter });
  Object.assign(v4, {
    ...{ poolManager: contracts.v4PoolManager, positionManager: contracts.v4PositionManager },
    ...{ stateView: contracts.v4StateView, quoter: contracts.v4Quoter },
  });
  entry.universalRouter.address = fork.router;
  Object.assign(entry, { permit2: contracts.permit2, multicall3: contracts.multicall3 });
  const path = join(createFolder(t), 'chains.json');
  writeFileSync(path, JSON.stringify(file));
  return path;
}

test('the examples of the document are valid', () => {
  const examples = readExamples();
  assert.equal(examples.length, 2);
  for (const example of examples) {
    const problems: string[] = [];
    assert.equal(parseChainsFile(example, problems).length, 1);
    assert.deepEqual(problems, []);
  }
});

describe('a chain by file', () => {
  let chain: TestChain;
  let fork: Fork;
  let env: Readonly<Record<string, string>>;
  let service: RunningService;
  let client: AccessClient;
  let mint: string;

  setUp(async (t) => {
    chain = await startTestChain({ history: { blocks: 6, actionsPerBlock: 3 } });
    t.after(() => chain.stop());
    await chain.rpc.call('anvil_setChainId', CHAIN_ID);
    fork = await deployFork(chain);
    mint = findToken(chain.deployment, 'lone').address;
    env = {
      ...{ CHAINS_FILE: writeFile(t, chain, fork), RPC_MY_CHAIN: chain.rpcUrl },
      ...{ START_BLOCK_MY_CHAIN: '0', DATA_DIR: createFolder(t), STALL_SECONDS: '600' },
    };
    service = await startServiceProcess(t, { env });
    client = createAccessClient(service.origin);
    await untilAtHead(service, chain);
  });

  async function get(path: string): Promise<Json> {
    const { status, body } = await client.send('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  async function quote(amountInRaw: bigint): Promise<Json> {
    const trade = { chain: CHAIN, mint, side: 'buy', amountInRaw: String(amountInRaw) };
    return (await client.send('POST', '/trade/quote', { body: trade })).body;
  }

  test('it is listed, found and read under its slug and its CAIP-2 name', async () => {
    const { chains } = await get('/chains');
    const [listed] = chains;
    assert.deepEqual(
      [listed.slug, listed.caip2, listed.name, listed.native.symbol, listed.native.decimals],
      [CHAIN, 'eip155:4242', 'My chain', 'MINE', 18],
    );
    assert.deepEqual(listed.venues, ['my-dex-v2', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4']);
    assert.equal(listed.rpcUrl, undefined);
    const { tokens } = await get('/tokens/search?q=lone');
    assert.deepEqual([tokens[0].chain, tokens[0].symbol], [CHAIN, 'LONE']);
    for (const name of [CHAIN, 'eip155:4242']) {
      const token = await get(`/token?chain=${name}&mint=${mint}`);
      assert.equal(token.chain, CHAIN);
      assert.equal(token.pools[0].venue, 'my-dex-v2');
      assert.equal(token.pools[0].address.toLowerCase(), fork.pair);
      // 50 coins for 150,000 tokens, at 3,000 USD a coin.
      assert.ok(Math.abs(Number(token.priceUsd ?? 1) - 1) < 0.1, token.priceUsd);
    }
    const unknown = await client.send('GET', `/token?chain=no-chain&mint=${mint}`);
    assert.equal(unknown.body.code, 'UNKNOWN_CHAIN');
    assert.match(String(unknown.body['detail']), /my-chain/);
  });

  test('a trade in its own exchange is quoted, built, sent and indexed', async (t) => {
    let quoted: Json = {};
    await until('the quote is exact', async () => {
      quoted = await quote(ETHER);
      return quoted.exact === true;
    });
    assert.deepEqual(
      quoted.route.map(({ hops }: Json) => hops.map(({ venue }: Json) => venue)),
      [['my-dex-v2']],
    );
    assert.equal(quoted.input.symbol, 'MINE');
    const wallet = createEvmWallet();
    const address = wallet.address;
    await setBalance(chain, zeroAddress, { owner: address, amountRaw: 10n * ETHER });
    await chain.mine();
    await untilAtHead(service, chain);
    const { token: bearer, walletId } = await client.signIn({ ...wallet, chain: 'eip155:4242' });
    assert.equal(walletId, `eip155:${address}`);
    const trade = { chain: CHAIN, mint, side: 'buy', amountInRaw: String(ETHER) };
    const built = await client.send('POST', '/trade/build', { body: trade, bearer });
    assert.equal(built.status, 200, JSON.stringify(built.body));
    const { transactions, summary, simulation, quote: terms } = built.body as Json;
    assert.equal(simulation.status, 'ok');
    assert.match(summary[0], /^Buy LONE .* with MINE on My chain$/);
    assert.ok(summary.some((line: string) => line.includes('https://explorer.example/token/0x')));
    assert.deepEqual([transactions.length, transactions[0].chainId], [1, CHAIN_ID]);
    await chain.rpc.call('anvil_impersonateAccount', address);
    const { to, data, value, gas } = transactions[0];
    const sent = { from: address as Address, to, data, value: BigInt(value), gas: BigInt(gas) };
    const receipt = await chain.send(sent);
    assert.equal(receipt.status, '0x1');
    await untilAtHead(service, chain);
    const { trades } = await get(`/token/trades?chain=${CHAIN}&mint=${mint}&wallet=${address}`);
    assert.equal(trades[0].venue, 'my-dex-v2');
    assert.equal(trades[0].amountRaw, terms.output.amountRaw, 'what was promised');
    assert.equal(trades[0].id, `${CHAIN}:${receipt.transactionHash}:0`);
    const status = await get(`/trade/status?chain=${CHAIN}&txHash=${receipt.transactionHash}`);
    assert.deepEqual(status.tradeIds, [trades[0].id]);
    const { klines } = await get(`/token/klines?chain=${CHAIN}&mint=${mint}&interval=1d`);
    assert.equal(klines.at(-1).trades, 1);
    t.diagnostic(`${terms.output.amount} LONE for 1 MINE`);
  });

  test('an exchange that the Universal Router does not know is traded through its own', async () => {
    const { v2Router } = chain.deployment.contracts;
    const nano = findToken(chain.deployment, 'nano').address;
    const wallet = createEvmWallet();
    const owner = wallet.address as Address;
    await setBalance(chain, zeroAddress, { owner, amountRaw: 10n * ETHER });
    await chain.mine();
    await untilAtHead(service, chain);
    const { token: bearer } = await client.signIn({ ...wallet, chain: 'eip155:4242' });
    await chain.rpc.call('anvil_impersonateAccount', owner);
    const trade = async (side: 'buy' | 'sell', amountInRaw: bigint): Promise<Json> => {
      const body = { chain: CHAIN, mint: nano, side, amountInRaw: String(amountInRaw) };
      const built = await client.send('POST', '/trade/build', { body, bearer });
      assert.equal(built.status, 200, JSON.stringify(built.body));
      const { transactions, quote: terms, simulation } = built.body as Json;
      assert.equal(simulation.status, 'ok');
      assert.equal(terms.route[0].hops[0].venue, 'uniswap-v2');
      const before = await readBalance(chain, nano, owner);
      for (const { to, data, value, gas } of transactions) {
        const sent = { from: owner, to, data, value: BigInt(value), gas: BigInt(gas) };
        assert.equal((await chain.send(sent)).status, '0x1');
      }
      const after = await readBalance(chain, nano, owner);
      if (side === 'buy') assert.equal(String(after - before), terms.output.amountRaw);
      await untilAtHead(service, chain);
      return built.body;
    };
    const bought = await trade('buy', ETHER);
    assert.equal(bought.transactions[0].to.toLowerCase(), v2Router);
    const sold = await trade('sell', await readBalance(chain, nano, owner));
    assert.deepEqual(
      sold.transactions.map(({ kind }: Json) => kind),
      ['approve', 'swap'],
    );
    assert.equal(sold.issues.allowance.spender.toLowerCase(), v2Router);
    assert.equal(await readBalance(chain, nano, owner), 0n);
    const { pools } = await get(`/token?chain=${CHAIN}&mint=${nano}`);
    assert.equal(pools[0].tradable, true);
  });

  test('agents reach it', async () => {
    const call = (name: string, args: object) => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    });
    const send = async (message: object): Promise<Json> =>
      (
        await client.send('POST', '/mcp', {
          body: message,
          headers: {
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2025-06-18',
          },
        })
      ).body;
    const { result } = await send(call('get_token', { chain: CHAIN, mint }));
    assert.equal(result.structuredContent?.chain, CHAIN, JSON.stringify(result));
  });

  test("the operator's commands take its name", async () => {
    const cli = async (...args: string[]) =>
      (
        await run(process.execPath, ['src/cli/main.ts', ...args], {
          env: { ...process.env, ...env, DEVNET: 'off' },
        })
      ).stdout;
    await assertVerified({ ...env, DEVNET: 'off' }, CHAIN);
    const csv = await cli(
      ...['export', '--chain', CHAIN, '--table', 'trades', '--format', 'csv', '--out', '-'],
    );
    assert.match(csv, /^mint,/);
    assert.match(await cli('plan', '--chain', CHAIN), /scope +calls a day/);
    assert.match(await cli('pause', CHAIN, mint), /LONE\) on my-chain is now paused/);
    await until('it is paused', async () => {
      const { body } = await client.send('GET', `/token?chain=${CHAIN}&mint=${mint}`);
      return body.code === 'TOKEN_PAUSED';
    });
    assert.match(await cli('resume', CHAIN, mint), /is now active/);
  });
});

test('a file that does not fit its chain is in /ready with all problems, and nothing is indexed', async (t) => {
  const node = await startNode(new MemoryChain({ chainId: CHAIN_ID, blockTimestamps: true }));
  t.after(() => node.stop());
  const path = join(createFolder(t), 'chains.json');
  writeFileSync(path, readExamples()[1] ?? '');
  const service = await startServiceProcess(t, {
    env: { CHAINS_FILE: path, RPC_MY_CHAIN: node.url, LOG_FORMAT: 'json' },
  });
  const client = createAccessClient(service.origin);
  let detail = '';
  await until('the chain was checked', async () => {
    const { status, body } = await client.send('GET', '/ready');
    detail = String(body['detail']);
    assert.equal(status, 503);
    return detail.includes('does not fit');
  });
  const wrong = [...(readExamples()[1] ?? '').matchAll(/0x[0-9a-f]{40}/g)].map(String);
  for (const address of wrong) assert.ok(detail.includes(`no contract at ${address}`), detail);
  const { body } = await client.send('GET', '/chains');
  assert.equal((body as Json).chains[0].head, null);
  // The log reaches us by a pipe, later than the answer.
  const countLogged = () => service.output().match(/CHAINS_FILE does not fit the chain/g)?.length;
  await until('each problem was logged', async () => (countLogged() ?? 0) >= wrong.length);
  assert.equal(countLogged(), wrong.length);
  const env = { ...process.env, CHAINS_FILE: path, RPC_MY_CHAIN: node.url };
  await assert.rejects(
    run(process.execPath, ['src/cli/main.ts', 'plan', '--chain', CHAIN], { env }),
    ({ code, stdout }: { code: number; stdout: string }) => {
      assert.equal(code, 1);
      assert.equal(stdout.match(/CHAINS_FILE does not fit the chain/g)?.length, wrong.length);
      return true;
    },
  );
});
