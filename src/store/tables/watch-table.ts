// Tokens that the operator watches, by command.

import { defineTable } from '../table.ts';

export const WATCH_TABLE = defineTable('token_watches', {
  key: { chain: 'text', token: 'text' },
  data: { added_at_ms: 'integer' },
});
