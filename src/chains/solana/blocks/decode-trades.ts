// The trades of a transaction: every call of a known venue, whoever made it, checked against the
// transfers under it.
//
// The event comes first, because it has what transfers do not (a mint's fee, the state after).
// Transfers into and out of the pool's vaults verify it, and stand in for it where there is none.
// Where a record has no inner calls either, the balances of the vaults are what is left.

import type { Address, TransactionId } from '../../../model/ids.ts';
import { type LogEvents, readLogEvents } from '../data/program-logs.ts';
import { listAccountKeys, listSigners, type RawTransaction } from '../data/raw-transaction.ts';
import { SELF_EVENT } from '../data/self-events.ts';
import { parseSignature, toSolanaPool } from '../data/solana-ids.ts';
import { TokenMoves } from '../data/token-moves.ts';
import { listCalls, type ProgramCall } from '../data/transaction-calls.ts';
import { VaultBalances } from '../data/vault-balances.ts';
import { isExchange } from '../venues/by-transfers/find-unlisted.ts';
import { readTransferTrade } from '../venues/by-transfers/read-transfer-trade.ts';
import {
  isTransferSwap,
  TRANSFER_VENUES,
  type TransferVenue,
} from '../venues/by-transfers/transfer-venue.ts';
import { guessTouches, type PoolCall, readPoolCalls } from '../venues/pool-call.ts';
import type { SolanaVenue, SwapReport, SwapSite } from '../venues/solana-venue.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';
import type { TransactionTrades, UnknownCall, VenueTrade } from '../venues/venue-trade.ts';

const NOTHING: TransactionTrades = { trades: [], poolCalls: [], unknown: [] };
/** Under this name programs are counted that move tokens like an exchange and are in no list. */
export const UNLISTED = 'unlisted';

interface SwapAmounts {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

interface SwapFlow extends SwapAmounts {
  readonly vaultIn: Address;
  readonly vaultOut: Address;
}

/** The vault that gained is the one that took the input; null if not exactly one did. */
function readFlow(
  { vaults: [first, second] }: SwapSite,
  findGain: (vault: Address) => bigint | null,
): SwapFlow | null {
  const [gain, other] = [findGain(first) ?? 0n, findGain(second) ?? 0n];
  if (gain > 0n && other < 0n) {
    return { vaultIn: first, vaultOut: second, amountIn: gain, amountOut: -other };
  }
  if (gain < 0n && other > 0n) {
    return { vaultIn: second, vaultOut: first, amountIn: other, amountOut: -gain };
  }
  return null;
}

function isSame(a: SwapAmounts, b: SwapAmounts): boolean {
  return a.amountIn === b.amountIn && a.amountOut === b.amountOut;
}

type TradeAmounts = SwapFlow & Pick<VenueTrade, 'source' | 'isVerified'>;

/** A pool with two token accounts. */
function judgePair(
  site: SwapSite,
  report: SwapReport | undefined,
  evidence: { readonly moves: TokenMoves; readonly balances: VaultBalances },
): TradeAmounts | null {
  const { moves, balances } = evidence;
  const source = moves.isEmpty ? 'balances' : 'transfers';
  const balanced = readFlow(site, (vault) => balances.changeOf(vault));
  const flow = moves.isEmpty ? balanced : readFlow(site, (vault) => moves.gain(vault));
  if (flow === null) return null;
  if (report === undefined) return { ...flow, source, isVerified: false };
  // Where a mint takes a fee, the transfer says more than the vault gets.
  const isVerified = isSame(report, flow) || (balanced !== null && isSame(report, balanced));
  // An event that contradicts the transfers is not believed.
  if (!isVerified) return { ...flow, source, isVerified };
  const { amountIn, amountOut } = report;
  return { ...flow, amountIn, amountOut, source: 'event', isVerified };
}

/**
 * What the curve got or gave, by its lamports: its event has the amount with the fee or without.
 * Null if something else moved them, too.
 */
function readLamports({ told, fee }: { told: bigint; fee: bigint }, moved: bigint): bigint | null {
  return [told, told - fee, told + fee].includes(moved) ? moved : null;
}

/** A pool whose quote side is no transfer of tokens: its event is needed. */
function judgeOneSided(
  site: SwapSite,
  report: SwapReport | undefined,
  { moves, balances }: { readonly moves: TokenMoves; readonly balances: VaultBalances },
): TradeAmounts | null {
  const { vaults, ownVault } = site;
  if (report === undefined || ownVault === undefined || report.mint !== ownVault.mint) return null;
  const [tokenAccount, pool] = vaults;
  const { isBuy = false } = report;
  let { amountIn, amountOut } = report;
  // An event that contradicts the coin's transfer is not believed, and there is nothing else.
  if (moves.gain(tokenAccount) !== (isBuy ? -amountOut : amountIn)) return null;
  const { lamports } = ownVault;
  if (lamports !== undefined) {
    const gained = balances.lamportsOf(lamports) ?? 0n;
    const told = isBuy ? amountIn : amountOut;
    const quote = readLamports({ told, fee: report.quoteFee ?? 0n }, isBuy ? gained : -gained);
    if (quote === null) return null;
    [amountIn, amountOut] = isBuy ? [quote, amountOut] : [amountIn, quote];
  }
  const [vaultIn, vaultOut] = isBuy ? [pool, tokenAccount] : [tokenAccount, pool];
  return { vaultIn, vaultOut, amountIn, amountOut, source: 'event', isVerified: true };
}

class SwapReader {
  readonly #trades: VenueTrade[] = [];
  readonly #poolCalls: PoolCall[] = [];
  readonly #unknown: UnknownCall[] = [];
  readonly #raw: RawTransaction;
  readonly #calls: readonly ProgramCall[];
  /** Pools whose trade was read from balances, which count once in a transaction. */
  readonly #balanced = new Set<Address>();
  #logs: LogEvents | null = null;
  #balances: VaultBalances | null = null;
  #txHash: TransactionId | null = null;

