// The composed service on a family of chains that it does not know: positions with gaps, times
// that step back, addresses and cost units of its own.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { FakeChain } from '../fakes/fake-chain.ts';
import { FAKE_TOKENS } from '../fakes/fake-market.ts';
import { serveFakeChain } from '../fakes/serve-fake-chain.ts';
import { STEPS, showTestAddress } from '../fakes/test-family.ts';
import { assertVerified, stopService, untilAtHead } from '../indexed-service.ts';
import type { Json } from '../market-scene.ts';
import { openHttpStream } from '../open-http-stream.ts';
import { PAGES_MAX, readPages } from '../read-pages.ts';
import {
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { dropFinality, StreamFold } from '../stream-fold.ts';
import { waitUntil } from '../wait-until.ts';

const MODULE = new URL('../fakes/use-test-family.ts', import.meta.url).href;

async function createScene(t: TestContext, chain: FakeChain) {
  const folder = createTempFolder(t);
  const file = join(folder, 'deployment.json');
  const rpcUrl = await serveFakeChain(t, chain);
  writeFileSync(file, JSON.stringify({ rpcUrl, startBlock: 0, instance: 'test family' }));
  const options = `${process.env['NODE_OPTIONS'] ?? ''} --import ${MODULE}`.trim();
  const env = { DEVNET: 'on', DEVNET_DEPLOYMENT: file, DATA_DIR: folder, NODE_OPTIONS: options };
  const service = await startServiceProcess(t, { env });
  const untilThere = () => untilAtHead(service, { readHead: async () => chain.head.position });
  await untilThere();
  return { env, service, untilThere };
}

async function readJson(service: RunningService, path: string, body?: object): Promise<Json> {
  const init =
    body === undefined
      ? {}
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
  const response = await fetch(`${service.origin}/v1/${path}`, init);
  return { status: response.status, json: await response.json() };
}

function readTrades(service: RunningService, mint: string): Promise<Json[]> {
  return readPages(PAGES_MAX, async (cursor: string | null) => {
    const query = `chain=devnet&mint=${mint}&limit=50${cursor === null ? '' : `&cursor=${cursor}`}`;
    const { json } = await readJson(service, `token/trades?${query}`);
    return { rows: json.trades as Json[], next: json.nextCursor as string | null };
  });
}

/** The token with the most trades. */
async function pickMint(service: RunningService): Promise<string> {
  const counts = new Map<string, number>();
  for (const mint of FAKE_TOKENS.map(showTestAddress)) {
    const { status } = await readJson(service, `token?chain=devnet&mint=${mint}`);
    counts.set(mint, status === 200 ? (await readTrades(service, mint)).length : 0);
  }
  const [[mint, count] = assert.fail()] = [...counts].sort(([, a], [, b]) => b - a);
  assert.ok(count > 10);
  return mint;
}

/** Only blocks count, not the positions that the chain skipped. */
async function assertBlockCount(service: RunningService, blockCount: number): Promise<void> {
  let text = '';
  const pattern = /^mintwire_chain_blocks_indexed\{chain="devnet"\} (\d+)$/m;
  await waitUntil(async () => {
    text = await (await fetch(service.metricsUrl)).text();
    return Number(pattern.exec(text)?.[1]) >= blockCount;
  });
  assert.equal(Number(pattern.exec(text)?.[1]), blockCount);
}

/** A stream of the token, while the chain grows and takes blocks back, is what the reads give. */
async function assertStreamed(
  scene: { readonly service: RunningService; untilThere(): Promise<void> },
  chain: FakeChain,
  mint: string,
): Promise<void> {
  const { service, untilThere } = scene;
  const fold = new StreamFold();
  const query = `chain=devnet&mint=${mint}&events=trade,kline&interval=5s`;
  const stream = await openHttpStream(`${service.origin}/v1/token/stream?${query}`, {
    onEvent: (event) => fold.apply(event),
  });
  await stream.until(({ event }) => event === 'snapshot');
  const since = Math.max(...Array.from(fold.trades.values(), ({ block }) => block));
  for (let round = 0; round < 8; round += 1) {
    if (round % 3 === 1) chain.reorganise(3, 3);
    chain.extend(3);
    await untilThere();
  }
  const trades = (await readTrades(service, mint)).filter(({ block }) => block > since);
  assert.ok(trades.length > 5);
  const klinesQuery = `chain=devnet&mint=${mint}&interval=5s&limit=1000`;
  const { klines } = (await readJson(service, `token/klines?${klinesQuery}`)).json;
  await waitUntil(() => {
    const told = [...fold.trades.values()].filter(({ block }) => block > since);
    const held = [...fold.klines.values()].sort((a, b) => a.openTime - b.openTime);
    const expected = klines.filter(
      ({ openTime }: Json) => openTime >= fold.klinesFrom || fold.klines.has(openTime),
    );
    return (
      isDeepStrictEqual(dropFinality(told), dropFinality(trades)) &&
      isDeepStrictEqual(held, expected)
    );
  });
  stream.leave();
  assert.deepEqual(fold.problems, []);
  assert.ok((fold.counts.get('revert') ?? 0) > 0);
}

/** Quotes are priced with the family's own costs. */
async function assertQuoted(service: RunningService): Promise<void> {
  const quotes: Json[] = [];
  for (const mint of FAKE_TOKENS.map(showTestAddress)) {
    const trade = { chain: 'devnet', mint, side: 'buy', amountInRaw: '1000000000' };
    const { status, json } = await readJson(service, 'trade/quote', trade);
    if (status === 200) quotes.push(json);
  }
  assert.ok(quotes.length > 0);
  for (const { route, networkCost, input } of quotes) {
    const pools = new Set(route.flatMap(({ hops }: Json) => hops.map(({ pool }: Json) => pool)));
    const units = STEPS.base + STEPS.hop * BigInt(pools.size);
    assert.equal(networkCost.gas, units.toString());
    assert.equal(networkCost.totalRaw, (units * 2n * STEPS.fee).toString());
    assert.match(input.mint, /^t:0{40}$/);
  }
}

test('a family that only tests know is followed, streamed, quoted and verified', async (t) => {
  const chain = new FakeChain({
    ...{ seed: 3, finalityDepth: 12, clock: 'wild', gaps: true, seenWhole: true },
  });
  chain.extend(70);
  const scene = await createScene(t, chain);
  const { service, env } = scene;
  await assertBlockCount(service, 71);
  const mint = await pickMint(service);
  await assertStreamed(scene, chain, mint);
  assert.ok(chain.skipped > 0 && chain.stepsBack > 0);
  await assertQuoted(service);
  for (const trade of (await readTrades(service, mint)).slice(0, 5)) {
    const { json } = await readJson(service, `trade/status?chain=devnet&txHash=${trade.txHash}`);
    assert.equal(json.block, trade.block);
    assert.ok(json.tradeIds.includes(trade.id));
  }
  const refused = await readJson(service, `token?chain=devnet&mint=0x${mint.slice(2)}`);
  assert.equal(refused.status, 400);
  await stopService(service);
  await assertVerified(env);
});
