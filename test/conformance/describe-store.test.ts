// Runs the store's suite on both engines.

import { describeStore } from './describe-store.ts';
import { createPostgresPlace, createSqlitePlace } from './store-place.ts';

describeStore('store on SQLite', createSqlitePlace);
describeStore('store on PostgreSQL', createPostgresPlace);
