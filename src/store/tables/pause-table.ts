// Tokens that are or were paused; each change has a number above all earlier ones.

import { defineTable } from '../table.ts';

export const PAUSE_TABLE = defineTable('token_pauses', {
  key: { chain: 'text', token: 'text' },
  data: { paused: 'integer', changed_at_ms: 'integer', version: 'integer' },
});
