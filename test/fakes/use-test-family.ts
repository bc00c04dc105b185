// Puts the test family in the place of the EVM family, in each thread of a service that is started
// with `--import` of this file.

import { FAMILIES } from '../../src/engines/chain-families.ts';
import { TEST_FAMILY } from './test-family.ts';

Object.assign(FAMILIES, { [TEST_FAMILY.name]: TEST_FAMILY });
