// Seals quotes with a fixed secret.

import { createHmac } from 'node:crypto';
import type { Sealer } from '../src/trading/quote/quote-seal.ts';

export const TEST_SEALER: Sealer = {
  mark: (text) => createHmac('sha256', 'test').update(text).digest('base64url').slice(0, 22),
  isMark: (text, mark) => TEST_SEALER.mark(text) === mark,
};
