// Honest tokens that change after they were measured, on a real node: a quote is not exact once
// the change is visible, and shows it once measured.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from 'viem';
import { TRADERS } from '../../../devnet/accounts.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { address } from '../../../test/test-ids.ts';
import { startTradingScene, type TradingScene } from '../../../test/trading-scene.ts';
import { changeTrap, setTraps, type Trap, tradeTrap } from '../../../test/trap-tokens.ts';
import { CODE as PROBE_CODE } from '../../chains/evm/pools/round-trip-probe.gen.ts';
import type { QuoteAnswer } from '../quote/quote-answer.ts';

const MODES = ['turnsLoudly', 'turnsQuietly', 'taxesBuyers', 'taxesSellers', 'turnsHeavy'] as const;
const TRADER = TRADERS[0] as Address;
const ETHER = 10n ** 18n;
const WAIT_MAX_MS = 60_000;

let scene: TradingScene;
let traps: Readonly<Record<(typeof MODES)[number], Trap>>;

before(async () => {
  scene = await startTradingScene();
  traps = await setTraps(scene.devnet.chain, MODES);
  await scene.settle();
});
after(() => scene?.stop());

function listCodes({ warnings }: QuoteAnswer): string[] {
  return warnings.map(({ code }) => code);
}

/** Polls until the quote is as wanted: measuring happens in the background. */
async function untilQuote(
  input: Parameters<TradingScene['quote']>[0],
  isWanted: (quote: QuoteAnswer) => boolean,
): Promise<QuoteAnswer> {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const quote = await scene.quote(input);
    if (isWanted(quote)) return quote;
    if (Date.now() > deadlineMs) assert.fail(JSON.stringify([quote.tokenSafety, quote.warnings]));
    await delay(20);
  }
}

async function untilPromised(mint: string): Promise<QuoteAnswer> {
  const quote = await untilQuote({ mint, side: 'sell' }, ({ exact }) => exact);
  assert.equal(quote.tokenSafety?.sellable, true);
  return quote;
}

/** Quotes while nothing can be measured: they show only the known part of the change. */
async function whileUnmeasured(work: () => Promise<void>): Promise<void> {
  const code = PROBE_CODE.slice(2, 400);
  const release = scene.devnet.recorder.hold((body) => body.includes(code));
  try {
    await work();
  } finally {
    release();
  }
}

function assertStale(quote: QuoteAnswer): void {
  assert.equal(quote.exact, false);
  assert.ok(listCodes(quote).includes('SAFETY_STALE'), JSON.stringify(quote.warnings));
}

test('an event of the contract ends exactness until the next probe', async () => {
  const { token: mint } = traps.turnsLoudly;
  const sell = { mint, side: 'sell' } as const;
  const honest = await untilPromised(mint);
  await whileUnmeasured(async () => {
    await changeTrap(scene.devnet.chain, mint, { sellTaxBps: 9000n, announce: true });
    await scene.settle();
    assertStale(await scene.quote(sell));
  });
  const latest = await untilQuote(sell, (quote) => {
    assert.equal(quote.exact, false);
    return quote.tokenSafety?.sellTaxBps === 9000;
  });
  assert.ok(BigInt(latest.output.amountRaw) * 9n < BigInt(honest.output.amountRaw));
  assert.ok(listCodes(latest).includes('TAXED_TOKEN'));
  assert.ok(!listCodes(latest).includes('SAFETY_STALE'));
});

test('a failed rehearsal ends exactness, even without an event', async () => {
  const { token: mint } = traps.turnsQuietly;
  const sell = { mint, side: 'sell' } as const;
  await untilPromised(mint);
  await whileUnmeasured(async () => {
    await changeTrap(scene.devnet.chain, mint, { isShut: true });
    await scene.settle();
    assert.equal((await scene.quote(sell)).exact, true, 'nobody can know yet');
    await assert.rejects(scene.build(sell, address(TRADER)), { code: 'SIMULATION_REVERTED' });
    assertStale(await scene.quote(sell));
  });
  const latest = await untilQuote(sell, ({ tokenSafety }) => tokenSafety?.sellable === false);
  assert.equal(latest.exact, false);
  assert.ok(listCodes(latest).includes('UNSELLABLE'));
});

