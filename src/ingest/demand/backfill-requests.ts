// What fills in the history of a token that was looked up.

import type { Address } from '../../model/ids.ts';

export interface BackfillRequests {
  /** Called after each lookup that found the token; must be cheap if nothing is due. */
  request(token: Address): void;
}
