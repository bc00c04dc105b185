// fast-check with the seed of the run, for properties and samples that have none of their own.

import fc from 'fast-check';
import { RUN_SEED } from './run-seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: RUN_SEED });

export { fc };
