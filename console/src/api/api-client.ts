// The SDK's client of this server. The session is a cookie, so a script of the page never has it.

import { createClient } from '../../../sdk/src/create-client.ts';

const SERVER = {
  baseUrl: '/v1',
  session: 'cookie',
  // What the browser has kept is checked with the server before it is used.
  cache: 'no-cache',
} as const;

/** A short loss is repaired unseen; a longer wait is shown, and counted down. */
export const api = createClient({ ...SERVER, retry: { countMax: 1, waitMaxMs: 1500 } });

/** For a transaction that is on its way whatever we hear of it: asks until there is an answer. */
export const patientApi = createClient({ ...SERVER, retry: { countMax: 1000 } });
