// A transaction as `getBlock` sends it with `encoding: json`: the parts that are read.

export interface RawInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  /** Base58. */
  readonly data: string;
  /** 1 for the transaction's own; null in old blocks. */
  readonly stackHeight?: number | null;
}

export interface RawTokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner?: string | null;
  /** The token program. */
  readonly programId?: string | null;
  readonly uiTokenAmount: { readonly amount: string; readonly decimals?: number };
}

interface RawMeta {
  /** Null if the transaction succeeded. */
  readonly err: unknown;
  /** In lamports. */
  readonly fee?: number | null;
  readonly innerInstructions?:
    | readonly {
        readonly index: number;
        readonly instructions: readonly RawInstruction[];
      }[]
    | null;
  readonly logMessages?: readonly string[] | null;
  readonly loadedAddresses?: {
    readonly writable: readonly string[];
    readonly readonly: readonly string[];
  } | null;
  readonly preBalances?: readonly number[] | null;
  readonly postBalances?: readonly number[] | null;
  readonly preTokenBalances?: readonly RawTokenBalance[] | null;
  readonly postTokenBalances?: readonly RawTokenBalance[] | null;
}

export interface RawTransaction {
  readonly transaction: {
    readonly signatures: readonly string[];
    readonly message: {
      readonly accountKeys: readonly string[];
      /** So many of the first accounts signed. */
      readonly header?: { readonly numRequiredSignatures: number };
      readonly instructions: readonly RawInstruction[];
    };
  };
  readonly meta: RawMeta | null;
}

const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';

/** Votes are most of a block, and trade nothing. */
export function isVote({ transaction: { message } }: RawTransaction): boolean {
  return (
    message.instructions.length > 0 &&
    message.instructions.every(
      ({ programIdIndex }) => message.accountKeys[programIdIndex] === VOTE_PROGRAM,
    )
  );
}

/** At least who paid for it. */
export function listSigners({ transaction: { message } }: RawTransaction): readonly string[] {
  return message.accountKeys.slice(0, message.header?.numRequiredSignatures ?? 1);
}

/** The accounts that instructions count: static ones, then those loaded from tables. */
export function listAccountKeys({ transaction, meta }: RawTransaction): readonly string[] {
  const { accountKeys } = transaction.message;
  const loaded = meta?.loadedAddresses;
  if (loaded == null) return accountKeys;
  return [...accountKeys, ...loaded.writable, ...loaded.readonly];
}
