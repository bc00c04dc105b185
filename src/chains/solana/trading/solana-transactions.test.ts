// Trades as unsigned transactions, read back by a reader of their own; nodes answer at the
// network's edge.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import {
  buildSolanaChain,
  endSolanaScene,
  startSolanaNode,
} from '../../../../test/fakes/solana-endpoints.ts';
import { POOL, QUOTE, TOKEN, TRADER } from '../../../../test/fakes/solana-scene.ts';
import { readSolanaMessage } from '../../../../test/solana-message.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import {
  type BuildRequest,
  type ExecutableTrade,
  OutOfRoomError,
} from '../../chain-transactions.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../data/solana-ids.ts';
import { findHeldAccount } from '../data/token-instructions.ts';
import { openSolanaNodes } from '../solana-nodes.ts';

afterEach(endSolanaScene);

const NOW_MS = 1_780_000_000_000;
const AMOUNT_IN = 1_000_000n;
const AMOUNT_OUT = 900_000n;
const MINIMUM = 895_500n;
const RENT = 2_039_280n;
const HELD_TOKEN = findHeldAccount({ owner: TRADER, mint: TOKEN, tokenProgram: TOKEN_PROGRAM });
const HELD_WRAPPED = findHeldAccount({ owner: TRADER, mint: QUOTE, tokenProgram: TOKEN_PROGRAM });
const CPMM = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C';
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const BUDGET = 'ComputeBudget111111111111111111111111111111';

const DESCRIPTION = {
  ...{ pool: POOL, kind: 'ceiledProduct', venue: 'raydium-cpmm', token0: TOKEN, token1: QUOTE },
  ...{ feePips: 2500, vault: TRADER, terms: {} },
} as unknown as PoolDescription;

function buildTokenAccount(amount: bigint, state = 1): Buffer {
  const data = Buffer.alloc(165);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(state, 108);
  return data;
}

function setHeld(chain: MemorySolana, account: Address, amount: bigint, state = 1): void {
  chain.accounts.set(account, { owner: TOKEN_PROGRAM, data: buildTokenAccount(amount, state) });
}

/** A trade over one pool. */
function buildTrade(tokenIn: Address, tokenOut: Address, amountInRaw = AMOUNT_IN): ExecutableTrade {
  const amounts = { amountInRaw, amountOutRaw: AMOUNT_OUT };
  const toMint = (token: Address) => (token === SYSTEM_PROGRAM ? QUOTE : token);
  const hop = { tokenIn: toMint(tokenIn), tokenOut: toMint(tokenOut), ...amounts };
  return {
    ...{ fixed: 'input', maxAmountInRaw: AMOUNT_IN },
    ...{ tokenIn, tokenOut, ...amounts, minAmountOutRaw: MINIMUM, outputTaxBps: 0 },
    swapPaths: [{ takes: 'input', ...amounts, hops: [{ pool: DESCRIPTION, ...hop }] }],
    ...{ fixed: 'input', maxAmountInRaw: AMOUNT_IN, costUnits: 150_000n, router: null },
  };
}

