// What a token's contract, or its mint on Solana, shows of itself.

import type { Address } from './ids.ts';

export interface ContractFacts {
  readonly kind: 'contract';
  /** The zero address if it was given up; null if the contract names no owner. */
  readonly owner: Address | null;
  /** Whether a known function that mints is in its code; null if the code is elsewhere. */
  readonly isMintable: boolean | null;
  /** Whether calls go on to code that may be replaced or is elsewhere. */
  readonly isProxy: boolean;
}

/** Of the amount that is sent. */
interface MintTransferFee {
  readonly bps: number;
  readonly maxRaw: bigint;
}

/** A mint of either token program; null where nobody has that power. */
export interface MintFacts {
  readonly kind: 'mint';
  /** When it was read. */
  readonly slot: number;
  readonly program: 'spl-token' | 'token-2022';
  /** Who may mint more. */
  readonly mintAuthority: Address | null;
  /** Who may freeze accounts. */
  readonly freezeAuthority: Address | null;
  readonly transferFee: MintTransferFee | null;
  /** A fee that is set to hold later. */
  readonly nextTransferFee: (MintTransferFee & { readonly fromEpoch: number }) | null;
  /** The program that is called on every transfer. */
  readonly transferHook: Address | null;
  /** Who may move or burn the tokens of any holder. */
  readonly permanentDelegate: Address | null;
  /** Whether new accounts are frozen until they are thawed. */
  readonly isDefaultFrozen: boolean;
  /** Who may stop all transfers. */
  readonly pauseAuthority: Address | null;
  readonly isPaused: boolean;
  readonly isTransferable: boolean;
  /** The share of the ten largest token accounts, vaults included; null if no node says. */
  readonly largestPct: number | null;
}

export type TokenFacts = ContractFacts | MintFacts;
