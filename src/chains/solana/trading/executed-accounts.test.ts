// Trades on the embedded chain whose accounts are special: of tokens with a transfer fee, of
// wrapped SOL that the wallet has, in a lookup table.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  openTokenAccount,
  syncNative,
  transferLamports,
} from '../../../../devnet/solana/instructions.ts';
import { send } from '../../../../devnet/solana/scene.ts';
import { parseWireTransaction } from '../../../../devnet/solana/wire-transaction.ts';
import {
  buildExecuted,
  chain,
  describeCpmm,
  execute,
  findMint,
  launchCoin,
  nodes,
  openNodes,
  priceOutput,
  pricePools,
  readHeld,
  SECONDS,
  scene,
  signAsWallet,
  USER,
  useNodes,
  WALLET,
} from '../../../../test/executed-solana-trades.ts';
import { createTable } from '../../../../test/solana-lookup-table.ts';
import { readSolanaMessage } from '../../../../test/solana-message.ts';
import type { Address } from '../../../model/ids.ts';
import { OutOfRoomError } from '../../chain-transactions.ts';
import { pickTipAccount } from '../data/jito-tip.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, toSolanaAddress, WRAPPED_SOL } from '../data/solana-ids.ts';
import { findHeldAccount } from '../data/token-instructions.ts';

/** Of the mint's extension: what the fee is at most, until an epoch and from it on. */
const FEE_MOST_OFFSETS = [166 + 4 + 72 + 8, 166 + 4 + 90 + 8];

/** As if the mint's authority had set it long ago. */
function setMostFee(mint: Address, most: bigint): void {
  const account = chain.read(mint) ?? assert.fail();
  const data = Buffer.from(account.data);
  for (const at of FEE_MOST_OFFSETS) data.writeBigUInt64LE(most, at);
  chain.svm.write(mint, { ...account, data });
}

async function tradeLevied(): Promise<void> {
  const [levy, bolt] = [findMint('LEVY'), findMint('BOLT')];
  const [pool, next] = [describeCpmm('LEVY'), describeCpmm('BOLT')];
  await execute(await pricePools([SYSTEM_PROGRAM, levy], 1_234_567_891n, [pool]));
  await execute(await pricePools([levy, SYSTEM_PROGRAM], readHeld(levy) / 3n, [pool]));
  await execute(await pricePools([levy, bolt], readHeld(levy) / 3n, [pool, next]));
  await execute(await pricePools([bolt, levy], readHeld(bolt), [next, pool]));
  await execute(await priceOutput([SYSTEM_PROGRAM, levy], 7_654_321n, pool));
  await execute(await priceOutput([levy, SYSTEM_PROGRAM], 7_654_321n, pool));
}

it('a token that deducts a fee from transfers is traded to the unit', async () => {
  await tradeLevied();
});

it('the fee of a transfer is never above its maximum', async (t) => {
  const levy = findMint('LEVY');
  const before = chain.read(levy) ?? assert.fail();
  t.after(() => chain.svm.write(levy, { ...before, data: chain.read(levy)?.data ?? before.data }));
  // Less than the share of the amounts above, more than that of some.
  setMostFee(levy, 200_000n);
  await tradeLevied();
});

it("a wallet's own account of wrapped SOL, and what is in it, stay as they are", async () => {
  const own = { mint: WRAPPED_SOL, program: TOKEN_PROGRAM };
  const account = findHeldAccount({
    owner: WALLET,
    mint: WRAPPED_SOL,
    tokenProgram: TOKEN_PROGRAM,
  });
  const { curve } = launchCoin('a coin that is bought with a token');
  send(chain, {
    ...{ payer: USER, signers: [] },
    instructions: [
      openTokenAccount(USER.address, WALLET, own),
      transferLamports(USER.address, account, 3_333_333n),
      syncNative(WALLET),
    ],
  });
  chain.seal({ seconds: SECONDS });
  const [bolt, pool] = [findMint('BOLT'), describeCpmm('BOLT')];
  const kept = chain.read(account) ?? assert.fail();
  assert.equal(kept.data.readBigUInt64LE(64), 3_333_333n);
  const trades = [
    () => pricePools([SYSTEM_PROGRAM, bolt], 1_000_000_000n, [pool]),
    () => pricePools([bolt, SYSTEM_PROGRAM], readHeld(bolt) / 3n, [pool]),
    () => priceOutput([SYSTEM_PROGRAM, bolt], 1_234_567n, pool),
    () => priceOutput([bolt, SYSTEM_PROGRAM], 1_234_567n, pool),
  ];
  for (const price of trades) {
    await execute(await price());
    assert.deepEqual(chain.read(account), kept);
  }
  // There is no room for a temporary account beside a pool and a curve.
  const amount = readHeld(bolt) / 3n;
  const long = await pricePools([bolt, curve.token0], amount, [pool, curve]);
  await assert.rejects(buildExecuted(long), OutOfRoomError);
});