test('a rehearsal that pays less ends exactness, and its answer says so', async () => {
  const { token: mint } = traps.taxesBuyers;
  await untilPromised(mint);
  await whileUnmeasured(async () => {
    await changeTrap(scene.devnet.chain, mint, { buyTaxBps: 20n });
    await scene.settle();
    const { quote, simulation } = await scene.build({ mint }, address(TRADER));
    assertStale(quote);
    assert.ok(BigInt(simulation.amountOutRaw ?? 0) < BigInt(quote.output.amountRaw));
    assertStale(await scene.quote({ mint }));
  });
  const latest = await untilQuote({ mint }, ({ tokenSafety }) => tokenSafety?.buyTaxBps === 20);
  assert.ok(!listCodes(latest).includes('SAFETY_STALE'));
});

test("the tax of another wallet's buy ends exactness", async () => {
  const { token: mint } = traps.taxesBuyers;
  const { chain } = scene.devnet;
  await changeTrap(chain, mint, { buyTaxBps: 0n, announce: true });
  await scene.settle();
  await untilPromised(mint);
  await whileUnmeasured(async () => {
    await changeTrap(chain, mint, { buyTaxBps: 250n });
    await tradeTrap(chain, mint, { side: 'buy', amountInRaw: ETHER / 100n, from: TRADER });
    await scene.settle();
    assertStale(await scene.quote({ mint }));
  });
  await untilQuote({ mint }, ({ tokenSafety }) => tokenSafety?.buyTaxBps === 250);
});

test("the tax of another wallet's sale ends exactness", async () => {
  const { token: mint } = traps.taxesSellers;
  const { chain } = scene.devnet;
  await tradeTrap(chain, mint, { side: 'buy', amountInRaw: ETHER / 100n, from: TRADER });
  await scene.settle();
  await untilPromised(mint);
  await whileUnmeasured(async () => {
    await changeTrap(chain, mint, { sellTaxBps: 300n });
    await tradeTrap(chain, mint, { side: 'sell', amountInRaw: ETHER, from: TRADER });
    await scene.settle();
    assertStale(await scene.quote({ mint, side: 'sell' }));
  });
  const isShown = ({ tokenSafety }: QuoteAnswer) => tokenSafety?.sellTaxBps === 300;
  await untilQuote({ mint, side: 'sell' }, isShown);
});

test('a sale that burns gas gives a warning with the figure, and is priced with it', async () => {
  const { token: mint } = traps.turnsHeavy;
  const sell = { mint, side: 'sell' } as const;
  const before = await untilPromised(mint);
  assert.ok(!listCodes(before).includes('SELL_GAS_HIGH'));
  await changeTrap(scene.devnet.chain, mint, { burnedGas: 700_000n, announce: true });
  await scene.settle();
  const after = await untilQuote(sell, (quote) => listCodes(quote).includes('SELL_GAS_HIGH'));
  const message = after.warnings.find(({ code }) => code === 'SELL_GAS_HIGH')?.message ?? '';
  const gas = Number(/uses ([\d,]+) gas/.exec(message)?.[1]?.replaceAll(',', ''));
  assert.ok(gas >= 700_000 && gas < 800_000, message);
  const [gasBefore = '0', gasAfter = '0'] = [before, after].map(({ networkCost }) =>
    networkCost !== null && 'gas' in networkCost ? networkCost.gas : '0',
  );
  const added = BigInt(gasAfter) - BigInt(gasBefore);
  assert.equal(added, BigInt(gas));
  // It burns gas and deducts nothing.
  assert.deepEqual([after.exact, after.tokenSafety?.sellable], [true, true]);
});
