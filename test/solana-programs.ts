// A virtual machine with the stand-in programs or the venues' own, a recorded CPMM pool, curves,
// and a user who has enough of everything.

import { readProgram } from '../devnet/solana/build-programs.ts';
import { buildGenesisAccounts } from '../devnet/solana/genesis.ts';
import {
  CPMM,
  CPMM_AUTHORITY,
  discriminate,
  findTokenAccount,
  keyBytes,
  LAUNCHLAB,
  PUMP,
  u64,
} from '../devnet/solana/instructions.ts';
import {
  type CurveCoin,
  describeCurve,
  findCreatorVault,
} from '../devnet/solana/pump-instructions.ts';
import { describeGenesis } from '../devnet/solana/scene.ts';
import { type ChainAccount, type Execution, type SimulatedRun, Svm } from '../devnet/solana/svm.ts';
import { TOKEN_2022, TOKEN_PROGRAM } from '../devnet/solana/token-balance.ts';
import {
  createSigningKey,
  type Instruction,
  signTransaction,
  use,
} from '../devnet/solana/wire-transaction.ts';
import { encodeBase58Data } from '../src/chains/solana/data/base58-data.ts';
import { readSolanaFixture } from './solana-fixtures.ts';

export const USER = createSigningKey('a user of the programs');
export const RICH = 10n ** 16n;
const HASH = encodeBase58Data(Buffer.alloc(32, 1));
const TIME = { slot: 10, seconds: 1_780_000_000 };
const CREATOR = createSigningKey('a creator').address;
const MINT = createSigningKey('a coin').address;

export interface ProgramBytes {
  readonly cpmm?: Uint8Array;
  readonly pump?: Uint8Array;
}

/** The stand-ins, unless other programs are given. */
export function createProgramSvm(programs: ProgramBytes = {}): Svm {
  const svm = new Svm();
  svm.addProgram(CPMM, programs.cpmm ?? readProgram('cpmm'));
  svm.addProgram(PUMP, programs.pump ?? readProgram('pump'));
  svm.addProgram(LAUNCHLAB, readProgram('launchlab'));
  for (const [address, account] of buildGenesisAccounts(svm, describeGenesis('test'))) {
    svm.write(address, account);
  }
  svm.setTime(TIME, { slot: 9, hash: HASH });
  setAccount(svm, USER.address, { lamports: RICH });
  return svm;
}

export function setAccount(svm: Svm, address: string, account: Partial<ChainAccount>): void {
  const rest = { owner: '1'.repeat(32), data: Buffer.alloc(0), isExecutable: false };
  svm.write(address, { ...rest, lamports: RICH, ...account });
}

/** A token account by hand. */
export function setTokens(
  svm: Svm,
  account: { address: string; mint: string; owner: string; amount: bigint; program: string },
): void {
  const data = Buffer.alloc(165);
  data.set(keyBytes(account.mint), 0);
  data.set(keyBytes(account.owner), 32);
  data.set(u64(account.amount), 64);
  data.writeUInt8(1, 108);
  const isSol = account.mint.startsWith('So1111');
  const rent = svm.findRent(165);
  if (isSol) {
    data.writeUInt32LE(1, 109);
    data.set(u64(rent), 113);
  }
  const lamports = rent + (isSol ? account.amount : 0n);
  setAccount(svm, account.address, { lamports, owner: account.program, data });
}

export function simulateAlone(svm: Svm, ...instructions: readonly Instruction[]): SimulatedRun {
  const bytes = signTransaction({ payer: USER, instructions }, HASH);
  return svm.simulate(bytes, true);
}

export function executeAlone(svm: Svm, instruction: Instruction): Execution {
  return svm.execute(signTransaction({ payer: USER, instructions: [instruction] }, HASH));
}

export function amountOf(simulation: SimulatedRun, account: string): bigint {
  return simulation.accounts.get(account)?.data.readBigUInt64LE(64) ?? 0n;
}

export interface CpmmOrder {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly mode: 'exactIn' | 'exactOut';
  readonly amount: string;
}

type Dump = Record<string, { pubkey: string; lamports: string; owner: string; data: string }>;

