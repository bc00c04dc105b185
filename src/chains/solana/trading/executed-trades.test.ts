// Trades on the embedded chain, from the accounts of a pool to the wallet's balance: what was
// computed is what the programs pay, to the unit.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openTokenAccount } from '../../../../devnet/solana/instructions.ts';
import { tradeCurve } from '../../../../devnet/solana/pump-instructions.ts';
import { send } from '../../../../devnet/solana/scene.ts';
import {
  buildExecuted,
  chain,
  describeCpmm,
  execute,
  findMint,
  launchCoin,
  nodes,
  pricePools,
  readHeld,
  readSwapPool,
  SECONDS,
  scene,
  signAsWallet,
  USER,
  WALLET,
} from '../../../../test/executed-solana-trades.ts';
import type { ExecutableTrade } from '../../chain-transactions.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL } from '../data/solana-ids.ts';

it('SOL buys a token, which is sold for SOL again', async () => {
  for (const symbol of ['BOLT', 'MIST', 'USDC']) {
    const [token, pool] = [findMint(symbol), describeCpmm(symbol)];
    await execute(await pricePools([SYSTEM_PROGRAM, token], 1_234_567_891n, [pool]));
    await execute(await pricePools([token, SYSTEM_PROGRAM], readHeld(token) / 3n, [pool]));
  }
});

it('tokens of both token programs are bought with another token', async () => {
  for (const symbol of ['GRAM', 'NOVA']) {
    const [token, pool] = [findMint(symbol), describeCpmm(symbol, 'USDC')];
    await execute(await pricePools([findMint('USDC'), token], 77_777_777n, [pool]));
    await execute(await pricePools([token, findMint('USDC')], readHeld(token) / 2n, [pool]));
  }
});

it('a token is sold for another over SOL, and for SOL over another', async () => {
  const [bolt, mist, nova] = [findMint('BOLT'), findMint('MIST'), findMint('NOVA')];
  const pools = [describeCpmm('BOLT'), describeCpmm('MIST')];
  await execute(await pricePools([bolt, mist], readHeld(bolt) / 2n, pools));
  await execute(await pricePools([mist, bolt], readHeld(mist), pools.toReversed()));
  const dollars = [describeCpmm('NOVA', 'USDC'), describeCpmm('USDC')];
  await execute(await pricePools([nova, SYSTEM_PROGRAM], readHeld(nova), dollars));
  await execute(await pricePools([SYSTEM_PROGRAM, nova], 10n ** 9n, dollars.toReversed()));
});

it('a token is sold for another over SOL and dollars, in one transaction', async () => {
  const mist = findMint('MIST');
  await execute(await pricePools([SYSTEM_PROGRAM, mist], 10n ** 10n, [describeCpmm('MIST')]));
  // Of both token programs: the second one makes the transaction longer.
  for (const symbol of ['GRAM', 'NOVA']) {
    const token = findMint(symbol);
    const pools = [describeCpmm('MIST'), describeCpmm('USDC'), describeCpmm(symbol, 'USDC')];
    const there = await pricePools([mist, token], readHeld(mist) / 3n, pools);
    const { unsigned } = await buildExecuted(there);
    const { length } = Buffer.from(unsigned.transaction, 'base64');
    assert.ok(length > 1150 && length <= 1232, `${length} bytes`);
    await execute(there);
    await execute(await pricePools([token, mist], readHeld(token) / 2n, pools.toReversed()));
  }
});

it('a coin is bought on its curve and sold again', async () => {
  const { curve } = launchCoin('a coin that is traded');
  const token = curve.token0;
  await execute(await pricePools([SYSTEM_PROGRAM, token], 2_000_000_000n, [curve]));
  await execute(await pricePools([token, SYSTEM_PROGRAM], readHeld(token) / 3n, [curve]));
  // All of the wallet's wrapped SOL would become SOL.
  send(chain, {
    ...{ payer: USER, signers: [] },
    instructions: [
      openTokenAccount(USER.address, WALLET, { mint: WRAPPED_SOL, program: TOKEN_PROGRAM }),
    ],
  });
  chain.seal({ seconds: SECONDS });
  const wrapped = await pricePools([WRAPPED_SOL, token], 1_000_000n, [curve]);
  await assert.rejects(execute(wrapped), {
    ...{ code: 'SIMULATION_REVERTED', message: /takes SOL, not wrapped SOL/ },
  });
});

it('a purchase of an exact output fails if the curve has fewer coins left', async () => {
  const { coin, curve } = launchCoin('a coin that is sold out');
  const token = curve.token0;
  await execute(await pricePools([SYSTEM_PROGRAM, token], 1_000_000_000n, [curve]));
  const swapPool = await readSwapPool(curve);
  const amountOutRaw = 10n ** 13n;
  const { amountIn, isFilled } = swapPool.swapOut(false, amountOutRaw);
  assert.ok(isFilled);
  const amounts = { amountInRaw: amountIn, amountOutRaw };
  const hop = { pool: curve, tokenIn: WRAPPED_SOL, tokenOut: token, ...amounts };
  const trade: ExecutableTrade = {
    ...{ tokenIn: SYSTEM_PROGRAM, tokenOut: token, ...amounts, minAmountOutRaw: amountOutRaw },
    ...{ fixed: 'output', maxAmountInRaw: amountIn * 100n, outputTaxBps: 0 },
    swapPaths: [{ takes: 'input', ...amounts, hops: [hop] }],
    ...{ costUnits: 200_000n, router: null },
  };
  await execute(trade);
  const { unsigned } = await buildExecuted(trade);
  // Somebody else buys until half of the output is left.
  const { maker, feeRecipient } = scene.wallets;
  const left = chain.read(coin.curve)?.data.readBigUInt64LE(24) ?? assert.fail();
  const tokens = left - amountOutRaw / 2n;
  const order = { kind: 'buy', tokens, mostLamports: 10n ** 12n } as const;
  send(chain, {
    ...{ payer: maker, signers: [] },
    instructions: [
      openTokenAccount(maker.address, maker.address, coin),
      tradeCurve(maker.address, { coin, feeRecipient: feeRecipient.address, order }),
    ],
  });
  chain.seal({ seconds: SECONDS });
  assert.equal(chain.read(coin.curve)?.data.readBigUInt64LE(24), amountOutRaw / 2n);
  const before = readHeld(token);
  const signature = chain.submit(signAsWallet(unsigned.transaction), { isChecked: false });
  chain.seal({ seconds: SECONDS });
  const fate = await nodes.transactions.readTransaction(signature as never);
  assert.ok(fate.state === 'mined' && fate.isReverted);
  assert.equal(readHeld(token), before);
});

it('a trade whose pool would pay less than the minimum is refused', async () => {
  const trade = await pricePools([SYSTEM_PROGRAM, findMint('MIST')], 10n ** 9n, [
    describeCpmm('MIST'),
  ]);
  const greedy = { ...trade, minAmountOutRaw: trade.amountOutRaw + 1n };
  await assert.rejects(execute(greedy), { code: 'SIMULATION_REVERTED' });
});
