// The service on the embedded Solana chain: every kind of read, pages, tools, a stream that
// resumes, a pause, a restart of the chain, trades of a signed-in wallet, verify.

import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTestAccount } from '../../devnet/solana/scene.ts';
import { type SolanaDevnet, startSolanaDevnet } from '../../devnet/solana/start-solana-devnet.ts';
import { createClient, signIn, trade } from '../../sdk/src/client.ts';
import { BUILT_IN_CHAINS } from '../../src/model/chain.ts';
import { assertVerified, stopService } from '../indexed-service.ts';
import type { Json } from '../market-scene.ts';
import {
  assertPaged,
  assertPaused,
  assertResumed,
  assertSearched,
  assertTools,
} from '../solana-reads.ts';
import {
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { waitUntil } from '../wait-until.ts';

const SLUG = 'devnet-solana';

interface ChainPlace {
  readonly dataDir: string;
  readonly port: number;
  readonly traders: 'on' | 'off';
}

function startChain(t: TestContext, place: ChainPlace): Promise<SolanaDevnet> {
  const starting = startSolanaDevnet({
    ...{ ...place, seed: 'e2e', historyHours: 2, log: () => undefined },
  });
  // It is stopped by the test, unless that fails.
  t.after(async () => (await starting).stop());
  return starting;
}

async function read(service: RunningService, path: string): Promise<Json> {
  const response = await fetch(`${service.origin}/v1/${path}`);
  const json = (await response.json()) as Json;
  assert.equal(response.status, 200, `${path} ${JSON.stringify(json)}`);
  return json;
}

function postCall(rpcUrl: string, call: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(call) });
}

async function readHead(service: RunningService): Promise<number> {
  return (await read(service, 'chains')).chains[0].head ?? -1;
}

async function untilReady(service: RunningService): Promise<void> {
  await waitUntil(async () => (await fetch(`${service.origin}/v1/ready`)).status === 200);
}

/** SPL and Token-2022 tokens have names, prices, trades and holders. */
async function assertTokens(service: RunningService, { deployment }: SolanaDevnet): Promise<void> {
  for (const { symbol, mint } of deployment.tokens) {
    const token = await read(service, `token?chain=${SLUG}&mint=${mint}`);
    assert.equal(token.symbol, symbol);
    assert.ok(Number(token.priceUsd) > 0, `${symbol} costs ${token.priceUsd}`);
    if (symbol === 'SOL' || symbol === 'USDC') continue;
    const { trades } = await read(service, `token/trades?chain=${SLUG}&mint=${mint}`);
    assert.ok(trades.length > 0, symbol);
    const readHolders = () => read(service, `token/holders?chain=${SLUG}&mint=${mint}`);
    const { holders } = await readHolders();
    assert.ok(
      holders.some(({ kind }: Json) => kind === 'pool'),
      symbol,
    );
    // The supply is read a moment after the head. What Token-2022 withholds is held by the mint.
    await waitUntil(async () => (await readHolders()).coverage.holdersComplete === true);
  }
}

async function assertLaunches(service: RunningService): Promise<void> {
  const { tokens } = await read(service, `tokens?chain=${SLUG}&sort=new&launchpad=pump`);
  const ended = tokens.filter(({ launchpad }: Json) => launchpad.graduatedAt !== null);
  assert.ok(ended.length > 0, 'a coin has left its curve');
  assert.ok(tokens.length > ended.length, 'others have not');
  const { topPool } = await read(service, `token?chain=${SLUG}&mint=${ended.at(-1).mint}`);
  assert.equal(topPool.venue, 'raydium-cpmm');
}

/** Signs the one place of an unsigned transaction. */
function createSigner({ address, key }: ReturnType<typeof createTestAccount>) {
  return {
    address,
    signTransaction: async (base64: string) => {
      const bytes = Buffer.from(base64, 'base64');
      sign(null, bytes.subarray(65), key).copy(bytes, 1);
      return bytes.toString('base64');
    },
  };
}

