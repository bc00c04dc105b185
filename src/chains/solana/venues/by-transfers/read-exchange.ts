// What a call exchanged, by the token transfers under it: a trade if exactly one token went to the
// pool, and exactly one other came from it.
//
// Which side is the pool's: its vaults, where their places are known. Otherwise an amount that
// stands in the call's data, which is the input, or the transfer that a signer of the transaction
// made; where these two disagree, as for a given output, it is not clear. Order tells nothing: some
// pay first.

import type { Address } from '../../../../model/ids.ts';
import type { TokenMove, TokenMoves } from '../../data/token-moves.ts';
import type { ProgramCall } from '../../data/transaction-calls.ts';

export interface Exchange {
  readonly vaultIn: Address;
  readonly vaultOut: Address;
  readonly mintIn: Address;
  readonly mintOut: Address;
  /** What the vaults got and gave. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Who paid, and who signed for the output. */
  readonly payer: Address | null;
  readonly maker: Address | null;
}

interface MoveEvidence {
  readonly moves: TokenMoves;
  /** By the balance rows; null if none names the account. */
  mintOf(account: Address): Address | null;
}

export interface ExchangeEvidence extends MoveEvidence {
  readonly call: ProgramCall;
  isSigner(account: Address): boolean;
}

/** The transfers of one token, from one account to another. */
interface Flow {
  readonly mint: Address;
  readonly from: Address;
  readonly to: Address;
  readonly sent: bigint;
  readonly received: bigint;
  readonly authority: Address | null;
}

function findMint({ mint, from, to }: TokenMove, { mintOf }: MoveEvidence): Address | null {
  return mint ?? mintOf(from) ?? mintOf(to);
}

/** Null unless every token went one way only, between two accounts. */
export function listFlows(evidence: MoveEvidence): Flow[] | null {
  const flows = new Map<Address, Flow>();
  for (const move of evidence.moves.list) {
    const mint = findMint(move, evidence);
    if (mint === null) return null;
    const { from, to, authority } = move;
    if (move.sent === 0n || from === to) continue;
    const known = flows.get(mint);
    if (known !== undefined && (known.from !== from || known.to !== to)) return null;
    const [sent, received] = [
      (known?.sent ?? 0n) + move.sent,
      (known?.received ?? 0n) + move.received,
    ];
    flows.set(mint, { mint, from, to, authority, sent, received });
  }
  return [...flows.values()];
}

function hasAmount({ data }: ProgramCall, amount: bigint): boolean {
  for (let at = 0; data.has(at, 8); at += 1) if (data.u64(at) === amount) return true;
  return false;
}

function toExchange(paid: Flow, given: Flow): Exchange {
  return {
    ...{ vaultIn: paid.to, vaultOut: given.from, mintIn: paid.mint, mintOut: given.mint },
    ...{ amountIn: paid.received, amountOut: given.sent },
    ...{ payer: paid.authority, maker: given.authority },
  };
}

/** Null if neither the call nor its signers tell the sides apart, or they disagree. */
function readByFlows(evidence: ExchangeEvidence): Exchange | null {
  const [first, second, ...more] = listFlows(evidence) ?? [];
  if (first === undefined || second === undefined || more.length > 0) return null;
  const { call, isSigner } = evidence;
  const tests: readonly ((flow: Flow) => boolean)[] = [
    ({ sent }) => hasAmount(call, sent),
    ({ authority }) => authority !== null && isSigner(authority),
  ];
  const votes = tests.flatMap((isPaid) => {
    const [isFirst, isSecond] = [isPaid(first), isPaid(second)];
    return isFirst === isSecond ? [] : [isFirst];
  });
  const [isFirstPaid] = votes;
  if (isFirstPaid === undefined || votes.some((vote) => vote !== isFirstPaid)) return null;
  return isFirstPaid ? toExchange(first, second) : toExchange(second, first);
}

/** By what the vaults gained: transfers between others are fees. Null if these are no vaults. */
function readByVaults(
  evidence: ExchangeEvidence,
  vaults: readonly [Address, Address],
): Exchange | null {
  const { moves } = evidence;
  const [first, second] = [moves.gain(vaults[0]), moves.gain(vaults[1])];
  if (first === 0n || second === 0n || first > 0n === second > 0n) return null;
  const [vaultIn, vaultOut] = first > 0n ? vaults : [vaults[1], vaults[0]];
  const paid = moves.list.find(({ to }) => to === vaultIn);
  const given = moves.list.find(({ from }) => from === vaultOut);
  const mintIn = paid && findMint(paid, evidence);
  const mintOut = given && findMint(given, evidence);
  if (!mintIn || !mintOut || mintIn === mintOut) return null;
  return {
    ...{ vaultIn, vaultOut, mintIn, mintOut },
    ...{ amountIn: moves.gain(vaultIn), amountOut: -moves.gain(vaultOut) },
    ...{ payer: paid.authority, maker: given.authority },
  };
}

/** `vaults`: where they should be, if that is known. */
export function readExchange(
  evidence: ExchangeEvidence,
  vaults: readonly [Address, Address] | null,
): Exchange | null {
  return (vaults && readByVaults(evidence, vaults)) ?? readByFlows(evidence);
}
