// Trades on Solana: one unsigned transaction, simulated on the newest state of a node.

import { AppError } from '../../../errors/app-error.ts';
import { maxOf } from '../../../lib/bigint-bounds.ts';
import type { Address } from '../../../model/ids.ts';
import {
  type BuildRequest,
  type BuiltTransactions,
  type ChainTransactions,
  type ExecutableTrade,
  OutOfRoomError,
  type TokenPowers,
  type TradingWallet,
} from '../../chain-transactions.ts';
import { pickTip } from '../../priority.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { explainFailure } from '../blocks/explain-failure.ts';
import { readSignatureFate } from '../blocks/read-signature-fate.ts';
import { readSlotHeader } from '../blocks/read-slot-header.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { payTip, pickTipAccount } from '../data/jito-tip.ts';
import type { ProgramInstruction } from '../data/program-instruction.ts';
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_PROGRAMS,
  WRAPPED_SOL,
} from '../data/solana-ids.ts';
import { findHeldAccount, setBudget, TOKEN_ACCOUNT_BYTES } from '../data/token-instructions.ts';
import { readAccounts, type SolanaAccount, type SolanaAccounts } from '../rpc/read-accounts.ts';
import { parseSlot } from '../rpc/solana-dialect.ts';
import { CONFIRMED, refuseReply, type SolanaNode } from '../rpc/solana-node.ts';
import { readPowers } from '../tokens/mint-authorities.ts';
import { countAccountBytes } from '../tokens/mint-extensions.ts';
import { SWAP_ENCODERS } from '../venues/solana-venues.ts';
import { encodeTransaction, TRANSACTION_BYTES_MAX } from './encode-transaction.ts';
import { readLockedAccounts } from './locked-accounts.ts';
import type { LookupTable, LookupTables } from './lookup-tables.ts';
import {
  type InstructionPlan,
  listPlanAccounts,
  listSettings,
  planInstructions,
} from './plan-instructions.ts';
import { countMovedUnits } from './solana-costs.ts';
import {
  computePriorityLamports,
  computeRent,
  readPaidTips,
  readRent,
  readUnitPrices,
  SIGNATURE_LAMPORTS,
} from './solana-fees.ts';

// A wallet's token accounts, as a node has them.

const AMOUNT_OFFSET = 64;

/** Anyone can send lamports to the address of an account that is not open. */
function isTokenAccount(account: SolanaAccount | undefined): account is SolanaAccount {
  if (account === undefined || !TOKEN_PROGRAMS.has(account.owner)) return false;
  return account.data.length >= TOKEN_ACCOUNT_BYTES;
}

function readAmount(account: SolanaAccount | undefined): bigint {
  return isTokenAccount(account) ? new AccountBytes(account.data).u64(AMOUNT_OFFSET) : 0n;
}

/** The wallet's accounts of some tokens, by mint. */
function listHeld(user: Address, mints: readonly Address[], accounts: SolanaAccounts) {
  return new Map(
    mints.map((mint) => {
      const tokenProgram = accounts.get(mint)?.owner ?? TOKEN_PROGRAM;
      return [mint, findHeldAccount({ owner: user, mint, tokenProgram })] as const;
    }),
  );
}

// Runs an unsigned transaction on a node's newest state. Nothing is sent.

interface SimulationQuery {
  readonly transaction: Uint8Array;
  /** The accounts whose balances are wanted afterwards. */
  readonly watched: readonly Address[];
  readonly minSlot: number;
}

interface SimulatedTransaction {
  readonly slot: number;
  readonly unitsUsed: number;
  /** Without those that do not exist afterwards. */
  readonly watched: ReadonlyMap<Address, WatchedAccount>;
}

interface WatchedAccount {
  readonly lamports: bigint;
  readonly data: AccountBytes;
}

/** Undefined if it is malformed. */
function parseWatched(value: unknown): WatchedAccount | null | undefined {
  if (value === null) return null;
  const { data, lamports } = (value ?? {}) as { data?: unknown; lamports?: unknown };
  const text: unknown = Array.isArray(data) ? data[0] : undefined;
  if (typeof text !== 'string' || !Number.isInteger(lamports)) return undefined;
  const bytes = new AccountBytes(Buffer.from(text, 'base64'));
  return { lamports: BigInt(lamports as number), data: bytes };
}