  constructor(raw: RawTransaction) {
    this.#raw = raw;
    this.#calls = listCalls(raw);
  }

  read(): TransactionTrades {
    for (const call of this.#calls) {
      const venue = VENUES_BY_PROGRAM.get(call.program);
      const byTransfers = TRANSFER_VENUES.get(call.program);
      if (venue !== undefined) this.#readCall(venue, call);
      else if (byTransfers !== undefined) this.#readTransfers(byTransfers, call);
      else if (isExchange(call, this.#readBalances())) {
        this.#addUnknown(UNLISTED, call, call.program);
      }
    }
    return {
      ...{ trades: this.#keepLastHeld(), poolCalls: this.#poolCalls, unknown: this.#unknown },
    };
  }

  /** The balances are those after the pool's last trade. */
  #keepLastHeld(): VenueTrade[] {
    return this.#trades.map((trade, index) => {
      const isLast = this.#trades.every(({ pool }, at) => at <= index || pool !== trade.pool);
      return isLast ? trade : { ...trade, heldAfter: null };
    });
  }

  #readCall(venue: SolanaVenue, call: ProgramCall): void {
    if (call.data.discriminator() === SELF_EVENT) return;
    const discriminator = call.data.discriminator(venue.discriminatorBytes);
    const swap = venue.swaps[discriminator];
    if (swap === undefined) {
      const known = readPoolCalls(venue, call, () => this.#readBalances());
      if (known !== null) {
        this.#poolCalls.push(...known);
        return;
      }
    }
    const sites = swap?.findSites(call) ?? null;
    const trades = sites === null ? [] : this.#readSwap(venue, call, sites);
    if (sites === null || trades.length < sites.length) {
      this.#poolCalls.push(...guessTouches(call));
      this.#addUnknown(venue.name, call, discriminator);
    }
    for (const trade of trades) this.#trades.push({ ...trade, instruction: swap?.name ?? '' });
  }

