// Quotes of a real service on a real chain, over HTTP: rejections, pauses, restarts.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { findToken } from '../../devnet/deployment.ts';
import { stopService, untilAtHead } from '../indexed-service.ts';
import { createIndexingScene, type IndexingScene } from '../indexing-scene.ts';
import type { Json } from '../market-scene.ts';
import { after, before } from '../root-hooks.ts';
import {
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { until } from '../trade-service.ts';

const run = promisify(execFile);
const cleanups: (() => unknown)[] = [];
const t = { after: (work: () => unknown) => void cleanups.unshift(work) };
let scene: IndexingScene;
let service: RunningService;
let mint: string;

async function post(body: unknown, at = service) {
  const response = await fetch(`${at.origin}/v1/trade/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Json,
  };
}

const buildBuy = (more: object = {}) => ({
  ...{ chain: 'devnet', mint, side: 'buy', amountInRaw: '10000000000000000' },
  ...more,
});

/** The pools are read a moment after the chain is ready. */
async function untilQuoting(): Promise<void> {
  await untilAtHead(service, scene.chain);
  await until('quotes are given', async () => (await post(buildBuy())).status !== 503);
}

before(async () => {
  scene = await createIndexingScene(t, { engine: 'sqlite' });
  mint = findToken(scene.chain.deployment, 'wire').address;
  service = await startServiceProcess(t, { env: scene.env });
  await untilQuoting();
});

after(async () => {
  for (const work of cleanups) await work();
});

test('a quote costs five, is not cached, and defaults to half a per cent', async () => {
  const { status, headers, json } = await post(buildBuy());
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(json.slippageBps, 50);
  const minimum = (BigInt(json.output.amountRaw) * 9950n) / 10_000n;
  assert.equal(json.output.minAmountRaw, minimum.toString());
  assert.ok(json.expiresAt > Date.now() + 20_000 && json.expiresAt <= Date.now() + 30_000);
  const { budget } = (await (await fetch(`${service.origin}/v1/entitlements`)).json()) as Json;
  assert.equal(budget.costs.quote, 5);
});

describe('refusals', () => {
  for (const [name, more, path, message] of [
    ['an unknown field', { speed: 'fast' }, 'speed', /not a known field/],
    ['slippage below 0', { slippageBps: -1 }, 'slippageBps', /at least 0/],
    ['slippage above 5000', { slippageBps: 5001 }, 'slippageBps', /at most 5000/],
    ['slippage that is no whole number', { slippageBps: 0.5 }, 'slippageBps', /integer, or auto/],
    ['an amount as a number', { amountInRaw: 5 }, 'amountInRaw', /string/],
    ['an amount of 0', { amountInRaw: '0' }, 'amountInRaw', /above 0/],
    ['an amount with a fraction', { amountInRaw: '0.5' }, 'amountInRaw', /whole number/],
    ['an amount of 2^256', { amountInRaw: String(2n ** 256n) }, 'amountInRaw', /2\^256/],
    ['no amount', { amountInRaw: undefined }, 'amountInRaw', /exactly one/],
    ['two amounts', { amountOutRaw: '5' }, 'amountOutRaw', /exactly one/],
    ['an output of 0', { amountInRaw: undefined, amountOutRaw: '0' }, 'amountOutRaw', /above 0/],
    ['no such side', { side: 'hold' }, 'side', /buy, sell/],
  ] as const) {
    test(`${name} is 400 and named`, async () => {
      const { status, json } = await post(buildBuy(more));
      assert.deepEqual([status, json.code, json.errors[0].path], [400, 'INVALID_INPUT', path]);
      assert.match(json.errors[0].message, message);
    });
  }

  test('trades that the chain cannot do are 404 or 409', async () => {
    const lone = findToken(scene.chain.deployment, 'lone').address;
    for (const [more, status, code] of [
      [{ mint: `0x${'12'.repeat(20)}` }, 404, 'TOKEN_NOT_FOUND'],
      [{ mint: lone }, 404, 'NO_MARKET'],
      [{ amountInRaw: String(2n ** 200n) }, 409, 'INSUFFICIENT_LIQUIDITY'],
      [
        { mint: findToken(scene.chain.deployment, 'seat').address, amountInRaw: '1' },
        409,
        'AMOUNT_TOO_SMALL',
      ],
      [{ chain: 'base' }, 400, 'CHAIN_NOT_FOLLOWED'],
    ] as const) {
      const answer = await post(buildBuy(more));
      assert.deepEqual([answer.status, answer.json.code], [status, code]);
    }
  });
});

test('a chain without indexed blocks is 503 with Retry-After', async () => {
  const folder = createTempFolder(t);
  const file = join(folder, 'deployment.json');
  const deployment = JSON.parse(readFileSync(scene.env['DEVNET_DEPLOYMENT'] ?? '', 'utf8'));
  // Nothing listens on the discard port.
  writeFileSync(file, JSON.stringify({ ...deployment, rpcUrl: 'http://127.0.0.1:9' }));
  const env = { DEVNET: 'on', DEVNET_DEPLOYMENT: file, DATA_DIR: folder };
  const waiting = await startServiceProcess(t, { env });
  const { status, headers, json } = await post(buildBuy(), waiting);
  assert.deepEqual([status, json.code], [503, 'NOT_READY']);
  assert.ok(Number(headers.get('retry-after')) > 0);
});

test('a pause rejects until it ends, and a restart quotes from the store only', async () => {
  const env = { ...process.env, ...scene.env };
  const operate = (verb: string) =>
    run(process.execPath, ['src/cli/main.ts', verb, 'devnet', mint], { env });
  await operate('pause');
  await until('the pause is heard of', async () => (await post(buildBuy())).status !== 200);
  const paused = await post(buildBuy());
  assert.deepEqual([paused.status, paused.json.code], [404, 'TOKEN_PAUSED']);
  await operate('resume');
  let first = await post(buildBuy());
  await until('the token is measured', async () => {
    first = await post(buildBuy());
    return first.status === 200 && first.json.exact === true;
  });
  await stopService(service);
  service = await startServiceProcess(t, { env: scene.env });
  let again = first;
  await until('a price', async () => {
    again = await post(buildBuy());
    return again.status === 200;
  });
  // It waits for what was measured before the restart to be measured again: no answer differs.
  assert.equal(again.json.exact, true, JSON.stringify(again.json.warnings));
  assert.equal((await post(buildBuy())).json.exact, true);
  assert.equal(again.json.output.amountRaw, first.json.output.amountRaw);
  assert.equal(again.json.state.blockHash, first.json.state.blockHash);
  // The probe results of its pools are known at once, without a new probe.
  assert.ok(again.json.tokenSafety.checkedAt >= first.json.tokenSafety.checkedAt);
});
