// The drill `npm run drill -- --webhooks`, in short.

import { test } from 'node:test';
import { runWebhookWeek } from './webhook-week.ts';

test('a bad week loses, repeats and reorders nothing', async (t) => {
  t.diagnostic(await runWebhookWeek(t, { engine: 'sqlite', kills: 6, hours: 110, seed: 11 }));
});

test('another node takes over and loses nothing', async (t) => {
  t.diagnostic(await runWebhookWeek(t, { engine: 'postgres', kills: 2, hours: 16, seed: 12 }));
});
