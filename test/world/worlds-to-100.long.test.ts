// Random worlds, in files of 25: a file may take a quarter of an hour, on a slow machine, too.

import { testSeeds } from './test-seeds.ts';

testSeeds(76, 100);
