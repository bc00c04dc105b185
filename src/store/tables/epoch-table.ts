// One row per chain: the epoch of its index, and from which versions on its
// rollbacks and its news are known; and the server that it is of, if that tells.

import { defineTable } from '../table.ts';

export const EPOCH_TABLE = defineTable('chain_epochs', {
  key: { chain: 'text' },
  data: {
    epoch: 'text',
    forgotten_version: 'integer',
    news_forgotten_version: 'integer',
    server: 'text',
  },
});
