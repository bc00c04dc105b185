// The name of one life of a chain's index.

import { randomBytes } from 'node:crypto';

const EPOCH_BYTES = 8;

/** Of a chain that is being deleted; see `forget-chain.ts`. */
export const FORGOTTEN_EPOCH = 'forgotten';

export function createEpoch(): string {
  return randomBytes(EPOCH_BYTES).toString('hex');
}
