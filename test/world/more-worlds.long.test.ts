// Random worlds, in two files so that they run beside each other.

import { testSeeds } from './test-seeds.ts';

testSeeds(101, 200);
