// The name of one life of a chain's index.

import { randomBytes } from 'node:crypto';

const EPOCH_BYTES = 8;

export function createEpoch(): string {
  return randomBytes(EPOCH_BYTES).toString('hex');
}
