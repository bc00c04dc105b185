// What a Token-2022 mint adds to plain transfers, as far as it decides whether a swap can be
// computed and built.

import type { UncheckedFlag } from '../../../amm/unchecked-flag.ts';
import type { Address } from '../../../model/ids.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from '../data/solana-ids.ts';
import { TOKEN_ACCOUNT_BYTES } from '../data/token-instructions.ts';

/** Mints with extensions are as long as accounts without them, then have their type. */
const EXTENSIONS_OFFSET = 166;
export const EXTENSION = {
  transferFee: 1,
  /** Of a token account: what is withheld in it. */
  transferFeeAmount: 2,
  confidentialTransfer: 4,
  defaultState: 6,
  nonTransferable: 9,
  permanentDelegate: 12,
  transferHook: 14,
  pausable: 26,
} as const;
/** Of the two fees of a mint, one holds until an epoch and one from it on. */
const FEE_BPS_OFFSETS: readonly number[] = [88, 106];
/** After two authorities. */
const FEE_WITHHELD_OFFSET = 64;
const HOOK_PROGRAM_OFFSET = 32;
export const STATE_FROZEN = 2;
/** After the authority. */
const PAUSED_OFFSET = 32;

/** Null if the mint, or the token account, has no such extension. */
export function findExtension(data: Buffer, type: number): Buffer | null {
  for (let at = EXTENSIONS_OFFSET; at + 4 <= data.length; ) {
    const end = at + 4 + data.readUInt16LE(at + 2);
    if (data.readUInt16LE(at) === type) return data.subarray(at + 4, end);
    at = end;
  }
  return null;
}

/** None for mints of the first token program. */
export function findMintFlags(mint: Buffer): UncheckedFlag[] {
  const flags: UncheckedFlag[] = [];
  const fee = findExtension(mint, EXTENSION.transferFee);
  if (fee !== null && FEE_BPS_OFFSETS.some((at) => fee.readUInt16LE(at) !== 0)) {
    flags.push('transferFee');
  }
  const hook = findExtension(mint, EXTENSION.transferHook);
  if (hook !== null && new AccountBytes(hook).key(HOOK_PROGRAM_OFFSET) !== SYSTEM_PROGRAM) {
    flags.push('transferHook');
  }
  if (findExtension(mint, EXTENSION.nonTransferable) !== null) flags.push('nonTransferable');
  if (findExtension(mint, EXTENSION.defaultState)?.[0] === STATE_FROZEN) {
    flags.push('frozenAccounts');
  }
  return flags;
}

/** Fees of transfers that were collected from accounts; null if the mint takes none. */
export function findMintWithheld(mint: Buffer): bigint | null {
  const fee = findExtension(mint, EXTENSION.transferFee);
  return fee && new AccountBytes(fee).u64(FEE_WITHHELD_OFFSET);
}

/** Whether its authority has stopped all transfers. */
export function isMintPaused(mint: Buffer): boolean {
  return findExtension(mint, EXTENSION.pausable)?.[PAUSED_OFFSET] === 1;
}

/** What each extension of a mint adds to the accounts of its holders. */
const ACCOUNT_EXTENSION_BYTES: readonly (readonly [extension: number, byteCount: number])[] = [
  [EXTENSION.transferFee, 12],
  [EXTENSION.transferHook, 5],
  [EXTENSION.nonTransferable, 4],
  [EXTENSION.pausable, 4],
];
/** The account's type, and that its owner cannot change. */
const TOKEN_2022_BYTES = 5;

/** How long an account of a mint is that is opened at its usual address. */
export function countAccountBytes(
  mint: { readonly owner: Address; readonly data: Buffer } | undefined,
): number {
  if (mint?.owner !== TOKEN_2022_PROGRAM) return TOKEN_ACCOUNT_BYTES;
  const more = ACCOUNT_EXTENSION_BYTES.map(([extension, byteCount]) =>
    findExtension(mint.data, extension) === null ? 0 : byteCount,
  );
  return more.reduce((sum, byteCount) => sum + byteCount, TOKEN_ACCOUNT_BYTES + TOKEN_2022_BYTES);
}
