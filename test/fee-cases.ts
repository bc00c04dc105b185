// Trades that pay a part of their output to the app, on the real Universal Router.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import type { Json } from './market-scene.ts';
import { address } from './test-ids.ts';
import {
  assertProblem,
  buildWell,
  type ServiceTradeInput,
  type TradeService,
  until,
} from './trade-service.ts';
import { readBalance, setBalance } from './trade-wallet.ts';

const ETHER = 10n ** 18n;

async function tradeWithFee(service: TradeService): Promise<void> {
  const { chain } = service;
  const trader = await service.createTrader();
  const owner = trader.account.address;
  const mint = service.mintOf('wire');
  await setBalance(chain, ZERO_ADDRESS, { owner, amountRaw: 100n * ETHER });
  await service.give([[owner, mint, 10_000n * ETHER]]);
  await service.settle();
  const weth = service.mintOf('weth');
  const trades: readonly ServiceTradeInput[] = [
    { mint, side: 'buy', amountInRaw: ETHER },
    { mint, side: 'buy', amountInRaw: 20n * ETHER },
    { mint, side: 'sell', amountInRaw: 1234n * ETHER },
    { mint, side: 'sell', amountInRaw: 5n * ETHER, quoteMint: weth },
    { mint, side: 'buy', amountOutRaw: 100n * ETHER + 1n },
    { mint, side: 'sell', amountOutRaw: ETHER / 10n },
  ];
  for (const [index, trade] of trades.entries()) {
    await service.settle();
    const feeRecipient = privateKeyToAddress(generatePrivateKey());
    const fee = { feeBps: [100, 1, 50, 85, 30, 100][index], feeRecipient };
    const ask = async () => {
      const body = { ...(await bodyOf(trade)), ...fee };
      const quoted = await service.client.send('POST', '/trade/quote', { body });
      assert.equal(quoted.status, 200, JSON.stringify(quoted.body));
      return quoted.body as Json;
    };
    // A pool on the route may be measured again just now.
    await until('the quote is exact', async () => (await ask()).exact);
    const { quoteId, fees } = await ask();
    const built = await buildWell(trader, trade, { ...fee, quoteId });
    const { input, output } = built.quote;
    assert.equal(built.quote.exact, true, JSON.stringify(built.quote.warnings));
    const told = built.quote.fees.find(({ kind }: Json) => kind === 'integrator');
    assert.deepEqual(
      told,
      fees.find(({ kind }: Json) => kind === 'integrator'),
    );
    assert.equal(told.mint, output.mint);
    const whole = BigInt(output.amountRaw) + BigInt(told.amountRaw);
    assert.equal(BigInt(told.amountRaw), (whole * BigInt(fee.feeBps ?? 0)) / 10_000n);
    if (trade.amountOutRaw !== undefined) assert.ok(BigInt(output.amountRaw) >= trade.amountOutRaw);
    assert.ok(built.summary.some((line: string) => line.includes(feeRecipient)));
    const { receivedRaw, spentRaw } = await trader.execute(built);
    assert.deepEqual(
      [receivedRaw, spentRaw],
      [BigInt(output.amountRaw), BigInt(input.amountRaw)],
      JSON.stringify(fee),
    );
    const paid = await readBalance(
      chain,
      address(output.mint.toLowerCase()),
      address(feeRecipient),
    );
    assert.equal(paid, BigInt(told.amountRaw));
    const other = await trader.build(trade, { ...fee, feeBps: 99, quoteId });
    const { errors } = assertProblem(other, 409, 'QUOTE_MISMATCH');
    assert.deepEqual(
      errors.map(({ path }: Json) => path),
      ['feeBps'],
    );
  }
}

async function bodyOf({ amountInRaw, amountOutRaw, ...trade }: ServiceTradeInput): Promise<Json> {
  return {
    ...{ chain: 'devnet', ...trade },
    ...(amountInRaw === undefined ? {} : { amountInRaw: String(amountInRaw) }),
    ...(amountOutRaw === undefined ? {} : { amountOutRaw: String(amountOutRaw) }),
  };
}

async function refuseFees(service: TradeService): Promise<void> {
  await service.settle();
  const trade = { chain: 'devnet', mint: service.mintOf('wire'), side: 'buy', amountInRaw: '1000' };
  const ask = (more: Json) =>
    service.client.send('POST', '/trade/quote', { body: { ...trade, ...more } });
  const feeRecipient = privateKeyToAddress(generatePrivateKey());
  const faults: readonly [Json, string][] = [
    [{ feeBps: 101, feeRecipient }, 'feeBps'],
    [{ feeBps: 0, feeRecipient }, 'feeBps'],
    [{ feeBps: 1.5, feeRecipient }, 'feeBps'],
    [{ feeBps: 10 }, 'feeRecipient'],
    [{ feeRecipient }, 'feeBps'],
    [{ feeBps: 10, feeRecipient: ZERO_ADDRESS }, 'feeRecipient'],
    [{ feeBps: 10, feeRecipient: `0x${'2'.padStart(40, '0')}` }, 'feeRecipient'],
  ];
  for (const [more, path] of faults) {
    const { errors } = assertProblem(await ask(more), 400, 'INVALID_INPUT');
    assert.equal(errors[0].path, path, JSON.stringify(more));
  }
  // A token that deducts from its transfers is not sent twice.
  const taxed = await ask({ mint: service.mintOf('toll'), feeBps: 10, feeRecipient });
  assertProblem(taxed, 409, 'FEE_NOT_POSSIBLE');
  assert.match(JSON.stringify(taxed.body), /deducts a part/);
}

/** Registers the tests; the service is read when they run. */
export function describeFees(read: () => TradeService): void {
  test("an app's fee is paid of the output, to the unit", () => tradeWithFee(read()));
  test('a fee that cannot be paid is refused, and one that is malformed is named', () =>
    refuseFees(read()));
}
