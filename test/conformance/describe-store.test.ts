// Runs the store's suite on both engines, and on SQLite as an indexer opens it.

import { describeStore } from './describe-store.ts';
import { createPostgresPlace, createSqlitePlace, createThreadedPlace } from './store-place.ts';

describeStore('store on SQLite', createSqlitePlace);
describeStore('store on SQLite, written on a thread', createThreadedPlace);
describeStore('store on PostgreSQL', createPostgresPlace);