/** The pool's addresses by name. The user has both of its tokens. */
export function setRecordedPool(svm: Svm): Record<string, string> {
  const dump = readSolanaFixture('pools/raydium-cpmm-sol-usdc/accounts.json') as Dump;
  for (const { pubkey, lamports, owner, data } of Object.values(dump)) {
    const bytes = Buffer.from(data, 'base64');
    setAccount(svm, pubkey, { lamports: BigInt(lamports), owner, data: bytes });
  }
  const keys = Object.fromEntries(Object.entries(dump).map(([name, one]) => [name, one.pubkey]));
  for (const mint of [keys['mint0'] ?? '', keys['mint1'] ?? '']) {
    const address = findTokenAccount(USER.address, { mint, program: TOKEN_PROGRAM });
    const holder = { address, mint, owner: USER.address, amount: RICH };
    setTokens(svm, { ...holder, program: TOKEN_PROGRAM });
  }
  return keys;
}

/** `limit`: the least output or the most input; none by default. */
export function buildCpmmSwapCall(
  keys: Record<string, string>,
  one: CpmmOrder,
  limit?: bigint,
): Instruction {
  const isZeroIn = one.inputMint === keys['mint0'];
  const vaults = [keys['vault0'] ?? '', keys['vault1'] ?? ''];
  const mints = [one.inputMint, one.outputMint];
  const isIn = one.mode === 'exactIn';
  const amount = BigInt(one.amount);
  const amounts = isIn ? [amount, limit ?? 0n] : [limit ?? RICH - 1n, amount];
  const name = isIn ? 'swap_base_input' : 'swap_base_output';
  return {
    program: CPMM,
    accounts: [
      ...[use.payer(USER.address), use.readonly(CPMM_AUTHORITY)],
      ...[use.readonly(keys['ammConfig'] ?? ''), use.writable(keys['pool'] ?? '')],
      ...mints.map((mint) =>
        use.writable(findTokenAccount(USER.address, { mint, program: TOKEN_PROGRAM })),
      ),
      ...(isZeroIn ? vaults : vaults.reverse()).map(use.writable),
      ...[TOKEN_PROGRAM, TOKEN_PROGRAM, ...mints].map(use.readonly),
      use.writable(keys['observation'] ?? ''),
    ],
    data: Buffer.concat([discriminate('global', name), ...amounts.map(u64)]),
  };
}

export type CurveFields = Readonly<Record<string, string>>;

const RESERVE_NAMES = [
  ...['virtualTokenReserves', 'virtualQuoteReserves', 'realTokenReserves', 'realQuoteReserves'],
];

/** `program`: of the coin; curves of before Token-2022 are shorter, and have no creator. */
export function setCurve(svm: Svm, fields: CurveFields, program = TOKEN_2022): CurveCoin {
  const coin = { ...describeCurve(MINT, CREATOR), program };
  const isOld = program === TOKEN_PROGRAM;
  const data = Buffer.alloc(isOld ? 49 : 123);
  data.write('17b7f83760d8ac60', 'hex');
  for (const [index, name] of RESERVE_NAMES.entries()) {
    data.set(u64(BigInt(fields[name] ?? '0')), 8 + 8 * index);
  }
  data.set(u64(10n ** 15n), 40);
  if (!isOld) data.set(keyBytes(CREATOR), 49);
  setAccount(svm, coin.curve, { owner: PUMP, data });
  setAccount(svm, findCreatorVault(CREATOR), {});
  const mint = Buffer.alloc(82);
  mint.set(u64(10n ** 15n), 36);
  mint.set([6, 1], 44);
  setAccount(svm, MINT, { owner: program, data: mint });
  for (const owner of [coin.curve, USER.address]) {
    const address = findTokenAccount(owner, coin);
    setTokens(svm, { address, mint: MINT, owner, amount: 10n ** 15n, program });
  }
  return coin;
}

/** The lamports that the curve itself gained. */
export function findCurveGain(svm: Svm, simulation: SimulatedRun, curve: string): bigint {
  const after = simulation.accounts.get(curve)?.lamports ?? 0n;
  return after - (svm.read(curve)?.lamports ?? 0n);
}