  /** A call that moves no tokens tells a price, or nothing. */
  #readTransfers(venue: TransferVenue, call: ProgramCall): void {
    const moves = new TokenMoves(call);
    if (moves.isEmpty) return;
    const balances = this.#readBalances();
    const signers = listSigners(this.#raw);
    const trade = isTransferSwap(venue, call)
      ? readTransferTrade(venue, {
          ...{ call, moves, txHash: this.#readSignature() },
          mintOf: (account) => balances.mintOf(account),
          isSigner: (account) => signers.includes(account),
        })
      : null;
    if (trade !== null) this.#trades.push(trade);
    else this.#addUnknown(venue.name, call, call.data.discriminator(1));
  }

  #addUnknown(venue: string, { outer, inner }: ProgramCall, discriminator: string): void {
    this.#unknown.push({ venue, discriminator, outer, inner });
  }

  #readBalances(): VaultBalances {
    this.#balances ??= new VaultBalances(this.#raw);
    return this.#balances;
  }

  #readSignature(): TransactionId {
    this.#txHash ??= parseSignature(this.#raw.transaction.signatures[0] ?? '');
    if (this.#txHash === null) throw new RangeError('the transaction has no signature');
    return this.#txHash;
  }

  #readSwap(
    venue: SolanaVenue,
    call: ProgramCall,
    sites: readonly SwapSite[],
  ): Omit<VenueTrade, 'instruction'>[] {
    this.#logs ??= readLogEvents(this.#raw.meta?.logMessages, this.#calls);
    const balances = this.#readBalances();
    const reports = venue.readReports({ call, logged: this.#logs.get(call) ?? [] });
    const moves = new TokenMoves(call);
    const txHash = this.#readSignature();
    return sites.flatMap((site, index) => {
      const named = reports.find(({ pool }) => pool === site.pool);
      const report = named ?? (reports[index]?.pool === null ? reports[index] : undefined);
      const amounts =
        site.ownVault === undefined
          ? judgePair(site, report, { moves, balances })
          : judgeOneSided(site, report, { moves, balances });
      if (amounts === null || this.#balanced.has(site.pool)) return [];
      if (amounts.source === 'balances') this.#balanced.add(site.pool);
      const [heldIn, heldOut] = [
        balances.afterOf(amounts.vaultIn),
        balances.afterOf(amounts.vaultOut),
      ];
      const mintOf = (vault: Address) => {
        if (site.ownVault === undefined) return balances.mintOf(vault);
        return vault === site.pool ? site.ownVault.quoteMint : site.ownVault.mint;
      };
      return {
        ...{ venue: venue.name, txHash, outer: call.outer, inner: call.inner },
        ...{ pool: toSolanaPool(site.pool), user: site.user, ...amounts },
        ...{ mintIn: mintOf(amounts.vaultIn), mintOut: mintOf(amounts.vaultOut) },
        change: amounts.source === 'event' ? (report?.change ?? null) : null,
        fold: amounts.source === 'event' ? (report?.fold ?? null) : null,
        before: amounts.source === 'event' ? (report?.before ?? null) : null,
        heldAfter: heldIn === null || heldOut === null ? null : { in: heldIn, out: heldOut },
      };
    });
  }
}

/** Whether it can be an exchange of tokens, by its balance rows. */
function movesTwoTokens({ meta }: RawTransaction): boolean {
  const rows = meta?.postTokenBalances ?? [];
  return rows.some(({ mint }) => mint !== rows[0]?.mint);
}

/**
 * Nothing of a transaction that failed: its logs and events are there, but it changed nothing.
 * Throws a RangeError if the transaction is malformed.
 */
export function decodeTrades(raw: RawTransaction): TransactionTrades {
  if (raw.meta === null || raw.meta.err !== null) return NOTHING;
  const isListed = (key: string) => VENUES_BY_PROGRAM.has(key) || TRANSFER_VENUES.has(key);
  if (!movesTwoTokens(raw) && !listAccountKeys(raw).some(isListed)) return NOTHING;
  return new SwapReader(raw).read();
}