/** Throws `SIMULATION_REVERTED` if the transaction would fail. */
async function simulateTransaction(
  node: SolanaNode,
  { transaction, watched, minSlot }: SimulationQuery,
  signal?: AbortSignal,
): Promise<SimulatedTransaction> {
  const config = {
    ...CONFIRMED,
    ...{ encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true },
    ...{ minContextSlot: minSlot, accounts: { encoding: 'base64', addresses: [...watched] } },
  };
  const params = [Buffer.from(transaction).toString('base64'), config];
  const reply = (await node.request({ method: 'simulateTransaction', params }, signal)) as {
    readonly context?: { readonly slot?: unknown };
    readonly value?: Readonly<Record<string, unknown>> | null;
  } | null;
  const slot = parseSlot(reply?.context?.slot);
  const { err, logs, unitsConsumed, accounts } = reply?.value ?? {};
  if (slot === null || err === undefined) return refuseReply(node, 'a simulation is malformed');
  if (err !== null) {
    const reason = explainFailure(err, Array.isArray(logs) ? logs : []);
    throw new AppError('SIMULATION_REVERTED', { step: 'swap', reason });
  }
  const found = new Map<Address, WatchedAccount>();
  for (const [index, address] of watched.entries()) {
    const account = parseWatched(Array.isArray(accounts) ? accounts[index] : undefined);
    if (account === undefined) return refuseReply(node, 'a simulation is malformed');
    if (account !== null) found.set(address, account);
  }
  if (!Number.isInteger(unitsConsumed)) return refuseReply(node, 'a simulation is malformed');
  return { slot, unitsUsed: unitsConsumed as number, watched: found };
}

// A build before it is encoded, and what its simulation changed of the wallet's balances.

interface PreparedBuild {
  readonly plan: InstructionPlan;
  /** The wallet, its token accounts, the mints. */
  readonly accounts: SolanaAccounts;
  readonly held: ReadonlyMap<Address, Address>;
}

/** What a simulation changed of a wallet's balances. */
class SimulatedChange {
  readonly #prepared: PreparedBuild;
  readonly #watched: readonly Address[];
  readonly #after: SimulatedTransaction['watched'];
  /** What the wallet paid beside the trade. */
  readonly #feesRaw: bigint;

  constructor(
    prepared: PreparedBuild,
    watched: readonly Address[],
    after: { readonly found: SimulatedTransaction['watched']; readonly feesRaw: bigint },
  ) {
    this.#prepared = prepared;
    this.#watched = watched;
    this.#after = after.found;
    this.#feesRaw = after.feesRaw;
  }

  find(token: Address): bigint {
    if (token === SYSTEM_PROGRAM) return this.#findLamports();
    const { held, accounts } = this.#prepared;
    const account = held.get(token) ?? token;
    const after = this.#after.get(account)?.data.u64(AMOUNT_OFFSET) ?? 0n;
    return after - readAmount(accounts.get(account));
  }

  /** If all of its accounts are watched, rent and what is wrapped stay there. Without the fee. */
  #findLamports(): bigint {
    const { accounts } = this.#prepared;
    const changes = this.#watched.map(
      (one) => (this.#after.get(one)?.lamports ?? 0n) - (accounts.get(one)?.lamports ?? 0n),
    );
    return changes.reduce((sum, one) => sum + one, this.#feesRaw);
  }
}

const STATE_OFFSET = 108;
const STATE_FROZEN = 2;
/** While simulating: the most that a transaction may use. */
const UNITS_MAX = 1_400_000;
/** Accounts may have changed until the transaction is executed. */
const UNITS_MARGIN_PCT = 110;
/** What unwrapping uses, which is not simulated. */
const UNWRAP_UNITS = 6_000;
const SEED_LENGTH = 16;

interface LatestHash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

async function readLatestHash(endpoint: RpcEndpoint): Promise<LatestHash> {
  const reply = (await endpoint.request({ method: 'getLatestBlockhash', params: [CONFIRMED] })) as {
    readonly value?: Partial<LatestHash> | null;
  } | null;
  const { blockhash, lastValidBlockHeight } = reply?.value ?? {};
  if (typeof blockhash !== 'string' || !Number.isSafeInteger(lastValidBlockHeight)) {
    return refuseReply(endpoint, 'the newest block hash is malformed');
  }
  return { blockhash, lastValidBlockHeight: lastValidBlockHeight as number };
}

interface SolanaBuildParts {
  readonly request: BuildRequest;
  readonly lookups: LookupTables;
}

