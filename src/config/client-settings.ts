// Settings of the commands that ask a server: `npx mintwire search` and others.

import { optionalSetting, setting, urlWith } from './setting.ts';

export const CLIENT_SETTINGS = {
  server: setting('MINTWIRE_SERVER', urlWith(['http:', 'https:']), {
    group: 'Command line',
    why: 'The server that `npx mintwire search`, `token`, `klines`, `trades`, `quote` and `watch` ask.',
    example: 'https://api.example.com',
    fallback: 'http://localhost:8080',
  }),
  key: optionalSetting('MINTWIRE_KEY', (text) => text, {
    group: 'Command line',
    why: 'The API key that those commands send to that server, and to no other, for a higher budget and longer lists.',
    example: 'mw_live_…',
    secret: true,
  }),
} as const;
