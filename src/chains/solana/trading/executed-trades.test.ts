// Trades on the embedded chain, from the accounts of a pool to the wallet's balance: what was
// computed is what the programs pay, to the unit.

import assert from 'node:assert/strict';
import { createHash, sign } from 'node:crypto';
import { it } from 'node:test';
import {
  openTokenAccount,
  syncNative,
  transferLamports,
} from '../../../../devnet/solana/instructions.ts';
import { openChain } from '../../../../devnet/solana/open-chain.ts';
import {
  type CurveCoin,
  createCurve,
  describeCurve,
  findCreatorVault,
  tradeCurve,
} from '../../../../devnet/solana/pump-instructions.ts';
import { type RpcServer, startRpcServer } from '../../../../devnet/solana/rpc-server.ts';
import {
  buildScene,
  createTestAccount,
  describeGenesis,
  type Scene,
  send,
} from '../../../../devnet/solana/scene.ts';
import type { SolanaChain } from '../../../../devnet/solana/solana-chain.ts';
import {
  createSigningKey,
  parseWireTransaction,
  use,
} from '../../../../devnet/solana/wire-transaction.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import { readSolanaMessage } from '../../../../test/solana-message.ts';
import { kindOf } from '../../../amm/pool-kinds.ts';
import { decodeBase58, encodeBase58 } from '../../../lib/base58.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Address } from '../../../model/ids.ts';
import type { PoolDescription, PoolRecord } from '../../../model/pool.ts';
import type { ChainAdapter } from '../../adapter.ts';
import type { ChainNodes } from '../../chain-nodes.ts';
import { type ExecutableTrade, OutOfRoomError, type TradeSwap } from '../../chain-transactions.ts';
import { findProgramAddress } from '../accounts/program-address.ts';
import { SYSTEM_PROGRAM, toSolanaAddress, toSolanaPool, WRAPPED_SOL } from '../solana-ids.ts';
import { openSolanaNodes } from '../solana-nodes.ts';
import { findHeldAccount, TOKEN_PROGRAM } from './token-instructions.ts';

const SIGNATURE_BYTES = 64;
/** Of an account of wrapped SOL. */
const RENT = 2_039_280n;
const SECONDS = 1_780_000_000;
const SEED = 'executed trades';
const USER = createTestAccount(0);
const WALLET = toSolanaAddress(USER.address);

let chain: SolanaChain;
let server: RpcServer;
let scene: Scene;
let nodes: ChainNodes;
let adapter: ChainAdapter;

function openNodes(lookupTables: readonly Address[] = []): ChainNodes {
  return openSolanaNodes(
    {
      ...{ endpoints: [server.url], chain: 'solana', devnet: null, lookupTables },
      ...{ startBlock: null, instance: null },
    },
    {
      ...{ clock: systemClock, genesis: chain.genesisHash },
      log: { info: () => undefined, warn: () => undefined },
    },
  );
}

before(async () => {
  const genesis = describeGenesis(SEED);
  chain = openChain({ file: ':memory:', genesis, genesisSeconds: SECONDS });
  scene = buildScene(chain, SEED, SECONDS);
  server = await startRpcServer(chain, 0);
  nodes = openNodes();
  adapter = nodes.createAdapter({ knownPools: async () => [], verification: 'linked' });
});

after(async () => {
  await adapter.close();
  nodes.close();
  await server.close();
});

function findPool(symbol: string, quote = 'SOL') {
  const symbols = (one: Scene['pools'][number]) => [one.base.symbol, one.quote.symbol];
  return (
    scene.pools.find((one) => symbols(one).includes(symbol) && symbols(one).includes(quote)) ??
    assert.fail(`no pool of ${symbol}`)
  );
}

function findMint(symbol: string): Address {
  const found = scene.tokens.find((token) => token.symbol === symbol) ?? assert.fail(symbol);
  return toSolanaAddress(found.mint);
}

/** As the follower describes it. */
function describeCpmm(symbol: string, quote?: string): PoolDescription {
  const pool = findPool(symbol, quote);
  return {
    ...{ pool: toSolanaPool(toSolanaAddress(pool.pool)), kind: 'ceiledProduct' },
    ...{ venue: 'raydium-cpmm', feePips: 2500, vault: WALLET },
    ...{ token0: toSolanaAddress(pool.token0.mint), token1: toSolanaAddress(pool.token1.mint) },
    terms: {
      ...{ creatorFeePips: 0, creatorFeeOn: 'input' },
      ...{ protocolSharePips: 120_000, fundSharePips: 40_000 },
    },
  };
}

