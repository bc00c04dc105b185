// The embedded chain for tests of trades, from the accounts of a pool to the wallet's balance.

import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { transferLamports } from '../devnet/solana/instructions.ts';
import { openChain } from '../devnet/solana/open-chain.ts';
import {
  type CurveCoin,
  createCurve,
  describeCurve,
  findCreatorVault,
} from '../devnet/solana/pump-instructions.ts';
import { type RpcServer, startRpcServer } from '../devnet/solana/rpc-server.ts';
import {
  buildScene,
  createTestAccount,
  describeGenesis,
  type Scene,
  send,
} from '../devnet/solana/scene.ts';
import type { SolanaChain } from '../devnet/solana/solana-chain.ts';
import { createSigningKey, parseWireTransaction } from '../devnet/solana/wire-transaction.ts';
import { kindOf } from '../src/amm/pool-kinds.ts';
import type { ChainAdapter } from '../src/chains/adapter.ts';
import type { ChainNodes } from '../src/chains/chain-nodes.ts';
import type { ExecutableTrade, TradeSwap } from '../src/chains/chain-transactions.ts';
import {
  SYSTEM_PROGRAM,
  toSolanaAddress,
  toSolanaPool,
  WRAPPED_SOL,
} from '../src/chains/solana/data/solana-ids.ts';
import { findHeldAccount } from '../src/chains/solana/data/token-instructions.ts';
import { openSolanaNodes } from '../src/chains/solana/solana-nodes.ts';
import { decodeBase58 } from '../src/lib/base58.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { Address } from '../src/model/ids.ts';
import type { PoolDescription, PoolRecord } from '../src/model/pool.ts';
import { after, before } from './root-hooks.ts';

const SIGNATURE_BYTES = 64;
/** Of an account of wrapped SOL. */
const RENT = 2_039_280n;
export const SECONDS = 1_780_000_000;
const SEED = 'executed trades';
export const USER = createTestAccount(0);
export const WALLET = toSolanaAddress(USER.address);

export let chain: SolanaChain;
let server: RpcServer;
export let scene: Scene;
export let nodes: ChainNodes;
let adapter: ChainAdapter;

export function openNodes(lookupTables: readonly Address[] = []): ChainNodes {
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

export function findMint(symbol: string): Address {
  const found = scene.tokens.find((token) => token.symbol === symbol) ?? assert.fail(symbol);
  return toSolanaAddress(found.mint);
}

/** As the follower describes it. */
export function describeCpmm(symbol: string, quote?: string): PoolDescription {
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

/** The pool as its accounts are now. */
export async function readPoolRow(description: PoolDescription): Promise<PoolRecord> {
  const query = { description, covered: null, callCountMax: 20 };
  const at = { position: chain.head.slot, hash: chain.head.hash };
  const reading = await adapter.readPoolPage?.(query, at);
  if (reading?.kind !== 'page') return assert.fail(`${description.venue}: ${reading?.kind}`);
  const { state, feePips } = reading.page;
  return { ...description, feePips: feePips ?? 0, state, complete: true } as PoolRecord;
}

/** The same, ready to be quoted. */
export async function readSwapPool(description: PoolDescription) {
  const record = await readPoolRow(description);
  return kindOf(record).createSwapPool(record, [], undefined) ?? assert.fail('it is not quoted');
}

/** Prices a trade over pools in a row. */
export async function pricePools(
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
    swapPaths: [{ takes: 'input', amountInRaw, amountOutRaw: amount, hops }],
    ...{ fixed: 'input', maxAmountInRaw: amountInRaw, costUnits: 200_000n, router: null },
  };
}

/** Prices a trade of an exact output in one pool. */
export async function priceOutput(
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
    swapPaths: [{ takes: 'input', ...amounts, hops: [{ ...hop, askedOutRaw: amountOutRaw }] }],
    ...{ costUnits: 200_000n, router: null },
  };
}

