// A store whose connections are all in use is busy, not broken.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../../test/postgres.ts';
import { createPostgresStore } from './create-postgres-store.ts';

const LOOKS = 10;

test('the store is in order while requests wait for a connection', async (t) => {
  const database = await createTestDatabase();
  const store = await createPostgresStore({ url: database.url, poolSize: 1 });
  t.after(async () => {
    await store.close();
    await database.drop();
  });
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const writing = store.market.transaction('devnet', async () => {
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const waiting = store.market.readCheckpoint('devnet');
  try {
    // On a slow machine one look may take too long, but not all of them.
    let isInOrder = false;
    for (let look = 0; look < LOOKS && !isInOrder; look += 1) {
      isInOrder = await store.ping().then(
        () => true,
        () => false,
      );
    }
    assert.ok(isInOrder, `${LOOKS} looks in a row found it out of order`);
  } finally {
    held.resolve();
  }
  await Promise.all([writing, waiting]);
});