/** The pool as its accounts are now, ready to be quoted. */
async function readSwapPool(description: PoolDescription) {
  const query = { description, covered: null, callCountMax: 20 };
  const at = { position: chain.head.slot, hash: chain.head.hash };
  const reading = await adapter.readPoolPiece?.(query, at);
  if (reading?.kind !== 'piece') return assert.fail(`${description.venue}: ${reading?.kind}`);
  const { state, feePips } = reading.piece;
  const record = { ...description, feePips: feePips ?? 0, state, complete: true } as PoolRecord;
  return kindOf(record).createSwapPool(record, [], undefined) ?? assert.fail('it is not quoted');
}

/** Prices a trade over pools in a row. */
async function priceTrade(
  tokens: readonly [Address, Address],
  amountInRaw: bigint,
  pools: readonly PoolDescription[],
): Promise<ExecutableTrade> {
  const [tokenIn, tokenOut] = tokens;
  const hops: TradeSwap[] = [];
  let [mint, amount] = [tokenIn === SYSTEM_PROGRAM ? WRAPPED_SOL : tokenIn, amountInRaw];
  for (const pool of pools) {
    const isZeroIn = pool.token0 === mint;
    const curve = await readSwapPool(pool);
    const swap = curve.swapIn(isZeroIn, amount);
    assert.ok(swap.isFilled);
    const next = isZeroIn ? pool.token1 : pool.token0;
    const amounts = { amountInRaw: amount, amountOutRaw: swap.amountOut };
    hops.push({ pool, tokenIn: mint, tokenOut: next, ...amounts });
    [mint, amount] = [next, swap.amountOut];
  }
  return {
    ...{ tokenIn, tokenOut, amountInRaw, amountOutRaw: amount, outputTaxBps: 0 },
    ...{ fixed: 'input', maxAmountInRaw: amountInRaw },
    minAmountOutRaw: (amount * 995n) / 1000n,
    strands: [{ takes: 'input', amountInRaw, amountOutRaw: amount, hops }],
    ...{ fixed: 'input', maxAmountInRaw: amountInRaw, costUnits: 200_000n, router: null },
  };
}

/** Prices a trade of an exact output in one pool. */
async function priceOutput(
  [tokenIn, tokenOut]: readonly [Address, Address],
  amountOutRaw: bigint,
  pool: PoolDescription,
): Promise<ExecutableTrade> {
  const toMint = (token: Address) => (token === SYSTEM_PROGRAM ? WRAPPED_SOL : token);
  const curve = await readSwapPool(pool);
  const swap = curve.swapOut(pool.token0 === toMint(tokenIn), amountOutRaw);
  assert.ok(swap.isFilled);
  const amounts = { amountInRaw: swap.amountIn, amountOutRaw };
  const hop = { pool, tokenIn: toMint(tokenIn), tokenOut: toMint(tokenOut), ...amounts };
  return {
    ...{ tokenIn, tokenOut, ...amounts, minAmountOutRaw: amountOutRaw, outputTaxBps: 0 },
    ...{ fixed: 'output', maxAmountInRaw: (swap.amountIn * 101n) / 100n },
    strands: [{ takes: 'input', ...amounts, hops: [{ ...hop, askedOutRaw: amountOutRaw }] }],
    ...{ costUnits: 200_000n, router: null },
  };
}

/** What the wallet holds: lamports for SOL. */
function readBalance(token: Address): bigint {
  if (token === SYSTEM_PROGRAM) return chain.read(WALLET)?.lamports ?? 0n;
  const tokenProgram = toSolanaAddress(chain.read(token)?.owner ?? assert.fail());
  const account = chain.read(findHeldAccount({ owner: WALLET, mint: token, tokenProgram }));
  return account?.data.readBigUInt64LE(64) ?? 0n;
}

/** The signature comes before the message, after their number. */
function signAsWallet(unsigned: string): Buffer {
  const bytes = Buffer.from(unsigned, 'base64');
  sign(null, bytes.subarray(1 + SIGNATURE_BYTES), USER.key).copy(bytes, 1);
  return bytes;
}

