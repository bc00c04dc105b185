// An operator migrates a store apart from serving, on both engines.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { BARE_ENV } from '../../test/bare-env.ts';
import { createTestDatabase } from '../../test/postgres.ts';
import { createTempFolder } from '../../test/start-service-process.ts';

async function run(env: Readonly<Record<string, string>>, ...typed: string[]) {
  const command = promisify(execFile)(process.execPath, ['src/cli/main.ts', ...typed], {
    env: { ...BARE_ENV, ...env },
  });
  return await command.catch((error: { stdout: string; stderr: string }) => error);
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`with MIGRATE=off a store on ${engine} waits for the command`, async (t) => {
    const pepper = { KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}` };
    const database = engine === 'sqlite' ? null : await createTestDatabase();
    t.after(() => database?.drop());
    const place = database === null ? {} : { DATABASE_URL: database.url, ...pepper };
    const env = { DATA_DIR: createTempFolder(t), MIGRATE: 'off', ...place };
    const refused = await run(env, 'pause', 'list');
    assert.match(refused.stderr, /lacks the migration "first-schema".*npx mintwire migrate/);
    const migrated = await run(env, 'migrate');
    assert.match(
      migrated.stdout,
      /migrated: first-schema\n(?:migrated: [\w-]+\n)*migrated: first-access-schema\n(?:migrated: [\w-]+\n)*\d migrations were run/,
    );
    assert.match((await run(env, 'migrate')).stdout, /up to date/);
    assert.equal((await run(env, 'pause', 'list')).stderr, '');
  });
}

test('an operator divides the tables of a store that keeps rows for some days', async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const pepper = { KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}` };
  const env = { DATA_DIR: createTempFolder(t), DATABASE_URL: database.url, ...pepper };
  assert.match((await run(env, 'migrate', '--divide')).stderr, /neither RETAIN_TRADES_DAYS nor/);
  const kept = { ...env, RETAIN_TRADES_DAYS: '30' };
  assert.match((await run(kept, 'migrate')).stdout, /^The store is up to date\.\n$/);
  assert.match((await run(kept, 'migrate', '--divide')).stdout, /^trades: divided by time\n/);
  assert.match((await run(kept, 'migrate', '--divide')).stdout, /^trades: were divided before\n/);
  const { stderr } = await run({ DATA_DIR: createTempFolder(t) }, 'migrate', '--divide');
  assert.match(stderr, /only a PostgreSQL store/);
});
