// A real service on a real chain whose blocks go away; `indexing.long.test.ts` has kills, endpoints
// that fail, and the other engine.

import { describeReorganisations } from '../describe-indexing.ts';

describeReorganisations('sqlite');