it('a tip for Jito leaves the wallet with the swap, and changes nothing else', async () => {
  const [bolt, pool] = [findMint('BOLT'), describeCpmm('BOLT')];
  const tipRaw = 1_234_567n;
  for (const price of [
    () => pricePools([SYSTEM_PROGRAM, bolt], 10n ** 8n, [pool]),
    () => pricePools([bolt, SYSTEM_PROGRAM], readHeld(bolt) / 3n, [pool]),
    () => priceOutput([SYSTEM_PROGRAM, bolt], 1_234_567n, pool),
    () => priceOutput([bolt, SYSTEM_PROGRAM], 1_234_567n, pool),
  ]) {
    const trade = await price();
    const { built, unsigned } = await buildExecuted(trade, tipRaw);
    const { amountInRaw = trade.amountInRaw, amountOutRaw } = built.simulation ?? assert.fail();
    assert.deepEqual([amountInRaw, amountOutRaw], [trade.amountInRaw, trade.amountOutRaw]);
    assert.equal(built.cost?.tipRaw, tipRaw);
    const account = pickTipAccount(unsigned.recentBlockhash);
    const [tipsBefore, before] = [chain.read(account)?.lamports ?? 0n, readHeld(SYSTEM_PROGRAM)];
    chain.submit(signAsWallet(unsigned.transaction));
    chain.seal({ seconds: SECONDS });
    assert.equal((chain.read(account)?.lamports ?? 0n) - tipsBefore, tipRaw);
    const { rentReturnedRaw = 0n } = built.cost ?? {};
    const sol = trade.tokenIn === SYSTEM_PROGRAM ? -trade.amountInRaw : trade.amountOutRaw;
    assert.equal(readHeld(SYSTEM_PROGRAM) - before, sol - (built.feesRaw - rentReturnedRaw));
  }
});

it("an app's fee leaves with the trade, in what is received", async () => {
  const [bolt, levy, pool] = [findMint('BOLT'), findMint('LEVY'), describeCpmm('BOLT')];
  const { maker } = scene.wallets;
  const recipient = toSolanaAddress(maker.address);
  const readPaid = (mint: Address) => {
    if (mint === SYSTEM_PROGRAM) return chain.read(recipient)?.lamports ?? 0n;
    const tokenProgram = toSolanaAddress(chain.read(mint)?.owner ?? assert.fail());
    const account = chain.read(findHeldAccount({ owner: recipient, mint, tokenProgram }));
    return account?.data.readBigUInt64LE(64) ?? 0n;
  };
  const { curve } = launchCoin('a coin whose sale pays a fee');
  await execute(await pricePools([SYSTEM_PROGRAM, curve.token0], 10n ** 9n, [curve]));
  const trades = [
    () => pricePools([SYSTEM_PROGRAM, bolt], 10n ** 8n, [pool]),
    () => pricePools([bolt, SYSTEM_PROGRAM], readHeld(bolt) / 3n, [pool]),
    () => pricePools([bolt, levy], readHeld(bolt) / 3n, [pool, describeCpmm('LEVY')]),
    () => pricePools([curve.token0, SYSTEM_PROGRAM], readHeld(curve.token0) / 3n, [curve]),
    () => priceOutput([SYSTEM_PROGRAM, bolt], 1_234_567n, pool),
    () => priceOutput([bolt, SYSTEM_PROGRAM], 1_234_567n, pool),
  ];
  for (const [index, price] of trades.entries()) {
    const whole = await price();
    const bps = [100, 1, 50, 85, 30, 100][index] ?? 1;
    const fee = { bps, recipient, amountRaw: (whole.amountOutRaw * BigInt(bps)) / 10_000n };
    const net = whole.amountOutRaw - fee.amountRaw;
    const trade = { ...whole, amountOutRaw: net, minAmountOutRaw: net, fee };
    const paidBefore = readPaid(trade.tokenOut);
    await execute(trade);
    // A token that deducts from transfers does that here, too.
    const levied = trade.tokenOut === levy ? (fee.amountRaw * 200n + 9999n) / 10_000n : 0n;
    assert.equal(readPaid(trade.tokenOut) - paidBefore, fee.amountRaw - levied, `${index}`);
    if (trade.fixed === 'output') continue;
    const greedy = { ...(await price()), amountOutRaw: net, fee };
    await assert.rejects(execute({ ...greedy, minAmountOutRaw: whole.amountOutRaw }), {
      code: 'SIMULATION_REVERTED',
    });
  }
  const { curve: other } = launchCoin('another coin without an account');
  const bought = await pricePools([SYSTEM_PROGRAM, other.token0], 10n ** 8n, [other]);
  const fee = { bps: 10, recipient, amountRaw: bought.amountOutRaw / 1000n };
  await assert.rejects(buildExecuted({ ...bought, fee }), { code: 'FEE_NOT_POSSIBLE' });
});

