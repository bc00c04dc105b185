// Swaps of a token that deducts a fee from transfers, as computed and as a program executes them:
// by the stand-in, and by the venue's own binary where `SOLANA_PROGRAMS_DIR` names its folder.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CeiledProductPool } from '../../src/amm/ceiled-product/ceiled-product-kind.ts';
import type { TransferFee } from '../../src/amm/transfer-fee.ts';
import { TransferFeePool } from '../../src/amm/transfer-fee-pool.ts';
import { encodeBase58Data } from '../../src/chains/solana/data/base58-data.ts';
import { toSolanaAddress } from '../../src/chains/solana/data/solana-ids.ts';
import { readCpmmPool } from '../../src/chains/solana/venues/raydium-cpmm/cpmm-accounts.ts';
import { createRandom } from '../../test/fakes/create-random.ts';
import { findRealProgram } from '../../test/real-programs.ts';
import { readSolanaFixture, skipWithoutSolana } from '../../test/solana-fixtures.ts';
import { readProgram } from './build-programs.ts';
import {
  CPMM,
  CPMM_AUTHORITY,
  discriminate,
  findTokenAccount,
  keyBytes,
  u64,
} from './instructions.ts';
import { addFee, addWithheld } from './levied-tokens.ts';
import { Svm } from './svm.ts';
import { TOKEN_2022, TOKEN_PROGRAM } from './token-balance.ts';
import { createSigningKey, type Instruction, signTransaction, use } from './wire-transaction.ts';

const USER = createSigningKey('a user of levied tokens');
const HASH = encodeBase58Data(Buffer.alloc(32, 1));
const TIME = { slot: 10, seconds: 1_780_000_000 };
const RICH = 10n ** 16n;
const SWAPS = 200;
const NO_LIMIT = 2n ** 64n - 1n;
/** Of the pool's account: which token program its second mint belongs to. */
const PROGRAM1_OFFSET = 264;
const TYPE_OFFSET = 165;

type Dump = Record<string, { pubkey: string; owner: string; data: string }>;

function buildTokens(svm: Svm, mint: string, isSol: boolean): { data: Buffer; lamports: bigint } {
  const data = Buffer.alloc(TYPE_OFFSET);
  data.set(keyBytes(mint), 0);
  data.set(keyBytes(USER.address), 32);
  data.set(u64(RICH), 64);
  data.writeUInt8(1, 108);
  const rent = svm.findRent(TYPE_OFFSET);
  if (isSol) {
    data.writeUInt32LE(1, 109);
    data.set(u64(rent), 113);
  }
  return { data, lamports: rent + (isSol ? RICH : 0n) };
}

interface LeviedScene {
  readonly svm: Svm;
  readonly keys: Readonly<Record<string, string>>;
  /** The user's accounts of SOL and of the token. */
  readonly held: readonly [string, string];
}

/** The recorded pool of SOL, whose other token was given a fee. */
function openScene(program: Uint8Array, fee: TransferFee): LeviedScene {
  const svm = new Svm();
  svm.addProgram(CPMM, program);
  svm.setTime(TIME, { slot: 9, hash: HASH });
  const dump = readSolanaFixture('pools/raydium-cpmm-sol-usdc/accounts.json') as Dump;
  const keys = Object.fromEntries(Object.entries(dump).map(([name, one]) => [name, one.pubkey]));
  const write = (address: string, owner: string, data: Buffer, lamports = RICH) =>
    svm.write(address, { owner, data, lamports, isExecutable: false });
  for (const [name, { pubkey, owner, data }] of Object.entries(dump)) {
    const bytes = Buffer.from(data, 'base64');
    if (name === 'mint1') write(pubkey, TOKEN_2022, addFee(bytes, fee));
    else if (name === 'vault1') write(pubkey, TOKEN_2022, addWithheld(bytes));
    else if (name === 'vault0') {
      // Of wrapped SOL: lamports are what it holds and its rent.
      write(pubkey, owner, bytes, bytes.readBigUInt64LE(64) + bytes.readBigUInt64LE(113));
    } else {
      if (name === 'pool') bytes.set(keyBytes(TOKEN_2022), PROGRAM1_OFFSET);
      write(pubkey, owner, bytes);
    }
  }
  write(USER.address, '1'.repeat(32), Buffer.alloc(0));
  const { mint0 = '', mint1 = '' } = keys;
  const sol = findTokenAccount(USER.address, { mint: mint0, program: TOKEN_PROGRAM });
  const token = findTokenAccount(USER.address, { mint: mint1, program: TOKEN_2022 });
  const ofSol = buildTokens(svm, mint0, true);
  write(sol, TOKEN_PROGRAM, ofSol.data, ofSol.lamports);
  write(token, TOKEN_2022, addWithheld(buildTokens(svm, mint1, false).data));
  return { svm, keys, held: [sol, token] };
}