/** A wallet that trades with the SDK buys and sells: both pay what was quoted, to the unit. */
async function assertTraded(service: RunningService, { deployment }: SolanaDevnet): Promise<void> {
  const account = createTestAccount(1);
  const { address, key } = account;
  const client = createClient({ baseUrl: `${service.origin}/v1` });
  const wallet = {
    publicKey: { toBase58: () => address },
    signMessage: async (message: Uint8Array) => sign(null, message, key),
  };
  await signIn(client, wallet, { chain: SLUG });
  const { mint } = deployment.tokens.find(({ symbol }) => symbol === 'MIST') ?? assert.fail();
  const tradeOnce = async (side: 'buy' | 'sell', amountInRaw: string): Promise<string> => {
    const input = { chain: SLUG, mint, side, amountInRaw } as const;
    // Exact once the pool was read and its tokens were checked.
    await waitUntil(async () => (await client.quoteTrade(input).catch(() => null))?.exact === true);
    const { built, status, tradeIds, hashes } = await trade(client, input, {
      wallet: { account: createSigner(account), rpcUrl: deployment.rpcUrl },
      pollMs: 50,
    });
    const { output } = built.quote;
    assert.deepEqual([built.simulation.status, built.issues], ['ok', {}]);
    assert.equal(built.simulation.amountOutRaw, output.amountRaw);
    assert.deepEqual([hashes.length, tradeIds.length], [1, 1]);
    assert.match(status, /^(?:confirmed|finalized)$/);
    const { trades } = await read(service, `token/trades?chain=${SLUG}&mint=${mint}&limit=5`);
    const made = trades.find(({ id }: Json) => id === tradeIds[0]) ?? assert.fail();
    assert.deepEqual([made.side, made.wallet, made.txHash], [side, address, hashes[0]]);
    const got = side === 'buy' ? made.amountRaw : made.quote.amountRaw;
    assert.equal(got, output.amountRaw);
    return output.amountRaw;
  };
  await tradeOnce('sell', await tradeOnce('buy', '250000000'));
}

test('the embedded Solana chain is followed, read, streamed and verified', async (t) => {
  const folder = createTempFolder(t);
  const dataDir = join(folder, SLUG);
  let chain = await startChain(t, { dataDir, port: 0, traders: 'on' });
  const { rpcUrl } = chain.deployment;
  const env = {
    ...{ DEVNET: 'off', DEVNET_SOLANA_DEPLOYMENT: chain.deploymentPath },
    DATA_DIR: folder,
  };
  const service = await startServiceProcess(t, { env });
  await untilReady(service);
  const { chains } = await read(service, 'chains');
  const { caip2 } = BUILT_IN_CHAINS[SLUG];
  assert.deepEqual([chains[0].slug, chains[0].caip2, chains[0].rpcUrl], [SLUG, caip2, rpcUrl]);
  await assertTokens(service, chain);
  await assertLaunches(service);
  const anchor = chain.deployment.tokens.find(({ symbol }) => symbol === 'BOLT') ?? assert.fail();
  await assertResumed(service, anchor.mint);
  const forked = await postCall(rpcUrl, { method: 'devnet_fork', params: [5] });
  assert.equal(((await forked.json()) as Json).error, undefined);
  // The chain goes on where it was, for a service that did not stop; now only blocks, no trades, so
  // that verify may ask its accounts.
  const head = await readHead(service);
  await chain.stop();
  chain = await startChain(t, { dataDir, port: Number(new URL(rpcUrl).port), traders: 'off' });
  assert.equal(chain.deployment.rpcUrl, rpcUrl);
  await waitUntil(async () => (await readHead(service)) > head + 5);
  await assertTraded(service, chain);
  const levied = chain.deployment.tokens.find(({ symbol }) => symbol === 'LEVY') ?? assert.fail();
  await assertSearched(service, levied);
  const { tokens: busiest } = await read(service, `tokens?chain=${SLUG}&sort=trades&limit=1`);
  await assertPaged(service, busiest[0].mint);
  for (const { mint } of [anchor, levied]) await assertTools(service, mint);
  await assertPaused(service, env, levied.mint);
  await stopService(service);
  await assertVerified(env, SLUG);
});
