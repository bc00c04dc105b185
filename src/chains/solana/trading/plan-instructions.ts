// A trade's swaps as instructions in order, with token accounts opened and SOL wrapped where
// needed.
//
// No program of ours holds the assets in between, so each swap spends a fixed amount: by the quote
// a little less than the swaps before it pay (`routing/keep-reserve.ts`). A swap in the middle must
// pay at least what is spent of it; the last ones must pay the trade's minimum. If the trade's
// output is given, each swap is told what to pay, and only the first ones may take more than by the
// quote. After a swap that may pay less and succeed, the transaction checks the wallet's balance.

import { AMOUNT_U64_MAX } from '../../../amm/amount-u64.ts';
import { AppError } from '../../../errors/app-error.ts';
import type { Address } from '../../../model/ids.ts';
import type { ExecutableTrade, TradeSwap } from '../../chain-transactions.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import type { ProgramInstruction } from '../data/program-instruction.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, toSolanaAddress, WRAPPED_SOL } from '../data/solana-ids.ts';
import {
  assertHeld,
  findHeldAccount,
  findTemporaryAccount,
  openHeldAccount,
  openTemporaryAccount,
  type TemporaryAccount,
  transferHeld,
  transferSol,
  unwrapAll,
  wrapLamports,
} from '../data/token-instructions.ts';
import type { SolanaAccount } from '../rpc/read-accounts.ts';
import { SWAP_ENCODERS } from '../venues/solana-venues.ts';
import type { VenueSwapEncoder } from '../venues/swap-order.ts';

interface InstructionContext {
  readonly user: Address;
  readonly trade: ExecutableTrade;
  /** The accounts of the pools and mints, and those that encoders need. */
  readonly accounts: ReadonlyMap<Address, SolanaAccount>;
  /** Whether the wallet has an account of wrapped SOL of its own, which is not to be closed. */
  readonly hasWrapped: boolean;
  /** What the wallet holds, by mint. */
  readonly held: ReadonlyMap<Address, bigint>;
  /** Used in place of the wallet's own account of wrapped SOL, which is not closed then. */
  readonly temporary: TemporaryAccount | null;
}

export interface InstructionPlan {
  readonly instructions: readonly ProgramInstruction[];
  /** The app's fee, in the token that is received or in SOL once that is unwrapped. */
  readonly fee: ProgramInstruction | null;
  /** Closes the account of wrapped SOL at the end; null if that is not needed. */
  readonly unwrap: ProgramInstruction | null;
  /** The account that SOL is wrapped in. */
  readonly wrappedAccount: Address;
  /** Whether that is closed, at the end or on the way. */
  readonly closesWrapped: boolean;
  /** Tokens whose accounts the wallet may have to open, to keep them or only for the trade. */
  readonly opened: readonly Address[];
}

/** A swap with what it spends and must pay. */
interface PlannedSwap {
  readonly swap: TradeSwap;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly isFromWallet: boolean;
}

const MINT_DECIMALS_OFFSET = 44;