async function openWallet(tokenIn: Address) {
  const chain = buildSolanaChain();
  chain.accounts.set(TRADER, {
    ...{ owner: SYSTEM_PROGRAM, data: Buffer.alloc(0), lamports: 1_000_000_000 },
  });
  const node = await startSolanaNode(chain);
  const nodes = openSolanaNodes(
    {
      ...{ endpoints: [node.url], chain: 'solana', devnet: null },
      ...{ startBlock: null, instance: null },
    },
    {
      ...{ clock: systemClock, genesis: chain.genesis },
      log: { info: () => undefined, warn: () => undefined },
    },
  );
  const simulated: string[] = [];
  const answer = (after: Buffer, unitsConsumed = 50_000) => {
    chain.simulate = (transaction) => {
      simulated.push(transaction);
      const account = { data: [after.toString('base64'), 'base64'], lamports: 1, owner: TRADER };
      return { err: null, logs: [], unitsConsumed, accounts: [account] };
    };
  };
  const build = async (trade: ExecutableTrade, more: Partial<BuildRequest> = {}) => {
    const wallet = await nodes.transactions.readWallet(TRADER, tokenIn);
    const block = { position: chain.head, hash: 'hash' };
    const terms = {
      nowMs: NOW_MS,
      lifeSeconds: 600,
      approval: 'onchain',
      priority: 'high',
    } as const;
    const request = { trade, block, ...terms, ...more };
    const built = (await wallet.build(request)) ?? assert.fail();
    const [first = assert.fail()] = built.transactions;
    if (first.unsigned.type !== 'solana-v0') assert.fail(first.unsigned.type);
    const { unsigned } = first;
    const { purpose } = first;
    return { wallet, built, unsigned, purpose, read: readSolanaMessage(unsigned.transaction) };
  };
  return { chain, nodes, build, answer, simulated, close: () => nodes.close() };
}

