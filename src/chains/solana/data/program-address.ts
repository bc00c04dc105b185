// Addresses of accounts that a program owns by their name (PDAs): a hash of the seeds that is no
// point of the Ed25519 curve, so that no key can sign for it.

import { createHash } from 'node:crypto';
import { decodeBase58, encodeBase58 } from '../../../lib/base58.ts';
import type { Address } from '../../../model/ids.ts';
import { toSolanaAddress } from './solana-ids.ts';

const PRIME = 2n ** 255n - 19n;
const SIGN_BIT = 1n << 255n;
const BUMP_MAX = 255;
const MARK = 'ProgramDerivedAddress';

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base % PRIME];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % PRIME;
    square = (square * square) % PRIME;
  }
  return result;
}

/** d of the curve −x² + y² = 1 + d·x²·y²: −121665/121666. */
const D = (PRIME - 121665n) * power(121666n, PRIME - 2n);

/** Whether the bytes are the y of a point, with the sign of its x in the top bit. */
function isOnCurve(bytes: Buffer): boolean {
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const y = (number & (SIGN_BIT - 1n)) % PRIME;
  const squared = (y * y) % PRIME;
  const numerator = (squared - 1n + PRIME) % PRIME;
  const denominator = (D * squared + 1n) % PRIME;
  const square = (numerator * power(denominator, PRIME - 2n)) % PRIME;
  // Euler's criterion: zero and squares have a root.
  return square === 0n || power(square, (PRIME - 1n) / 2n) === 1n;
}

/** A seed is text, or bytes; an address is a seed by its 32 bytes. */
export function findProgramAddress(
  program: Address,
  seeds: readonly (Uint8Array | string)[],
): Address {
  const programBytes = decodeBase58(program) ?? Buffer.alloc(0);
  for (let bump = BUMP_MAX; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const digest = hash.update(Uint8Array.of(bump)).update(programBytes).update(MARK).digest();
    if (!isOnCurve(digest)) return toSolanaAddress(encodeBase58(digest));
  }
  throw new Error(`no address for the seeds of ${program}`);
}

export function toSeed(address: Address): Uint8Array {
  return decodeBase58(address) ?? new Uint8Array();
}

/** Whether a key may sign for the address: it is a point of the curve. */
export function isSignable(address: Address): boolean {
  return isOnCurve(Buffer.from(toSeed(address)));
}