function refuse(reason: string): never {
  throw new AppError('SIMULATION_REVERTED', { step: 'swap', reason });
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** By asset: what swaps pay, and what others spend of it. */
function sumBetween({ swapPaths }: ExecutableTrade): Map<Address, { paid: bigint; spent: bigint }> {
  const sums = new Map<Address, { paid: bigint; spent: bigint }>();
  const sumOf = (token: Address) => {
    const asset = toAsset(token);
    const sum = sums.get(asset) ?? { paid: 0n, spent: 0n };
    sums.set(asset, sum);
    return sum;
  };
  for (const { tokenIn, tokenOut, amountInRaw, amountOutRaw } of swapPaths.flatMap(
    ({ hops }) => hops,
  )) {
    sumOf(tokenIn).spent += amountInRaw ?? 0n;
    sumOf(tokenOut).paid += amountOutRaw ?? 0n;
  }
  return sums;
}

/** The parts add up to at least the trade's minimum, or what is spent of a token in between. */
function limitOutput(trade: ExecutableTrade, swap: TradeSwap, hopOut: bigint): bigint {
  if (trade.fixed === 'output') return swap.askedOutRaw ?? hopOut;
  const asset = toAsset(swap.tokenOut);
  if (asset === toAsset(trade.tokenOut)) {
    // The fee is the same whatever the pools pay.
    const feeRaw = trade.fee?.amountRaw ?? 0n;
    return divideUp(hopOut * (trade.minAmountOutRaw + feeRaw), trade.amountOutRaw + feeRaw);
  }
  const { paid, spent } = sumBetween(trade).get(asset) ?? { paid: 1n, spent: 1n };
  return divideUp(hopOut * spent, paid);
}

/** The parts of the maximum add up to at most the maximum. */
function planSwaps({ trade }: InstructionContext): PlannedSwap[] {
  return trade.swapPaths.flatMap(({ hops, takes, amountInRaw }) =>
    hops.map((swap, index) => {
      const { amountInRaw: hopIn, amountOutRaw: hopOut } = swap;
      if (hopIn === undefined || hopOut === undefined) throw new Error('a swap has no amounts');
      const amountOut = limitOutput(trade, swap, hopOut);
      const isFromWallet = takes === 'input' && index === 0;
      const first =
        isFromWallet && trade.fixed === 'output'
          ? (amountInRaw * trade.maxAmountInRaw) / trade.amountInRaw
          : amountInRaw;
      const amountIn = index === 0 ? first : hopIn;
      if (amountIn > AMOUNT_U64_MAX || amountOut > AMOUNT_U64_MAX) {
        refuse('an amount is above 2^64 - 1');
      }
      return { swap, amountOut, amountIn, isFromWallet };
    }),
  );
}

/** SOL and wrapped SOL are one asset in pools. */
function toAsset(token: Address): Address {
  return token === SYSTEM_PROGRAM ? WRAPPED_SOL : token;
}

class InstructionPlanner {
  readonly #context: InstructionContext;
  readonly #instructions: ProgramInstruction[] = [];
  readonly #opened = new Set<Address>();
  /** By mint: at least what the wallet holds after the swaps so far, if all pay what is asked. */
  readonly #held: Map<Address, bigint>;
  readonly #wrapped: { readonly owner: Address; readonly account: Address };
  #isWrappedOpen = false;
  /** Whether wrapped SOL became SOL on the way. */
  #isUnwrapped = false;
  /** Whether SOL that a swap paid is lamports. */
  #isSolLoose: boolean;

  constructor(context: InstructionContext) {
    this.#context = context;
    this.#held = new Map(context.held);
    this.#isSolLoose = context.trade.tokenIn === SYSTEM_PROGRAM;
    const { user: owner, temporary } = context;
    const own = { owner, mint: WRAPPED_SOL, tokenProgram: TOKEN_PROGRAM };
    const account = temporary === null ? findHeldAccount(own) : findTemporaryAccount(temporary);
    this.#wrapped = { owner, account };
  }

  /** Whether SOL is wrapped in an account that was there before. */
  get #keepsWrapped(): boolean {
    return this.#context.hasWrapped && this.#context.temporary === null;
  }

  plan(): InstructionPlan {
    const { trade } = this.#context;
    const keepsWrapped = this.#keepsWrapped;
    for (const planned of planSwaps(this.#context)) this.#add(planned);
    const isNativeOut = trade.tokenOut === SYSTEM_PROGRAM;
    if (trade.tokenOut === WRAPPED_SOL && this.#isSolLoose) {
      refuse('the last pool pays SOL, not wrapped SOL; name SOL as the quote asset');
    }
    // What was wrapped for a swap is spent by it, so that an account of the wallet stays open. If
    // the output is given, some of it may be left.
    const mayRemain = trade.fixed === 'output' && trade.tokenIn === SYSTEM_PROGRAM;
    const isLeft = this.#isWrappedOpen && (isNativeOut || !keepsWrapped || mayRemain);
    const isOwn = trade.tokenOut === WRAPPED_SOL || trade.tokenIn === WRAPPED_SOL;
    const unwrap = isLeft && !isOwn ? unwrapAll(this.#wrapped) : null;
    return {
      ...{ instructions: this.#instructions, unwrap, fee: this.#planFee() },
      closesWrapped: unwrap !== null || this.#isUnwrapped,
      wrappedAccount: this.#wrapped.account,
      opened: [...this.#opened],
    };
  }

  #planFee(): ProgramInstruction | null {
    const { trade, user, accounts } = this.#context;
    const { fee = null, tokenOut: mint } = trade;
    if (fee === null || fee.amountRaw === 0n) return null;
    if (mint === SYSTEM_PROGRAM) return transferSol(user, fee.recipient, fee.amountRaw);
    const account = accounts.get(mint) ?? refuse(`the mint ${mint} is gone`);
    const held = { owner: user, mint, tokenProgram: account.owner };
    const decimals = new AccountBytes(account.data).u8(MINT_DECIMALS_OFFSET);
    return transferHeld(held, fee.recipient, { amountRaw: fee.amountRaw, decimals });
  }

  #add({ swap, amountIn, amountOut, isFromWallet }: PlannedSwap): void {
    const { user, accounts, trade } = this.#context;
    const { venue } = swap.pool;
    const encoder = SWAP_ENCODERS.get(venue) ?? refuse(`swaps of ${venue} are not built`);
    const pool = toSolanaAddress(swap.pool.pool);
    const account = accounts.get(pool) ?? refuse(`the pool ${pool} is gone`);
    const [mintIn, mintOut] = [toAsset(swap.tokenIn), toAsset(swap.tokenOut)];
    if (mintIn === WRAPPED_SOL) {
      const isLoose = isFromWallet ? trade.tokenIn === SYSTEM_PROGRAM : this.#isSolLoose;
      this.#takeSol(encoder, amountIn, isLoose);
    }
    this.#receive(encoder, mintOut);
    const programIn = this.#findTokenProgram(mintIn);
    const programOut = this.#findTokenProgram(mintOut);
    const heldBy = (mint: Address, tokenProgram: Address) =>
      mint === WRAPPED_SOL
        ? this.#wrapped.account
        : findHeldAccount({ owner: user, mint, tokenProgram });
    try {
      this.#instructions.push(
        encoder.encode({
          ...{ program: account.owner, pool, data: new AccountBytes(account.data), user },
          ...{ mintIn, mintOut, tokenProgramIn: programIn, tokenProgramOut: programOut },
          accountIn: heldBy(mintIn, programIn),
          accountOut: heldBy(mintOut, programOut),
          ...{ fixed: trade.fixed, amountIn, amountOut },
          open: (address) => {
            const found = accounts.get(address);
            return found === undefined ? null : new AccountBytes(found.data);
          },
        }),
      );
    } catch (error) {
      if (error instanceof RangeError) refuse(`the pool ${pool} is not as expected`);
      throw error;
    }
    this.#changeHeld(mintIn, -amountIn);
    this.#changeHeld(mintOut, amountOut);
    const isUnsure = encoder.mayPayLess === true && mintOut !== WRAPPED_SOL;
    if (trade.fixed === 'output' && isUnsure) this.#assertHeld(mintOut);
  }

  #changeHeld(mint: Address, by: bigint): void {
    this.#held.set(mint, (this.#held.get(mint) ?? 0n) + by);
  }

  #assertHeld(mint: Address): void {
    const { user, accounts } = this.#context;
    const account = accounts.get(mint) ?? refuse(`the mint ${mint} is gone`);
    const held = { owner: user, mint, tokenProgram: account.owner };
    const decimals = new AccountBytes(account.data).u8(MINT_DECIMALS_OFFSET);
    this.#instructions.push(assertHeld(held, this.#held.get(mint) ?? 0n, decimals));
  }

  /** Some pools take lamports, others wrapped SOL. */
  #takeSol(encoder: VenueSwapEncoder, amount: bigint, isLoose: boolean): void {
    const { trade } = this.#context;
    if (encoder.usesLamports === true) {
      if (isLoose) return;
      // Only the whole account can be unwrapped, with all that the wallet keeps there.
      if (this.#keepsWrapped || trade.tokenIn === WRAPPED_SOL) {
        refuse('a pool takes SOL, not wrapped SOL; name SOL as the quote asset');
      }
      this.#instructions.push(unwrapAll(this.#wrapped));
      this.#isUnwrapped = true;
      this.#isWrappedOpen = false;
    } else if (isLoose) {
      this.#openWrapped();
      this.#instructions.push(...wrapLamports(this.#wrapped, amount));
    }
  }

  #receive(encoder: VenueSwapEncoder, mint: Address): void {
    if (mint !== WRAPPED_SOL) {
      if (this.#opened.has(mint)) return;
      this.#opened.add(mint);
      const tokenProgram = this.#findTokenProgram(mint);
      this.#instructions.push(openHeldAccount({ owner: this.#context.user, mint, tokenProgram }));
      return;
    }
    this.#isSolLoose = encoder.usesLamports === true;
    if (!this.#isSolLoose) this.#openWrapped();
  }

  #openWrapped(): void {
    if (this.#isWrappedOpen) return;
    this.#isWrappedOpen = true;
    this.#opened.add(WRAPPED_SOL);
    const { temporary } = this.#context;
    if (temporary !== null) {
      this.#instructions.push(...openTemporaryAccount(temporary));
      return;
    }
    const held = { owner: this.#context.user, mint: WRAPPED_SOL, tokenProgram: TOKEN_PROGRAM };
    this.#instructions.push(openHeldAccount(held));
  }

  #findTokenProgram(mint: Address): Address {
    if (mint === WRAPPED_SOL) return TOKEN_PROGRAM;
    const account = this.#context.accounts.get(mint);
    return account?.owner ?? refuse(`the mint ${mint} is gone`);
  }
}

export function planInstructions(context: InstructionContext): InstructionPlan {
  return new InstructionPlanner(context).plan();
}

/** The accounts that must be read before swaps can be planned; the pools' own come first. */
export function listPlanAccounts(trade: Pick<ExecutableTrade, 'swapPaths'>): Address[] {
  const swaps = trade.swapPaths.flatMap(({ hops }) => hops);
  const pools = swaps.map(({ pool }) => toSolanaAddress(pool.pool));
  const mints = swaps.flatMap(({ tokenIn, tokenOut }) => [toAsset(tokenIn), toAsset(tokenOut)]);
  return [...new Set([...pools, ...mints])];
}

/** Settings of programs that encoders need, by the pools' accounts. */
export function listSettings(
  trade: Pick<ExecutableTrade, 'swapPaths'>,
  accounts: ReadonlyMap<Address, SolanaAccount>,
): Address[] {
  const found = trade.swapPaths.flatMap(({ hops }) =>
    hops.flatMap(({ pool: { pool, venue } }) => {
      const program = accounts.get(toSolanaAddress(pool))?.owner;
      return program === undefined ? [] : (SWAP_ENCODERS.get(venue)?.listAccounts?.(program) ?? []);
    }),
  );
  return [...new Set(found)];
}
