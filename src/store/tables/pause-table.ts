// Tokens that are paused or were; each change has a number above all before it.

import { defineTable } from '../table.ts';

export const PAUSE_TABLE = defineTable('token_pauses', {
  key: { chain: 'text', token: 'text' },
  data: { paused: 'integer', changed_at_ms: 'integer', version: 'integer' },
});
