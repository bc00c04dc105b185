// Ed25519 signatures of Solana wallets.

import { createPublicKey, verify } from 'node:crypto';
import { decodeBase58 } from '../lib/base58.ts';

const SIGNATURE_BYTES = 64;

/** Base58 as wallets show it, base64 as they hand it to pages; a text may be readable as either. */
function toCandidates(signature: string): Uint8Array[] {
  const candidates = [decodeBase58(signature)];
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(signature)) {
    candidates.push(Buffer.from(signature, 'base64'));
  }
  return candidates.filter(
    (bytes) => bytes !== null && bytes.length === SIGNATURE_BYTES,
  ) as Uint8Array[];
}

/**
 * The y coordinates of the eight points of small order, in every encoding that a verifier takes.
 * For such a "key" anybody can find signatures; no wallet has one, though the system program's
 * address is one of them.
 */
const SMALL_ORDER_KEYS: ReadonlySet<string> = new Set(
  [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ].flatMap((hex) => [hex, toOtherSign(hex)]),
);

/** The sign of x is the top bit of the last byte. */
function toOtherSign(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  bytes[31] = (bytes[31] ?? 0) | 0x80;
  return bytes.toString('hex');
}

/** Whether the owner of the address signed the text. */
export function verifySolanaSignature(signed: {
  readonly address: string;
  readonly text: string;
  readonly signature: string;
}): boolean {
  const keyBytes = decodeBase58(signed.address);
  if (keyBytes === null || SMALL_ORDER_KEYS.has(Buffer.from(keyBytes).toString('hex')))
    return false;
  const x = Buffer.from(keyBytes).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const text = Buffer.from(signed.text, 'utf8');
  return toCandidates(signed.signature).some((candidate) => verify(null, text, key, candidate));
}