async function buildTrade(trade: ExecutableTrade) {
  const wallet = await nodes.transactions.readWallet(WALLET, trade.tokenIn);
  assert.equal(wallet.balanceRaw, readBalance(trade.tokenIn));
  const block = { position: chain.head.slot, hash: chain.head.hash };
  const terms = { nowMs: SECONDS * 1000, lifeSeconds: 600, approval: 'onchain' } as const;
  const built = (await wallet.build({ trade, block, ...terms })) ?? assert.fail();
  const [{ unsigned } = assert.fail()] = built.transactions;
  if (unsigned.type !== 'solana-v0') assert.fail(unsigned.type);
  return { built, unsigned };
}

/** Builds, signs, sends; compares both balances with the price, and the fees with what was told. */
async function execute(trade: ExecutableTrade): Promise<void> {
  const { tokenIn, tokenOut, amountInRaw, amountOutRaw } = trade;
  const { built, unsigned } = await buildTrade(trade);
  assert.equal(built.simulation?.amountOutRaw, amountOutRaw);
  const before = { in: readBalance(tokenIn), out: readBalance(tokenOut) };
  const lamportsBefore = readBalance(SYSTEM_PROGRAM);
  const signature = chain.submit(signAsWallet(unsigned.transaction));
  chain.seal({ seconds: SECONDS });
  const fate = await nodes.transactions.readTransaction(signature as never);
  assert.ok(fate.state === 'mined' && !fate.isReverted);
  // The rent of an account that is closed again comes back.
  const { rentReturnedRaw = 0n } = built.cost ?? {};
  const wire = parseWireTransaction(Buffer.from(unsigned.transaction, 'base64'));
  const isReturned = decodeBase58(wire.instructions.at(-1)?.data ?? '')?.[0] === 9;
  assert.equal(rentReturnedRaw, isReturned ? RENT : 0n);
  const paid = built.feesRaw - rentReturnedRaw;
  const lamports = readBalance(SYSTEM_PROGRAM) - lamportsBefore + paid;
  if (tokenOut === SYSTEM_PROGRAM) assert.equal(lamports, amountOutRaw);
  else assert.equal(readBalance(tokenOut) - before.out, amountOutRaw);
  if (tokenIn === SYSTEM_PROGRAM) {
    assert.equal(lamports, -amountInRaw);
  } else {
    assert.equal(before.in - readBalance(tokenIn), amountInRaw);
  }
}

it('SOL buys a token, which is sold for SOL again', async () => {
  for (const symbol of ['BOLT', 'MIST', 'USDC']) {
    const [token, pool] = [findMint(symbol), describeCpmm(symbol)];
    await execute(await priceTrade([SYSTEM_PROGRAM, token], 1_234_567_891n, [pool]));
    await execute(await priceTrade([token, SYSTEM_PROGRAM], readBalance(token) / 3n, [pool]));
  }
});

it('tokens of both token programs are bought with another token', async () => {
  for (const symbol of ['GRAM', 'NOVA']) {
    const [token, pool] = [findMint(symbol), describeCpmm(symbol, 'USDC')];
    await execute(await priceTrade([findMint('USDC'), token], 77_777_777n, [pool]));
    await execute(await priceTrade([token, findMint('USDC')], readBalance(token) / 2n, [pool]));
  }
});

it('a token is sold for another over SOL, and for SOL over another', async () => {
  const [bolt, mist, nova] = [findMint('BOLT'), findMint('MIST'), findMint('NOVA')];
  const pools = [describeCpmm('BOLT'), describeCpmm('MIST')];
  await execute(await priceTrade([bolt, mist], readBalance(bolt) / 2n, pools));
  await execute(await priceTrade([mist, bolt], readBalance(mist), pools.toReversed()));
  const dollars = [describeCpmm('NOVA', 'USDC'), describeCpmm('USDC')];
  await execute(await priceTrade([nova, SYSTEM_PROGRAM], readBalance(nova), dollars));
  await execute(await priceTrade([SYSTEM_PROGRAM, nova], 10n ** 9n, dollars.toReversed()));
});

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
  await execute(await priceTrade([SYSTEM_PROGRAM, levy], 1_234_567_891n, [pool]));
  await execute(await priceTrade([levy, SYSTEM_PROGRAM], readBalance(levy) / 3n, [pool]));
  await execute(await priceTrade([levy, bolt], readBalance(levy) / 3n, [pool, next]));
  await execute(await priceTrade([bolt, levy], readBalance(bolt), [next, pool]));
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

