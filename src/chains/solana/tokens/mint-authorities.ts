// Who has power over the tokens of a mint, as its account says.

import type { MintFacts } from '../../../model/contract-facts.ts';
import type { Address } from '../../../model/ids.ts';
import type { TokenPowers } from '../../chain-transactions.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { SYSTEM_PROGRAM } from '../data/solana-ids.ts';
import { EXTENSION, findExtension } from './mint-extensions.ts';

const MINT_AUTHORITY = 0;
const FREEZE_AUTHORITY = 46;
/** After the authority that may change it. */
const HOOK_PROGRAM = 32;

type Authorities = Pick<
  MintFacts,
  'mintAuthority' | 'freezeAuthority' | 'transferHook' | 'permanentDelegate' | 'pauseAuthority'
>;

/** A key after four bytes that say whether there is one. */
function readOption(mint: AccountBytes, offset: number): Address | null {
  return mint.u32(offset) === 0 ? null : mint.key(offset + 4);
}

/** A key of an extension; zeros for none. */
function readKey(extension: Buffer | null, offset = 0): Address | null {
  if (extension === null) return null;
  const key = new AccountBytes(extension).key(offset);
  return key === SYSTEM_PROGRAM ? null : key;
}

/** Null where nobody has that power. */
export function readAuthorities(mint: Buffer): Authorities {
  const data = new AccountBytes(mint);
  return {
    mintAuthority: readOption(data, MINT_AUTHORITY),
    freezeAuthority: readOption(data, FREEZE_AUTHORITY),
    transferHook: readKey(findExtension(mint, EXTENSION.transferHook), HOOK_PROGRAM),
    permanentDelegate: readKey(findExtension(mint, EXTENSION.permanentDelegate)),
    pauseAuthority: readKey(findExtension(mint, EXTENSION.pausable)),
  };
}

export function readPowers(mint: Buffer): TokenPowers {
  const { mintAuthority, freezeAuthority, permanentDelegate } = readAuthorities(mint);
  return {
    canMint: mintAuthority !== null,
    canFreeze: freezeAuthority !== null,
    canTake: permanentDelegate !== null,
  };
}
