// Hostile requests on the other engine than `fuzz.test.ts`.

import { testHostileRequests } from './test-hostile-requests.ts';

testHostileRequests('postgres', 2);
