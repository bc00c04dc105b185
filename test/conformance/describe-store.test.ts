// Runs the store's suite on both engines; `describe-store.long.test.ts` opens them in other ways.

import { describeStore } from './describe-store.ts';
import { createPostgresPlace, createSqlitePlace } from './store-place.ts';

describeStore('store on SQLite', createSqlitePlace);
describeStore('store on PostgreSQL', createPostgresPlace);