it('what swaps in a pool lock is what every built swap in it writes to', async () => {
  const { curve } = launchCoin('a coin whose swaps lock accounts');
  const pools = [describeCpmm('BOLT'), describeCpmm('LEVY'), curve];
  for (const pool of pools) {
    const { accounts, blockCount } = await nodes.transactions.readPaidTips([pool]);
    assert.ok(blockCount > 0 && accounts.includes(toSolanaAddress(pool.pool)));
    const token = [pool.token0, pool.token1].find((one) => one !== WRAPPED_SOL) ?? assert.fail();
    for (const tokens of [
      [SYSTEM_PROGRAM, token],
      [token, SYSTEM_PROGRAM],
    ] as const) {
      const amount = tokens[0] === token ? readHeld(token) / 3n : 10n ** 8n;
      const trade = await pricePools(tokens, amount, [pool]);
      const { unsigned } = await buildExecuted(trade);
      const read = readSolanaMessage(unsigned.transaction);
      const written = new Set(read.keys.filter((key) => read.isWritable(key)));
      assert.deepEqual(
        accounts.filter((one) => !written.has(one)),
        [],
      );
      // Beside them only the wallet, its accounts, and what only one direction locks.
      assert.ok(accounts.length >= 3 && !accounts.includes(WALLET));
      await execute(trade);
    }
  }
  const all = await nodes.transactions.readPaidTips(pools);
  assert.ok(all.accounts.length > 6);
  assert.deepEqual((await nodes.transactions.readPaidTips([])).accounts, []);
});

it("an operator's lookup table shortens a trade, which is executed", async (t) => {
  const [levy, bolt] = [findMint('LEVY'), findMint('BOLT')];
  const pools = [describeCpmm('LEVY'), describeCpmm('BOLT')];
  await execute(await pricePools([SYSTEM_PROGRAM, levy], 10n ** 9n, pools.slice(0, 1)));
  const trade = await pricePools([levy, bolt], readHeld(levy), pools);
  const plain = Buffer.from((await buildExecuted(trade)).unsigned.transaction, 'base64');
  const named = readSolanaMessage(plain.toString('base64')).instructions;
  const accounts = named.flatMap((one) => one.accounts);
  const table = createTable([...new Set(accounts)].map(toSolanaAddress));
  t.after(useNodes(openNodes([table])));
  const { unsigned } = await buildExecuted(trade);
  const bytes = Buffer.from(unsigned.transaction, 'base64');
  assert.ok(bytes.length < plain.length - 250, `${plain.length} to ${bytes.length} bytes`);
  await execute(trade);
  const { lookups } = parseWireTransaction(bytes);
  assert.deepEqual(
    lookups.map(({ accountKey }) => accountKey),
    [table],
  );
  // What is no table, or is not there, is left out.
  t.after(
    useNodes(openNodes([bolt, toSolanaAddress('So11111111111111111111111111111111111111112')])),
  );
  const again = await buildExecuted(
    await pricePools([bolt, levy], readHeld(bolt) / 2n, pools.toReversed()),
  );
  assert.deepEqual(
    parseWireTransaction(Buffer.from(again.unsigned.transaction, 'base64')).lookups,
    [],
  );
});
