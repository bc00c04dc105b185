// Where data is stored.

import { resolve } from 'node:path';
import { integer, oneOf, optionalSetting, setting, urlWith } from './setting.ts';

export const STORE_SETTINGS = {
  dataDir: setting('DATA_DIR', (text) => resolve(text), {
    group: 'Store',
    why: 'The folder for all stored data; it is created if missing.',
    example: '/var/lib/mintwire',
    fallback: './data',
  }),
  databaseUrl: optionalSetting('DATABASE_URL', urlWith(['postgres:', 'postgresql:']), {
    group: 'Store',
    why: 'A PostgreSQL database to use instead of the embedded SQLite files.',
    example: 'postgres://mintwire:secret@db.internal/mintwire',
    secret: true,
  }),
  databaseReadUrl: optionalSetting('DATABASE_READ_URL', urlWith(['postgres:', 'postgresql:']), {
    group: 'Store',
    why: 'A hot standby of that database. Answers are read from it while it is not behind what this process has already told, otherwise from `DATABASE_URL`; keys, sessions and usage never are.',
    example: 'postgres://mintwire:secret@standby.internal/mintwire',
    secret: true,
  }),
  databasePoolSize: setting('DATABASE_POOL_SIZE', integer({ min: 1, max: 1000 }), {
    group: 'Store',
    why: 'How many PostgreSQL connections requests may use at once, on each server; one more looks whether the server is in order.',
    example: '20',
    fallback: '10',
  }),
  migrate: setting('MIGRATE', oneOf(['auto', 'off']), {
    group: 'Store',
    why: 'Whether a process that starts brings the store to its own version; with `off` it refuses an older one, and `npx mintwire migrate` does that on its own.',
    example: 'off',
    fallback: 'auto',
  }),
} as const;
