// The drill `npm run drill -- --webhooks`, in short.

import { test } from 'node:test';
import { runWebhookWeek } from './webhook-week.ts';

test('a bad week loses, repeats and reorders nothing', async (t) => {
  t.diagnostic(await runWebhookWeek(t, { engine: 'sqlite', kills: 6, hours: 110, seed: 11 }));
});