describe('a purchase with SOL', () => {
  it('wraps it, opens the account of the token, swaps with the minimum, and unwraps', async (t) => {
    const { build, answer, simulated, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    answer(buildTokenAccount(AMOUNT_OUT));
    const { read, built, unsigned, wallet } = await build(buildTrade(SYSTEM_PROGRAM, TOKEN));
    assert.deepEqual([wallet.nativeRaw, wallet.balanceRaw], [1_000_000_000n, 1_000_000_000n]);
    const programs = read.instructions.map(({ program }) => program);
    assert.deepEqual(programs, [
      ...[BUDGET, BUDGET, ASSOCIATED, SYSTEM_PROGRAM, TOKEN_PROGRAM, ASSOCIATED, CPMM],
      TOKEN_PROGRAM,
    ]);
    const [limit, price, openWrapped, transfer, sync, openToken, swap, close2] = read.instructions;
    // The units used, a tenth more, and what unwrapping uses.
    assert.equal(limit?.data.readUInt32LE(1), 61_000);
    assert.equal(unsigned.computeUnitLimit, 61_000);
    assert.equal(price?.data.readBigUInt64LE(1), 30_000n);
    assert.equal(unsigned.computeUnitPriceMicroLamports, '30000');
    assert.deepEqual(
      [openWrapped?.accounts[1], openToken?.accounts[1]],
      [HELD_WRAPPED, HELD_TOKEN],
    );
    assert.deepEqual(
      [transfer?.accounts[1], transfer?.data.readBigUInt64LE(4)],
      [...[HELD_WRAPPED, AMOUNT_IN]],
    );
    assert.deepEqual([sync?.data[0], close2?.data[0]], [17, 9]);
    assert.equal(swap?.data.readBigUInt64LE(8), AMOUNT_IN);
    assert.equal(swap?.data.readBigUInt64LE(16), MINIMUM);
    assert.deepEqual(read.signers, [TRADER]);
    assert.deepEqual(unsigned.requiredSigners, [TRADER]);
    assert.ok(read.signatures.every((one) => one.every((byte) => byte === 0)));
    assert.equal(read.blockhash, unsigned.recentBlockhash);
    assert.equal(unsigned.lastValidBlockHeight, 105 + 150);
    assert.ok(read.length <= 1232 && read.isWritable(HELD_TOKEN) && !read.isWritable(TOKEN));
    const priority = (61_000n * 30_000n) / 1_000_000n;
    // Also for the account of wrapped SOL, which is closed again.
    assert.equal(built.feesRaw, 5000n + priority + 2n * RENT);
    assert.equal(built.deadlineSeconds, null, 'it ends at a block height');
    assert.deepEqual(built.simulation, {
      ...{ amountOutRaw: AMOUNT_OUT, unitsUsed: 50_000n, isBalanceAssumed: false },
    });
    assert.equal(simulated.length, 1);
  });

  it('counts only what arrives, and no rent for accounts that are open', async (t) => {
    const { build, answer, chain, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    setHeld(chain, HELD_TOKEN, 5n);
    setHeld(chain, HELD_WRAPPED, 0n);
    answer(buildTokenAccount(AMOUNT_OUT + 5n));
    const { built } = await build(buildTrade(SYSTEM_PROGRAM, TOKEN));
    assert.equal(built.simulation?.amountOutRaw, AMOUNT_OUT);
    assert.equal(built.feesRaw, 5000n + (61_000n * 30_000n) / 1_000_000n);
  });

  it('leaves wrapped SOL of the wallet wrapped', async (t) => {
    const { build, answer, chain, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    setHeld(chain, HELD_WRAPPED, 7n);
    answer(buildTokenAccount(AMOUNT_OUT));
    const { read } = await build(buildTrade(SYSTEM_PROGRAM, TOKEN));
    assert.equal(read.instructions.at(-1)?.program, CPMM);
  });

  it('is built for a wallet to whose accounts somebody sent lamports', async (t) => {
    const { build, answer, chain, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    const empty = { owner: SYSTEM_PROGRAM, data: Buffer.alloc(0), lamports: 1 };
    for (const account of [HELD_TOKEN, HELD_WRAPPED]) chain.accounts.set(account, empty);
    answer(buildTokenAccount(AMOUNT_OUT));
    const { built, read } = await build(buildTrade(SYSTEM_PROGRAM, TOKEN));
    assert.equal(built.simulation?.amountOutRaw, AMOUNT_OUT);
    assert.equal(read.instructions.at(-1)?.data[0], 9, 'it is unwrapped');
    assert.ok(built.feesRaw > RENT);
    const sale = await build(buildTrade(TOKEN, SYSTEM_PROGRAM));
    assert.equal(sale.built.simulation, null);
  });

  it('that cannot pay the rent of its accounts is not simulated', async (t) => {
    const { build, answer, simulated, chain, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    answer(buildTokenAccount(AMOUNT_OUT));
    const lamports = Number(AMOUNT_IN + 5000n + 2n * RENT);
    const wallet = { owner: SYSTEM_PROGRAM, data: Buffer.alloc(0) };
    chain.accounts.set(TRADER, { ...wallet, lamports: lamports - 1 });
    const poor = await build(buildTrade(SYSTEM_PROGRAM, TOKEN));
    assert.deepEqual([poor.built.simulation, simulated.length], [null, 0]);
    chain.accounts.set(TRADER, { ...wallet, lamports });
    assert.notEqual((await build(buildTrade(SYSTEM_PROGRAM, TOKEN))).built.simulation, null);
  });

  it('of more than a token can have is refused', async (t) => {
    const { build, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    await assert.rejects(build(buildTrade(SYSTEM_PROGRAM, TOKEN, 2n ** 64n)), {
      code: 'SIMULATION_REVERTED',
      message: /above 2\^64/,
    });
  });

  it('that the wallet cannot pay is built, and not simulated', async (t) => {
    const { build, simulated, chain, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    chain.accounts.delete(TRADER);
    const { built, unsigned } = await build(buildTrade(SYSTEM_PROGRAM, TOKEN));
    assert.equal(built.simulation, null);
    assert.equal(unsigned.computeUnitLimit, 171_000);
    assert.deepEqual(simulated, []);
  });
});

it('an exact output of a program that never executed one is not built unsimulated', async (t) => {
  const { build, close, answer, chain, simulated } = await openWallet(SYSTEM_PROGRAM);
  t.after(close);
  answer(buildTokenAccount(AMOUNT_OUT));
  const buildExact = (venue: string) => {
    const trade = buildTrade(SYSTEM_PROGRAM, TOKEN);
    const swapPaths = trade.swapPaths.map((swapPath) => ({
      ...swapPath,
      hops: swapPath.hops.map((hop) => ({ ...hop, pool: { ...hop.pool, venue } })),
    }));
    return build({ ...trade, fixed: 'output', swapPaths });
  };
  chain.accounts.set(TRADER, { owner: SYSTEM_PROGRAM, data: Buffer.alloc(0), lamports: 1000 });
  assert.equal((await buildExact('raydium-cpmm')).built.simulation, null);
  for (const venue of ['raydium-v4', 'meteora-damm-v2', 'meteora-dbc']) {
    await assert.rejects(buildExact(venue), {
      ...{ code: 'EXACT_OUTPUT_NOT_SUPPORTED', message: /the wallet cannot pay/ },
    });
  }
  assert.equal(simulated.length, 0);
});

describe('a sale for SOL', () => {
  it('is unwrapped at the end, after what is simulated', async (t) => {
    const { build, answer, chain, simulated, close } = await openWallet(TOKEN);
    t.after(close);
    setHeld(chain, HELD_TOKEN, AMOUNT_IN);
    setHeld(chain, HELD_WRAPPED, 40n);
    answer(buildTokenAccount(AMOUNT_OUT));
    const { read, built, purpose, wallet } = await build(buildTrade(TOKEN, SYSTEM_PROGRAM));
    assert.equal(wallet.balanceRaw, AMOUNT_IN);
    assert.equal(built.simulation?.amountOutRaw, AMOUNT_OUT);
    const unwrap = read.instructions.at(-1);
    // The wallet's own account of wrapped SOL stays: a temporary one is closed.
    const opened = read.instructions.find(({ program }) => program === SYSTEM_PROGRAM);
    assert.equal(opened?.data.readUInt32LE(0), 3);
    assert.deepEqual([unwrap?.data[0], unwrap?.accounts[0]], [9, opened?.accounts[1]]);
    assert.ok(read.instructions.every(({ accounts }) => !accounts.includes(HELD_WRAPPED)));
    const rehearsed = readSolanaMessage(simulated[0] ?? assert.fail());
    assert.equal(rehearsed.instructions.at(-1)?.program, CPMM);
    assert.equal(rehearsed.instructions[0]?.data.readUInt32LE(1), 1_400_000);
    assert.equal(purpose, 'the swap');
  });

  it('of a frozen account is refused', async (t) => {
    const { build, chain, close } = await openWallet(TOKEN);
    t.after(close);
    setHeld(chain, HELD_TOKEN, AMOUNT_IN, 2);
    await assert.rejects(build(buildTrade(TOKEN, SYSTEM_PROGRAM)), {
      code: 'SIMULATION_REVERTED',
      message: /frozen/,
    });
  });

  it('that would fail is refused in the words of the program', async (t) => {
    const { build, chain, close } = await openWallet(TOKEN);
    t.after(close);
    setHeld(chain, HELD_TOKEN, AMOUNT_IN);
    const line = 'AnchorError thrown in a.rs:1. Error Code: X. Error Number: 6005. Error Message: ';
    const words = 'exceeds desired slippage limit';
    chain.simulate = () => ({
      ...{ err: { InstructionError: [3, { Custom: 6005 }] }, unitsConsumed: 1, accounts: [null] },
      logs: [`Program log: ${line}${words}.`, 'Program X failed: custom program error: 0x1775'],
    });
    await assert.rejects(build(buildTrade(TOKEN, SYSTEM_PROGRAM)), {
      code: 'SIMULATION_REVERTED',
      message: new RegExp(words),
    });
  });

  it('that paid something else on a later block says so', async (t) => {
    const { build, answer, chain, close } = await openWallet(TOKEN);
    t.after(close);
    setHeld(chain, HELD_TOKEN, AMOUNT_IN);
    const block = { position: chain.head - 1, hash: 'hash' };
    answer(buildTokenAccount(AMOUNT_OUT - 1n));
    const trade = buildTrade(TOKEN, SYSTEM_PROGRAM);
    const { built } = await build(trade, { block });
    assert.equal(built.simulation?.laterBlock, chain.head);
    answer(buildTokenAccount(AMOUNT_OUT));
    assert.equal((await build(trade, { block })).built.simulation?.laterBlock, undefined);
  });
});

describe('a trade over several pools', () => {
  const OTHER = HELD_TOKEN;

  /** TOKEN for OTHER for SOL, as often as asked. */
  function buildRoute(swapPathCount: number): ExecutableTrade {
    const hop = { pool: DESCRIPTION, amountInRaw: AMOUNT_IN, amountOutRaw: 500_000n };
    const hops = [
      { ...hop, tokenIn: TOKEN, tokenOut: OTHER },
      { ...hop, tokenIn: OTHER, tokenOut: QUOTE, amountInRaw: 500_000n, amountOutRaw: AMOUNT_OUT },
    ];
    const swapPath = { takes: 'input', amountInRaw: AMOUNT_IN, amountOutRaw: AMOUNT_OUT, hops };
    const swapPaths = Array.from({ length: swapPathCount }, () => swapPath);
    return { ...buildTrade(TOKEN, SYSTEM_PROGRAM), swapPaths } as ExecutableTrade;
  }

  async function openRoute() {
    const scene = await openWallet(TOKEN);
    setHeld(scene.chain, HELD_TOKEN, 100n * AMOUNT_IN);
    const mint = scene.chain.accounts.get(TOKEN) ?? assert.fail();
    scene.chain.accounts.set(OTHER, { ...mint, data: Buffer.alloc(165) });
    scene.answer(buildTokenAccount(AMOUNT_OUT));
    return scene;
  }

  it('spends between two pools exactly what the first must pay', async (t) => {
    const { build, close } = await openRoute();
    t.after(close);
    const { read } = await build(buildRoute(1));
    const swaps = read.instructions.filter(({ program }) => program === CPMM);
    const amounts = swaps.map(({ data }) => [data.readBigUInt64LE(8), data.readBigUInt64LE(16)]);
    assert.deepEqual(amounts, [
      [AMOUNT_IN, 500_000n],
      [500_000n, MINIMUM],
    ]);
  });

  it('that is too long for a transaction is out of room', async (t) => {
    const { build, close } = await openRoute();
    t.after(close);
    await assert.rejects(build(buildRoute(20)), OutOfRoomError);
  });
});

it('probes read what mints do on transfers', async (t) => {
  const { nodes, chain, close } = await openWallet(TOKEN);
  t.after(close);
  const hops = [{ pool: DESCRIPTION, zeroForOne: true }];
  const trip = { hops, amountIn: 1n, fees: null, minBlock: chain.head, block: null };
  const { signal } = new AbortController();
  assert.equal((await nodes.simulateRoundTrip(trip, signal))?.asWallet?.back, null);
  const mint = chain.accounts.get(TOKEN) ?? assert.fail();
  chain.accounts.set(QUOTE, { ...mint });
  const { there, back } = (await nodes.simulateRoundTrip(trip, signal))?.asWallet ?? {};
  assert.deepEqual([there?.isDone, back?.isDone, back?.received], [true, true, back?.paid]);
});

describe('the priority fee', () => {
  it('is what those paid who locked the same accounts', async (t) => {
    const { build, answer, chain, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    answer(buildTokenAccount(AMOUNT_OUT));
    chain.unitPrices = [12_000, 16_000, 20_000, 24_000, 28_000, 32_000, 36_000, 40_000];
    const prices: string[] = [];
    for (const priority of ['low', 'medium', 'high', { unitPrice: 77n }] as const) {
      const { unsigned, built, read } = await build(buildTrade(SYSTEM_PROGRAM, TOKEN), {
        priority,
      });
      prices.push(unsigned.computeUnitPriceMicroLamports);
      const offered = BigInt(unsigned.computeUnitPriceMicroLamports);
      assert.equal(read.instructions[1]?.data.readBigUInt64LE(1), offered);
      const units = BigInt(unsigned.computeUnitLimit) * offered;
      assert.equal(built.cost?.priorityRaw, (units + 999_999n) / 1_000_000n);
      const asked = chain.pricedAccounts.at(-1) ?? assert.fail();
      const writable = read.keys.filter((key) => read.isWritable(key));
      assert.deepEqual(asked.toSorted(), writable.toSorted());
      assert.ok(asked.includes(POOL));
    }
    assert.deepEqual(prices, ['20000', '28000', '40000', '77']);
  });

  it('is never above the cap, nor below a little, unless a price is given', async (t) => {
    const { build, answer, chain, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    answer(buildTokenAccount(AMOUNT_OUT));
    const offer = async (price: number, priority: BuildRequest['priority']) => {
      chain.unitPrices = [price, price];
      const { unsigned } = await build(buildTrade(SYSTEM_PROGRAM, TOKEN), { priority });
      return unsigned.computeUnitPriceMicroLamports;
    };
    assert.equal(await offer(5_000_000, 'high'), '5000000');
    assert.equal(await offer(5_000_001, 'high'), '5000000');
    assert.equal(await offer(900_000_000, 'low'), '5000000');
    assert.equal(await offer(0, 'high'), '10000');
    assert.equal(await offer(0, { unitPrice: 90_000_000n }), '90000000');
  });
});

it('a client is told what those paid who locked what swaps in the pools lock', async (t) => {
  const { nodes, chain, close } = await openWallet(SYSTEM_PROGRAM);
  t.after(close);
  chain.unitPrices = Array.from({ length: 150 }, (_, index) => (149 - index) * 1000);
  const told = await nodes.transactions.readPaidTips([DESCRIPTION]);
  assert.deepEqual(told.percentiles, [15_000n, 37_000n, 75_000n, 112_000n, 135_000n, 148_000n]);
  assert.deepEqual(told.tips, { low: 37_000n, medium: 75_000n, high: 135_000n });
  assert.deepEqual([told.blockCount, told.basePerUnit, told.baseRaw], [150, null, 5000n]);
  assert.deepEqual(chain.pricedAccounts.at(-1), told.accounts);
  assert.ok(told.accounts.some((one) => one === String(POOL)) && !told.accounts.includes(TRADER));
  await nodes.transactions.readPaidTips([]);
  assert.deepEqual(chain.pricedAccounts.at(-1), []);
});

describe('the compute limit', () => {
  it('has room for the bins that a swap crosses more once the price has moved', async (t) => {
    const { build, answer, close } = await openWallet(SYSTEM_PROGRAM);
    t.after(close);
    answer(buildTokenAccount(AMOUNT_OUT), 100_000);
    const limitOf = async (terms: object, minAmountOutRaw: bigint) => {
      const trade = buildTrade(SYSTEM_PROGRAM, TOKEN);
      const [swapPath = assert.fail()] = trade.swapPaths;
      const [hop = assert.fail()] = swapPath.hops;
      // The program is CPMM's all the same: only the limit is looked at.
      const pool = { ...DESCRIPTION, ...terms } as unknown as PoolDescription;
      const swapPaths = [{ ...swapPath, hops: [{ ...hop, pool }] }];
      const { unsigned } = await build({ ...trade, swapPaths, minAmountOutRaw });
      return unsigned.computeUnitLimit;
    };
    const plain = 116_000;
    const bins = { kind: 'bins', terms: { binStep: 10 } };
    assert.equal(await limitOf({}, MINIMUM), plain);
    // 0.5 % are five bins of 0.1 %, and one more; 2 % are twenty or more.
    assert.equal(await limitOf(bins, MINIMUM), plain + 6 * 12_000);
    assert.equal(await limitOf(bins, (AMOUNT_OUT * 97n) / 100n), plain + 20 * 12_000);
    const range = { kind: 'rangeX64', terms: { tickSpacing: 64 } };
    assert.equal(await limitOf(range, MINIMUM), plain + 2 * 15_000);
  });
});
