// Signatures of ordinary EVM wallets, recovered locally without a node.

import type { Hex } from 'viem';
import { recoverMessageAddress } from 'viem/utils';
import type { SignedText, WalletSignatures } from '../../wallet-signatures.ts';

/**
 * Half the order of secp256k1: of the two valid signatures, only the one with the smaller s is
 * accepted.
 */
const S_MAX = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const SIGNATURE_HEX_LENGTH = 2 + 65 * 2;

export function isHex(text: string): text is Hex {
  return /^0x(?:[0-9a-fA-F]{2})+$/.test(text);
}

async function checkEvmSignature(signed: SignedText): ReturnType<WalletSignatures['check']> {
  const { address, text, signature } = signed;
  if (!isHex(signature)) return 'refused';
  if (signature.length !== SIGNATURE_HEX_LENGTH) return 'askChain';
  let recovered: string;
  try {
    recovered = await recoverMessageAddress({ message: text, signature });
  } catch {
    // Numbers that are no signature at all; a contract wallet may use 65 bytes as it likes.
    return 'askChain';
  }
  if (recovered !== address) return 'askChain';
  // Somebody turned the wallet's own signature into its twin.
  return BigInt(`0x${signature.slice(66, 130)}`) <= S_MAX ? 'signed' : 'refused';
}

export const EVM_WALLETS: WalletSignatures = {
  accountName: 'Ethereum',
  namespace: 'eip155',
  check: checkEvmSignature,
};