interface Order {
  readonly isZeroIn: boolean;
  readonly fixed: 'input' | 'output';
  readonly amount: bigint;
}

function buildSwap({ keys, held }: LeviedScene, { isZeroIn, fixed, amount }: Order): Instruction {
  const order = <T>(pair: readonly T[]): T[] => (isZeroIn ? [...pair] : pair.toReversed());
  const { mint0 = '', mint1 = '', vault0 = '', vault1 = '' } = keys;
  const amounts = fixed === 'input' ? [amount, 1n] : [NO_LIMIT, amount];
  return {
    program: CPMM,
    accounts: [
      ...[use.payer(USER.address), use.readonly(CPMM_AUTHORITY)],
      ...[use.readonly(keys['ammConfig'] ?? ''), use.writable(keys['pool'] ?? '')],
      ...[...order(held), ...order([vault0, vault1])].map(use.writable),
      ...[...order([TOKEN_PROGRAM, TOKEN_2022]), ...order([mint0, mint1])].map(use.readonly),
      use.writable(keys['observation'] ?? ''),
    ],
    data: Buffer.concat([
      discriminate('global', fixed === 'input' ? 'swap_base_input' : 'swap_base_output'),
      ...amounts.map(u64),
    ]),
  };
}

/** Our maths over the accounts as they are. */
function openPool({ svm, keys }: LeviedScene, fee: TransferFee): TransferFeePool {
  const accounts = new Map(
    Object.values(keys).map((key) => {
      return [toSolanaAddress(key), svm.read(key)?.data ?? Buffer.alloc(0)] as const;
    }),
  );
  const { state, terms, feePips } =
    readCpmmPool({
      ...{ program: toSolanaAddress(CPMM), pool: toSolanaAddress(keys['pool'] ?? ''), accounts },
      ...{ nowSeconds: TIME.seconds, slot: TIME.slot },
    }) ?? assert.fail('it is no pool');
  const fees = { zeroForOne: feePips, oneForZero: feePips };
  const reserves = { reserve0: state.reserve0 ?? 0n, reserve1: state.reserve1 ?? 0n };
  const within = new CeiledProductPool({ ...reserves, fees, terms });
  return new TransferFeePool(within, { fee0: null, fee1: fee, untilBlock: NaN });
}

/** What the swap took and paid; null if it failed. */
function execute(scene: LeviedScene, order: Order) {
  const read = () => scene.held.map((one) => scene.svm.read(one)?.data.readBigUInt64LE(64) ?? 0n);
  const before = read();
  const instructions = [buildSwap(scene, order)];
  const run = scene.svm.execute(signTransaction({ payer: USER, instructions }, HASH));
  if (run.err !== null) return null;
  const [first = 0n, second = 0n] = read().map((amount, side) => amount - (before[side] ?? 0n));
  return order.isZeroIn
    ? { amountIn: -first, amountOut: second }
    : { amountIn: -second, amountOut: first };
}

/** Fees of all sizes, with and without a maximum that is reached. */
const FEES: readonly TransferFee[] = [
  { bps: 1, maxRaw: NO_LIMIT },
  { bps: 200, maxRaw: NO_LIMIT },
  { bps: 250, maxRaw: 40_000n },
  { bps: 9_000, maxRaw: 5_000_000n },
  { bps: 10_000, maxRaw: 70_000n },
];

function compareSwaps(program: Uint8Array): void {
  const random = createRandom(22);
  let executed = 0;
  for (const fee of FEES) {
    const scene = openScene(program, fee);
    for (let count = 0; count < SWAPS / FEES.length; count += 1) {
      const order: Order = {
        isZeroIn: random() < 0.5,
        fixed: random() < 0.5 ? 'input' : 'output',
        amount: BigInt(Math.ceil(10 ** (1 + random() * 9))),
      };
      const pool = openPool(scene, fee);
      const swap =
        order.fixed === 'input'
          ? pool.swapIn(order.isZeroIn, order.amount)
          : pool.swapOut(order.isZeroIn, order.amount);
      const { amountIn, amountOut, isFilled } = swap;
      const label = `${JSON.stringify(fee, (_, value) => String(value))} ${order.fixed} ${order.amount}`;
      const done = execute(scene, order);
      assert.deepEqual(done, isFilled ? { amountIn, amountOut } : null, label);
      if (isFilled) executed += 1;
    }
  }
  assert.ok(executed > SWAPS / 2, `${executed} swaps`);
}

test('the stand-in takes and pays what is computed with the fee of transfers', (t) => {
  if (skipWithoutSolana !== false) return t.skip(skipWithoutSolana);
  compareSwaps(readProgram('cpmm'));
});

test("the venue's own program takes and pays what is computed with the fee of transfers", (t) => {
  const what = 'fees of transfers were not compared with';
  const real = findRealProgram(t, 'raydium_cpmm.so', what);
  if (real !== null) compareSwaps(real);
});
