// Ed25519 signatures of Solana wallets.

import { createPublicKey, verify } from 'node:crypto';
import { decodeBase58 } from '../../../lib/base58.ts';
import type { SignedText, WalletSignatures } from '../../wallet-signatures.ts';
import { isSignable } from './program-address.ts';

const SIGNATURE_BYTES = 64;

/** Wallets show base58 and pass base64 to pages; some texts are valid as both. */
function decodeCandidates(signature: string): Uint8Array[] {
  const candidates = [decodeBase58(signature)];
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(signature)) {
    candidates.push(Buffer.from(signature, 'base64'));
  }
  return candidates.filter(
    (bytes) => bytes !== null && bytes.length === SIGNATURE_BYTES,
  ) as Uint8Array[];
}

/**
 * Whether the owner of the address signed the text. The runtime rejects small-order points, for
 * which anybody could sign, and malleable signatures; the tests check that.
 */
function verifySolanaSignature(signed: SignedText): boolean {
  const keyBytes = decodeBase58(signed.address);
  if (keyBytes === null) return false;
  const x = Buffer.from(keyBytes).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const text = Buffer.from(signed.text, 'utf8');
  return decodeCandidates(signed.signature).some((candidate) => verify(null, text, key, candidate));
}

export const SOLANA_WALLETS: WalletSignatures = {
  accountName: 'Solana',
  namespace: 'solana',
  // Accounts of programs have addresses for which there is no key.
  canSign: isSignable,
  check: async (signed) => (verifySolanaSignature(signed) ? 'signed' : 'refused'),
};
