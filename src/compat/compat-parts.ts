// What the shapes of other APIs know besides what operations answer.

import type { OutputOf } from '../contract/operation.ts';
import type { getChains } from '../contract/operations/get-chains.ts';
import type { Clock } from '../lib/clock.ts';

export interface CompatParts {
  /** The followed chains. */
  listChains(): readonly Pick<OutputOf<typeof getChains>['chains'][number], 'slug' | 'caip2'>[];
  readonly clock: Clock;
  /** Where browsers reach this server, without a slash at the end. */
  readOrigin(): string;
}