/** What the wallet holds: lamports for SOL. */
export function readHeld(token: Address): bigint {
  if (token === SYSTEM_PROGRAM) return chain.read(WALLET)?.lamports ?? 0n;
  const tokenProgram = toSolanaAddress(chain.read(token)?.owner ?? assert.fail());
  const account = chain.read(findHeldAccount({ owner: WALLET, mint: token, tokenProgram }));
  return account?.data.readBigUInt64LE(64) ?? 0n;
}

/** The signature comes before the message, after their number. */
export function signAsWallet(unsigned: string): Buffer {
  const bytes = Buffer.from(unsigned, 'base64');
  sign(null, bytes.subarray(1 + SIGNATURE_BYTES), USER.key).copy(bytes, 1);
  return bytes;
}

export async function buildExecuted(trade: ExecutableTrade, tipRaw?: bigint) {
  const wallet = await nodes.transactions.readWallet(WALLET, trade.tokenIn);
  assert.equal(wallet.balanceRaw, readHeld(trade.tokenIn));
  const block = { position: chain.head.slot, hash: chain.head.hash };
  const terms = { nowMs: SECONDS * 1000, lifeSeconds: 600, approval: 'onchain' } as const;
  const built =
    (await wallet.build({ trade, block, ...terms, priority: 'medium', tipRaw })) ?? assert.fail();
  const [{ unsigned } = assert.fail()] = built.transactions;
  if (unsigned.type !== 'solana-v0') assert.fail(unsigned.type);
  return { built, unsigned };
}

/** Builds, signs, sends; compares both balances with the price, and the fees with what was told. */
export async function execute(trade: ExecutableTrade): Promise<void> {
  const { tokenIn, tokenOut, amountInRaw, amountOutRaw } = trade;
  const { built, unsigned } = await buildExecuted(trade);
  assert.equal(built.simulation?.amountOutRaw, amountOutRaw);
  const before = { in: readHeld(tokenIn), out: readHeld(tokenOut) };
  const lamportsBefore = readHeld(SYSTEM_PROGRAM);
  const signature = chain.submit(signAsWallet(unsigned.transaction));
  chain.seal({ seconds: SECONDS });
  const fate = await nodes.transactions.readTransaction(signature as never);
  assert.ok(fate.state === 'mined' && !fate.isReverted);
  const findChange = (end: Address) => fate.changes.find(({ token }) => token === end)?.deltaRaw;
  assert.deepEqual([findChange(tokenIn), findChange(tokenOut)], [-amountInRaw, amountOutRaw]);
  // The rent of an account that is closed again comes back.
  const { rentReturnedRaw = 0n } = built.cost ?? {};
  const wire = parseWireTransaction(Buffer.from(unsigned.transaction, 'base64'));
  const isReturned = wire.instructions.slice(-2).some(({ data }) => decodeBase58(data)?.[0] === 9);
  assert.equal(rentReturnedRaw, isReturned ? RENT : 0n);
  const paid = built.feesRaw - rentReturnedRaw;
  const lamports = readHeld(SYSTEM_PROGRAM) - lamportsBefore + paid;
  if (tokenOut === SYSTEM_PROGRAM) assert.equal(lamports, amountOutRaw);
  else assert.equal(readHeld(tokenOut) - before.out, amountOutRaw);
  if (tokenIn === SYSTEM_PROGRAM) {
    assert.equal(lamports, -amountInRaw);
  } else {
    assert.equal(before.in - readHeld(tokenIn), amountInRaw);
  }
}

/** A new coin on its curve. */
export function launchCoin(name: string): { coin: CurveCoin; curve: PoolDescription } {
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

/** Builds are made by these nodes from now on; returns what puts the others back. */
export function useNodes(other: ChainNodes): () => void {
  const without = nodes;
  nodes = other;
  return () => {
    nodes.close();
    nodes = without;
  };
}