/** One transaction of a wallet. */
class SolanaBuild {
  readonly #endpoint: RpcEndpoint;
  readonly #user: Address;
  readonly #request: BuildRequest;
  readonly #lookups: LookupTables;
  #tables: readonly LookupTable[] = [];

  constructor(endpoint: RpcEndpoint, user: Address, of: SolanaBuildParts) {
    this.#endpoint = endpoint;
    this.#user = user;
    this.#request = of.request;
    this.#lookups = of.lookups;
  }

  get #tipRaw(): bigint {
    return this.#request.tipRaw ?? 0n;
  }

  async build(): Promise<BuiltTransactions> {
    const { trade, priority } = this.#request;
    const longestRent = await readRent(this.#endpoint);
    const hash = await readLatestHash(this.#endpoint);
    this.#tables = await this.#lookups.read(this.#endpoint);
    const prepared = this.#plan(await this.#read(), longestRent, hash);
    const rent = this.#sumRent(prepared, longestRent);
    const rentRaw = rent.kept + rent.returned;
    const simulation = this.#canPay(prepared, rentRaw)
      ? await this.#simulate(prepared, hash)
      : null;
    if (simulation === null) refuseUnproven(trade);
    const units = simulation?.unitsUsed ?? trade.costUnits;
    const limit = limitUnits(trade, Number(units));
    const { writable } = this.#encode(prepared, hash, { limit, price: 0n });
    // Everybody who tips locks that account, whatever the swap is about.
    const tipAccount = this.#tipRaw > 0n ? pickTipAccount(hash.blockhash) : null;
    const locked = writable.filter((one) => one !== tipAccount);
    const price = pickTip(await readUnitPrices(this.#endpoint, locked), priority);
    const { bytes, signers } = this.#encode(prepared, hash, { limit, price });
    if (bytes.length > TRANSACTION_BYTES_MAX) throw new OutOfRoomError('bytes');
    const priorityRaw = computePriorityLamports(BigInt(limit), price);
    return {
      transactions: [
        {
          purpose: describePurpose(prepared, this.#tipRaw),
          unsigned: {
            ...{ kind: 'swap', type: 'solana-v0', from: this.#user },
            transaction: bytes.toString('base64'),
            recentBlockhash: hash.blockhash,
            lastValidBlockHeight: hash.lastValidBlockHeight,
            computeUnitLimit: limit,
            computeUnitPriceMicroLamports: price.toString(),
            requiredSigners: [...signers],
          },
        },
      ],
      deadlineSeconds: null,
      feesRaw: SIGNATURE_LAMPORTS + priorityRaw + rentRaw + this.#tipRaw,
      cost: {
        ...{ units: BigInt(limit), unitPrice: price, baseRaw: SIGNATURE_LAMPORTS },
        ...{ priorityRaw, rentRaw: rent.kept, rentReturnedRaw: rent.returned },
        ...(this.#tipRaw > 0n ? { tipRaw: this.#tipRaw } : {}),
      },
      powers: this.#findPowers(prepared),
      simulation,
      ...{ allowance: null, permit: null, walletCalls: null },
    };
  }

  /** Reads what the swaps need. */
  async #read(): Promise<Omit<PreparedBuild, 'plan'>> {
    const { trade, block } = this.#request;
    const addresses = listPlanAccounts(trade);
    const first = await readAccounts(this.#endpoint, { addresses, minSlot: block.position });
    const mints = [...listMints(trade)];
    const held = listHeld(this.#user, mints, first.accounts);
    const paid = findFeeAccount(trade, first.accounts);
    const settings = listSettings(trade, first.accounts);
    const more = [this.#user, ...held.values(), ...settings, ...(paid === null ? [] : [paid])];
    const second = await readAccounts(this.#endpoint, { addresses: more, minSlot: first.slot });
    const accounts = new Map([...first.accounts, ...second.accounts]);
    this.#refuseFrozen(held, accounts);
    if (paid !== null) this.#refuseFee(paid, accounts.get(paid));
    return { accounts, held };
  }

  /**
   * A wallet's own account of wrapped SOL is not closed: a temporary one is, if SOL is to be
   * unwrapped. If there is no room for it, all of the wallet's wrapped SOL becomes SOL.
   */
  #plan(read: Omit<PreparedBuild, 'plan'>, longestRent: bigint, hash: LatestHash): PreparedBuild {
    const { trade, block } = this.#request;
    const { accounts, held } = read;
    const wrapped = held.get(WRAPPED_SOL);
    const hasWrapped = wrapped !== undefined && isTokenAccount(accounts.get(wrapped));
    const amounts = [...held].map(
      ([mint, account]) => [mint, readAmount(accounts.get(account))] as const,
    );
    const context = {
      ...{ user: this.#user, trade, accounts, hasWrapped, held: new Map(amounts) },
    };
    const isOwn = trade.tokenIn === WRAPPED_SOL || trade.tokenOut === WRAPPED_SOL;
    const plain = () => ({ ...read, plan: planInstructions({ ...context, temporary: null }) });
    if (!hasWrapped || isOwn || !mayUnwrap(trade)) return plain();
    // Nobody can know the seed before, and send lamports there so that it cannot be opened.
    const seed = (block.hash ?? hash.blockhash).slice(0, SEED_LENGTH);
    const rentRaw = computeRent(longestRent, TOKEN_ACCOUNT_BYTES);
    const temporary = { owner: this.#user, seed, rentRaw };
    const plan = planInstructions({ ...context, temporary });
    const places = new Map([...held, [WRAPPED_SOL, plan.wrappedAccount] as const]);
    const prepared = { accounts, held: places, plan };
    const { bytes } = this.#encode(prepared, hash, { limit: UNITS_MAX, price: 0n });
    const isTooLong = bytes.length > TRANSACTION_BYTES_MAX;
    return isTooLong && !usesLamports(trade) ? plain() : prepared;
  }

  #findPowers({ accounts }: PreparedBuild): ReadonlyMap<Address, TokenPowers> {
    const { tokenIn, tokenOut } = this.#request.trade;
    const found = [tokenIn, tokenOut].flatMap((token) => {
      const mint = token === SYSTEM_PROGRAM ? undefined : accounts.get(token);
      return mint === undefined ? [] : [[token, readPowers(mint.data)] as const];
    });
    return new Map(found);
  }

  #refuseFrozen(held: ReadonlyMap<Address, Address>, accounts: SolanaAccounts): void {
    for (const [mint, account] of held) {
      const found = accounts.get(account);
      if (!isTokenAccount(found) || found.data[STATE_OFFSET] !== STATE_FROZEN) continue;
      const reason = `your account of the token ${mint} is frozen`;
      throw new AppError('SIMULATION_REVERTED', { step: 'swap', reason });
    }
  }

  /** The trader does not pay for an account of somebody else. */
  #refuseFee(paid: Address, account: SolanaAccount | undefined): void {
    const { tokenIn, tokenOut } = this.#request.trade;
    const isSol = tokenOut === SYSTEM_PROGRAM;
    const isOpen = isSol ? account !== undefined : isTokenAccount(account);
    const isFrozen = !isSol && account?.data[STATE_OFFSET] === STATE_FROZEN;
    if (isOpen && !isFrozen) return;
    const reason = isSol
      ? `${paid} has no SOL yet`
      : `the recipient has no account of the token that can receive it (${paid})`;
    throw new AppError('FEE_NOT_POSSIBLE', { from: tokenIn, to: tokenOut, reason });
  }

  /** Of the accounts that are opened: of those that stay, and of wrapped SOL that is closed. */
  #sumRent({ plan, accounts, held }: PreparedBuild, longestRent: bigint) {
    const opened = plan.opened.filter(
      (mint) => !isTokenAccount(accounts.get(held.get(mint) ?? mint)),
    );
    const sum = (mints: readonly Address[]) =>
      mints.reduce(
        (all, one) => all + computeRent(longestRent, countAccountBytes(accounts.get(one))),
        0n,
      );
    const isClosed = (mint: Address) => mint === WRAPPED_SOL && plan.closesWrapped;
    return {
      kept: sum(opened.filter((mint) => !isClosed(mint))),
      returned: sum(opened.filter(isClosed)),
    };
  }

  /** A node cannot assume a balance: what cannot be paid is not simulated. */
  #canPay({ accounts, held }: PreparedBuild, rentRaw: bigint): boolean {
    const { trade } = this.#request;
    const lamports = accounts.get(this.#user)?.lamports ?? 0n;
    const isNative = trade.tokenIn === SYSTEM_PROGRAM;
    const token = accounts.get(held.get(trade.tokenIn) ?? trade.tokenIn);
    const isEnough = isNative || readAmount(token) >= trade.maxAmountInRaw;
    const spent = isNative ? trade.maxAmountInRaw : 0n;
    const needed = SIGNATURE_LAMPORTS + rentRaw + this.#tipRaw + spent;
    return isEnough && lamports >= needed;
  }

  async #simulate(
    prepared: PreparedBuild,
    hash: LatestHash,
  ): Promise<NonNullable<BuiltTransactions['simulation']>> {
    const { trade, block } = this.#request;
    // Without the last steps, after which what was received is no longer in an account of its own.
    const isLater = trade.tokenOut === SYSTEM_PROGRAM;
    const feeRaw = isLater ? (trade.fee?.amountRaw ?? 0n) : 0n;
    const plan = { ...prepared.plan, unwrap: null, ...(isLater ? { fee: null } : {}) };
    const budget = { limit: UNITS_MAX, price: 0n };
    const { bytes } = this.#encode({ ...prepared, plan }, hash, budget);
    if (bytes.length > TRANSACTION_BYTES_MAX) throw new OutOfRoomError('bytes');
    // Programs may open accounts of their own, which a wallet pays for: lamports tell less.
    const isWrapped = trade.tokenOut === SYSTEM_PROGRAM && prepared.plan.unwrap !== null;
    const tokenOut = isWrapped ? WRAPPED_SOL : trade.tokenOut;
    const received = prepared.held.get(tokenOut) ?? this.#user;
    const all = [this.#user, ...prepared.held.values()];
    const watched = trade.fixed === 'output' ? all : [received];
    const query = { transaction: bytes, watched, minSlot: block.position };
    const simulated = await simulateTransaction(this.#endpoint, query);
    const feesRaw = SIGNATURE_LAMPORTS + this.#tipRaw;
    const change = new SimulatedChange(prepared, watched, { found: simulated.watched, feesRaw });
    const amountOutRaw = change.find(tokenOut) - feeRaw;
    const amountInRaw = trade.fixed === 'output' ? -change.find(trade.tokenIn) : undefined;
    const isOther =
      amountOutRaw !== trade.amountOutRaw ||
      (amountInRaw ?? trade.amountInRaw) !== trade.amountInRaw;
    return {
      amountOutRaw: maxOf(amountOutRaw, 0n),
      ...(amountInRaw === undefined ? {} : { amountInRaw }),
      unitsUsed: BigInt(simulated.unitsUsed),
      isBalanceAssumed: false,
      ...(simulated.slot > block.position && isOther ? { laterBlock: simulated.slot } : {}),
    };
  }

  #encode(
    { plan }: Pick<PreparedBuild, 'plan'>,
    { blockhash }: LatestHash,
    budget: { readonly limit: number; readonly price: bigint },
  ) {
    const tip = this.#tipRaw > 0n ? [payTip(this.#user, blockhash, this.#tipRaw)] : [];
    const ends: readonly ProgramInstruction[] = [
      ...(plan.unwrap === null ? [] : [plan.unwrap]),
      ...(plan.fee === null ? [] : [plan.fee]),
      ...tip,
    ];
    const instructions = [...setBudget(budget.limit, budget.price), ...plan.instructions, ...ends];
    const tables = this.#tables;
    return encodeTransaction({ payer: this.#user, instructions, blockhash, tables });
  }
}

/** With room for what the swaps use more if their pools move by the slippage. */
function limitUnits(trade: ExecutableTrade, used: number): number {
  const { amountInRaw, maxAmountInRaw, amountOutRaw, minAmountOutRaw } = trade;
  const [moved, of] =
    trade.fixed === 'input'
      ? [amountOutRaw - minAmountOutRaw, amountOutRaw]
      : [maxAmountInRaw - amountInRaw, amountInRaw];
  const movedBps = Number((moved * 10_000n + of / 2n) / of);
  const pools = trade.swapPaths.flatMap(({ hops }) => hops.map(({ pool }) => pool));
  const more = pools.reduce((sum, pool) => sum + countMovedUnits(pool, movedBps), UNWRAP_UNITS);
  return Math.min(UNITS_MAX, Math.ceil((used * UNITS_MARGIN_PCT) / 100) + more);
}

function describePurpose({ plan, accounts, held }: PreparedBuild, tipRaw: bigint): string {
  const wrapped = readAmount(accounts.get(held.get(WRAPPED_SOL) ?? WRAPPED_SOL));
  const isMore = plan.unwrap !== null && wrapped > 0n;
  const swap = tipRaw > 0n ? `the swap, with a tip of ${tipRaw} lamports for Jito` : 'the swap';
  return isMore ? `${swap}; all of your wrapped SOL becomes SOL` : swap;
}

/** Where the app's fee goes; null if there is none. */
function findFeeAccount({ fee = null, tokenOut }: ExecutableTrade, accounts: SolanaAccounts) {
  if (fee === null || tokenOut === SYSTEM_PROGRAM) return fee?.recipient ?? null;
  const tokenProgram = accounts.get(tokenOut)?.owner ?? TOKEN_PROGRAM;
  return findHeldAccount({ owner: fee.recipient, mint: tokenOut, tokenProgram });
}

/** Whether wrapped SOL becomes SOL at the end or on the way. */
function mayUnwrap(trade: ExecutableTrade): boolean {
  const { tokenIn, tokenOut, fixed } = trade;
  if (tokenIn === SYSTEM_PROGRAM) return fixed === 'output';
  return tokenOut === SYSTEM_PROGRAM || usesLamports(trade);
}

/** Whether it trades on a curve, which takes and pays SOL that is not wrapped. */
function usesLamports({ swapPaths }: ExecutableTrade): boolean {
  const venues = swapPaths.flatMap(({ hops }) => hops.map(({ pool }) => pool.venue));
  return venues.some((venue) => SWAP_ENCODERS.get(venue)?.usesLamports === true);
}

/** Exact outputs of programs that no run of the tests executes must be simulated by a node. */
function refuseUnproven({ fixed, tokenIn, tokenOut, swapPaths }: ExecutableTrade): void {
  const venues = swapPaths.flatMap(({ hops }) => hops.map(({ pool }) => pool.venue));
  const unproven = venues.find((venue) => SWAP_ENCODERS.get(venue)?.isOutputUnproven);
  if (fixed === 'input' || unproven === undefined) return;
  const reason = `the wallet cannot pay, and for ${unproven} the trade must be simulated`;
  throw new AppError('EXACT_OUTPUT_NOT_SUPPORTED', { from: tokenIn, to: tokenOut, reason });
}

/** The tokens that the wallet's accounts hold on the way. */
function listMints(trade: ExecutableTrade): Set<Address> {
  const tokens = trade.swapPaths.flatMap(({ hops }) =>
    hops.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]),
  );
  return new Set(tokens.map((token) => (token === SYSTEM_PROGRAM ? WRAPPED_SOL : token)));
}

/** The wallet's coin and its balance of a token, at the newest block of a node. */
async function readFunds(endpoint: RpcEndpoint, user: Address, tokenIn: Address) {
  const accountOf = (tokenProgram: Address) =>
    findHeldAccount({ owner: user, mint: tokenIn, tokenProgram });
  const both = [accountOf(TOKEN_PROGRAM), accountOf(TOKEN_2022_PROGRAM)] as const;
  const { slot, accounts } = await readAccounts(endpoint, {
    addresses: [user, ...both],
    minSlot: 0,
  });
  const head = await readSlotHeader(endpoint, slot);
  if (head === null) return refuseReply(endpoint, `block ${slot} is missing`);
  const nativeRaw = accounts.get(user)?.lamports ?? 0n;
  const [first, second] = both;
  const balanceRaw =
    tokenIn === SYSTEM_PROGRAM
      ? nativeRaw
      : readAmount(accounts.get(first)) + readAmount(accounts.get(second));
  return { head, nativeRaw, balanceRaw };
}

export function createSolanaTransactions(
  client: RpcClient,
  lookups: LookupTables,
): ChainTransactions {
  return {
    canBuild: true,
    isUnavailable: (error) => isRpcError(error),
    retryAfterSeconds: () => {
      const waitMs = Math.min(...client.endpoints.map(({ health }) => health.waitMs));
      return Math.max(1, Math.ceil(waitMs / 1000));
    },
    readHead: () => client.at((endpoint) => endpoint.readBlockNumber()),
    readTransaction: (id) => readSignatureFate(client, id),
    locksAccounts: true,
    readPaidTips: (pools) =>
      client.at(async (endpoint) =>
        readPaidTips(endpoint, await readLockedAccounts(endpoint, pools)),
      ),
    async readWallet(wallet, tokenIn): Promise<TradingWallet> {
      const funds = await client.at((endpoint) => readFunds(endpoint, wallet, tokenIn));
      return {
        ...funds,
        build: (request) =>
          client.at((endpoint) => new SolanaBuild(endpoint, wallet, { request, lookups }).build()),
      };
    },
  };
}
