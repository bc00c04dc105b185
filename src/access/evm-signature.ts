// Signatures of ordinary EVM wallets, recovered here without asking any node.

import type { Hex } from 'viem';
import { recoverMessageAddress } from 'viem/utils';

/** Half the order of secp256k1: of two signatures that fit, the one with the smaller s counts. */
const S_MAX = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const SIGNATURE_HEX_LENGTH = 2 + 65 * 2;

type Recovery =
  /** The wallet's own key signed. */
  | 'own'
  /** The wallet's key signed, but somebody turned the signature into its twin. */
  | 'altered'
  /** Somebody else's key, or no key at all: a contract may still accept it. */
  | 'other';

export function isHex(text: string): text is Hex {
  return /^0x(?:[0-9a-fA-F]{2})+$/.test(text);
}

export async function recoverEvmSignature(signed: {
  readonly address: string;
  readonly text: string;
  readonly signature: Hex;
}): Promise<Recovery> {
  const { address, text, signature } = signed;
  if (signature.length !== SIGNATURE_HEX_LENGTH) return 'other';
  let recovered: string;
  try {
    recovered = await recoverMessageAddress({ message: text, signature });
  } catch {
    // Numbers that are no signature at all; a contract wallet may use 65 bytes as it likes.
    return 'other';
  }
  if (recovered !== address) return 'other';
  return BigInt(`0x${signature.slice(66, 130)}`) <= S_MAX ? 'own' : 'altered';
}
