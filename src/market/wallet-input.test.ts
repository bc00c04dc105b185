// Pins what the reads of wallets and top traders reject, over HTTP, and that nobody is no error.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFakeAddress } from '../../test/fakes/fake-market.ts';
import { createMarketScene, type Json } from '../../test/market-scene.ts';
import { setUp } from '../../test/root-hooks.ts';
import { startTestServer, type TestServer } from '../../test/start-http-server.ts';
import type { AnyHandler } from '../contract/handler.ts';
import { getTraders } from '../contract/operations/get-traders.ts';
import { getWalletBalances } from '../contract/operations/get-wallet-balances.ts';
import { getWalletPositions } from '../contract/operations/get-wallet-positions.ts';
import { getWalletTrades } from '../contract/operations/get-wallet-trades.ts';

const MINT = buildFakeAddress('aaaa', 10);
const TOKEN = `chain=devnet&mint=${MINT}`;
const UNKNOWN = buildFakeAddress('bbbb', 1);
const WALLET = `chain=devnet&wallet=${UNKNOWN}`;

let server: TestServer;

setUp(async (t) => {
  const options = { engine: 'sqlite', seed: 12, finalityDepth: 30, blocks: 60 } as const;
  const scene = await createMarketScene(t, options);
  server = await startTestServer(t, {
    operations: [getTraders, getWalletBalances, getWalletTrades, getWalletPositions],
    handlers: scene.market.handlers as unknown as Record<string, AnyHandler>,
  });
});

async function get(path: string): Promise<{ status: number; json: Json }> {
  const response = await server.get(`/v1${path}`);
  return { status: response.status, json: await response.json() };
}

const REFUSALS: readonly [path: string, status: number, code: string, field: string | null][] = [
  [`/token/traders?${TOKEN}&window=1h`, 400, 'INVALID_INPUT', 'window'],
  [`/token/traders?${TOKEN}&sort=loss`, 400, 'INVALID_INPUT', 'sort'],
  [`/token/traders?${TOKEN}&limit=101`, 400, 'INVALID_INPUT', 'limit'],
  [`/token/traders?chain=devnet&mint=${UNKNOWN}`, 404, 'TOKEN_NOT_FOUND', null],
  ['/wallet/balances?chain=devnet', 400, 'INVALID_INPUT', 'wallet'],
  ['/wallet/balances?chain=devnet&wallet=0x12', 400, 'INVALID_ADDRESS', 'wallet'],
  [`/wallet/balances?chain=base&wallet=${UNKNOWN}`, 400, 'CHAIN_NOT_FOLLOWED', 'chain'],
  [`/wallet/balances?${WALLET}&limit=101`, 400, 'INVALID_INPUT', 'limit'],
  [`/wallet/balances?${WALLET}&cursor=abc`, 400, 'INVALID_CURSOR', 'cursor'],
  [`/wallet/positions?${WALLET}&cursor=abc`, 400, 'INVALID_CURSOR', 'cursor'],
  [`/wallet/positions?${WALLET}&mint=${MINT}`, 400, 'INVALID_INPUT', 'mint'],
  [`/wallet/trades?${WALLET}&mint=0x12`, 400, 'INVALID_ADDRESS', 'mint'],
  [`/wallet/trades?${WALLET}&limit=301`, 400, 'INVALID_INPUT', 'limit'],
  [`/wallet/trades?${WALLET}&cursor=abc`, 400, 'INVALID_CURSOR', 'cursor'],
  [`/wallet/trades?${WALLET}&startTime=2&endTime=1`, 400, 'INVALID_INPUT', 'endTime'],
];

for (const [path, status, code, field] of REFUSALS) {
  test(`${path} is ${code}`, async () => {
    const answer = await get(path);
    assert.deepEqual([answer.status, answer.json.code], [status, code]);
    if (field !== null) assert.equal(answer.json.errors[0].path, field);
  });
}

test('a wallet that nobody has seen holds nothing and has not traded', async () => {
  const lists = { balances: 'balances', trades: 'trades', positions: 'positions' };
  for (const [route, list] of Object.entries(lists)) {
    const { status, json } = await get(`/wallet/${route}?${WALLET}`);
    assert.deepEqual([status, json[list], json.nextCursor], [200, [], null]);
  }
});

test('the cursor of one list does not fit another', async () => {
  const wallet = `chain=devnet&wallet=${buildFakeAddress('cccc', 2)}`;
  const { json } = await get(`/wallet/positions?${wallet}&limit=1`);
  assert.equal(typeof json.nextCursor, 'string');
  const { status } = await get(`/wallet/balances?${wallet}&cursor=${json.nextCursor}`);
  assert.equal(status, 400);
});
