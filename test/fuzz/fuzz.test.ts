// Hostile requests on SQLite; PostgreSQL is in `fuzz.long.test.ts`, long runs are `npm run fuzz`.

import { testHostileRequests } from './test-hostile-requests.ts';

testHostileRequests('sqlite', 1);