/** A new coin on its curve. */
function launchCoin(name: string): { coin: CurveCoin; curve: PoolDescription } {
  const creator = createSigningKey('a creator of a coin');
  const mint = createSigningKey(name);
  const coin = describeCurve(mint.address, creator.address);
  const { maker } = scene.wallets;
  const vault = findCreatorVault(creator.address);
  send(chain, {
    ...{ payer: maker, signers: [mint] },
    instructions: [
      transferLamports(maker.address, vault, 10_000_000n),
      createCurve(maker.address, coin, { name: 'Coin', symbol: 'COIN', uri: '' }),
    ],
  });
  chain.seal({ seconds: SECONDS });
  const curve: PoolDescription = {
    ...{ pool: toSolanaPool(toSolanaAddress(coin.curve)), kind: 'pump', venue: 'pump' },
    ...{ token0: toSolanaAddress(coin.mint), token1: WRAPPED_SOL, feePips: 12_500, vault: WALLET },
    terms: { stage: 'curve', virtualQuote: 0n },
  };
  return { coin, curve };
}

it('a coin is bought on its curve and sold again', async () => {
  const { curve } = launchCoin('a coin that is traded');
  const token = curve.token0;
  await execute(await priceTrade([SYSTEM_PROGRAM, token], 2_000_000_000n, [curve]));
  await execute(await priceTrade([token, SYSTEM_PROGRAM], readBalance(token) / 3n, [curve]));
  // All of the wallet's wrapped SOL would become SOL.
  send(chain, {
    ...{ payer: USER, signers: [] },
    instructions: [
      openTokenAccount(USER.address, WALLET, { mint: WRAPPED_SOL, program: TOKEN_PROGRAM }),
    ],
  });
  chain.seal({ seconds: SECONDS });
  const wrapped = await priceTrade([WRAPPED_SOL, token], 1_000_000n, [curve]);
  await assert.rejects(execute(wrapped), {
    ...{ code: 'SIMULATION_REVERTED', message: /takes SOL, not wrapped SOL/ },
  });
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
    () => priceTrade([SYSTEM_PROGRAM, bolt], 1_000_000_000n, [pool]),
    () => priceTrade([bolt, SYSTEM_PROGRAM], readBalance(bolt) / 3n, [pool]),
    () => priceOutput([SYSTEM_PROGRAM, bolt], 1_234_567n, pool),
    () => priceOutput([bolt, SYSTEM_PROGRAM], 1_234_567n, pool),
  ];
  for (const price of trades) {
    await execute(await price());
    assert.deepEqual(chain.read(account), kept);
  }
  // There is no room for a temporary account beside a pool and a curve.
  const amount = readBalance(bolt) / 3n;
  const long = await priceTrade([bolt, curve.token0], amount, [pool, curve]);
  await assert.rejects(buildTrade(long), OutOfRoomError);
});

it('a purchase of an exact output fails if the curve has fewer coins left', async () => {
  const { coin, curve } = launchCoin('a coin that is sold out');
  const token = curve.token0;
  await execute(await priceTrade([SYSTEM_PROGRAM, token], 1_000_000_000n, [curve]));
  const swapPool = await readSwapPool(curve);
  const amountOutRaw = 10n ** 13n;
  const { amountIn, isFilled } = swapPool.swapOut(false, amountOutRaw);
  assert.ok(isFilled);
  const amounts = { amountInRaw: amountIn, amountOutRaw };
  const hop = { pool: curve, tokenIn: WRAPPED_SOL, tokenOut: token, ...amounts };
  const trade: ExecutableTrade = {
    ...{ tokenIn: SYSTEM_PROGRAM, tokenOut: token, ...amounts, minAmountOutRaw: amountOutRaw },
    ...{ fixed: 'output', maxAmountInRaw: amountIn * 100n, outputTaxBps: 0 },
    strands: [{ takes: 'input', ...amounts, hops: [hop] }],
    ...{ costUnits: 200_000n, router: null },
  };
  await execute(trade);
  const { unsigned } = await buildTrade(trade);
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
  const before = readBalance(token);
  const signature = chain.submit(signAsWallet(unsigned.transaction), { isChecked: false });
  chain.seal({ seconds: SECONDS });
  const fate = await nodes.transactions.readTransaction(signature as never);
  assert.ok(fate.state === 'mined' && fate.isReverted);
  assert.equal(readBalance(token), before);
});

const TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';

/** A table with these addresses, by the chain's own program. */
function createTable(addresses: readonly Address[]): Address {
  const recent = Buffer.alloc(8);
  recent.writeBigUInt64LE(BigInt(chain.head.slot - 1));
  const program = toSolanaAddress(TABLE_PROGRAM);
  const seeds = [Buffer.from(decodeBase58(USER.address) ?? []), recent];
  const table = findProgramAddress(program, seeds);
  const isBump = (bump: number) => {
    const hash = createHash('sha256').update(Buffer.concat(seeds)).update(Uint8Array.of(bump));
    const rest = [Buffer.from(decodeBase58(program) ?? []), 'ProgramDerivedAddress'] as const;
    return encodeBase58(hash.update(rest[0]).update(rest[1]).digest()) === table;
  };
  const bump = Array.from({ length: 256 }, (_, index) => index).find(isBump) ?? assert.fail();
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(BigInt(addresses.length));
  const keys = addresses.map((one) => Buffer.from(decodeBase58(one) ?? []));
  const users = [use.signer(USER.address), use.payer(USER.address)];
  const system = use.readonly(SYSTEM_PROGRAM);
  send(chain, {
    ...{ payer: USER, signers: [] },
    instructions: [
      {
        program: TABLE_PROGRAM,
        accounts: [use.writable(table), ...users, system],
        data: Buffer.concat([Buffer.alloc(4), recent, Buffer.from([bump])]),
      },
      {
        program: TABLE_PROGRAM,
        accounts: [use.writable(table), ...users, system],
        data: Buffer.concat([Buffer.from([2, 0, 0, 0]), count, ...keys]),
      },
    ],
  });
  chain.seal({ seconds: SECONDS });
  // New entries work from the next slot on.
  chain.seal({ seconds: SECONDS });
  return table;
}

it("an operator's lookup table shortens a trade, which is executed", async (t) => {
  const [levy, bolt] = [findMint('LEVY'), findMint('BOLT')];
  const pools = [describeCpmm('LEVY'), describeCpmm('BOLT')];
  await execute(await priceTrade([SYSTEM_PROGRAM, levy], 10n ** 9n, pools.slice(0, 1)));
  const trade = await priceTrade([levy, bolt], readBalance(levy), pools);
  const plain = Buffer.from((await buildTrade(trade)).unsigned.transaction, 'base64');
  const named = readSolanaMessage(plain.toString('base64')).instructions;
  const accounts = named.flatMap((one) => one.accounts);
  const table = createTable([...new Set(accounts)].map(toSolanaAddress));
  const without = nodes;
  nodes = openNodes([table]);
  t.after(() => {
    nodes.close();
    nodes = without;
  });
  const { unsigned } = await buildTrade(trade);
  const bytes = Buffer.from(unsigned.transaction, 'base64');
  assert.ok(bytes.length < plain.length - 250, `${plain.length} to ${bytes.length} bytes`);
  await execute(trade);
  const { lookups } = parseWireTransaction(bytes);
  assert.deepEqual(
    lookups.map(({ accountKey }) => accountKey),
    [table],
  );
  // What is no table, or is not there, is left out.
  nodes.close();
  nodes = openNodes([bolt, toSolanaAddress('So11111111111111111111111111111111111111112')]);
  const again = await buildTrade(
    await priceTrade([bolt, levy], readBalance(bolt) / 2n, pools.toReversed()),
  );
  assert.deepEqual(
    parseWireTransaction(Buffer.from(again.unsigned.transaction, 'base64')).lookups,
    [],
  );
});

it('a trade whose pool would pay less than the minimum is refused', async () => {
  const trade = await priceTrade([SYSTEM_PROGRAM, findMint('MIST')], 10n ** 9n, [
    describeCpmm('MIST'),
  ]);
  const greedy = { ...trade, minAmountOutRaw: trade.amountOutRaw + 1n };
  await assert.rejects(execute(greedy), { code: 'SIMULATION_REVERTED' });
});
