// Every kind of credential in a request: valid, ended, altered, misplaced.

import type { Dice } from './dice.ts';
import type { FuzzWallets } from './fuzz-wallets.ts';
import { HOSTILE_TEXTS } from './hostile-values.ts';
import { mutateText } from './mutate-text.ts';

export interface FuzzCredential {
  readonly kind: string;
  readonly headers: readonly (readonly [string, string])[];
  /** The secret that should work; null if none should. */
  readonly live: string | null;
}

export interface CredentialSource {
  readonly wallets: FuzzWallets;
  /** The page that may use sessions. */
  readonly page: string;
  readonly dice: Dice;
}

type Make = (source: CredentialSource) => Omit<FuzzCredential, 'kind'>;

const PRIVATE_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

function bearer(secret: string, live: string | null = null): Omit<FuzzCredential, 'kind'> {
  return { headers: [['Authorization', `Bearer ${secret}`]], live };
}

/** A secret of that kind, or one that never existed. */
function pickSecret(
  { wallets, dice }: CredentialSource,
  kind: 'token' | 'cookie' | 'key',
  state: 'live' | 'dead',
): string {
  const fallback = kind === 'cookie' ? 'mw_session=mw_sess_none' : 'mw_live_none';
  return dice.pickAny(wallets.list(kind, state)) ?? fallback;
}

function withLive(source: CredentialSource, kind: 'token' | 'key'): Omit<FuzzCredential, 'kind'> {
  const secret = pickSecret(source, kind, 'live');
  return bearer(secret, secret);
}

function withCookie(source: CredentialSource, origin: string | null): Omit<FuzzCredential, 'kind'> {
  const cookie = pickSecret(source, 'cookie', 'live');
  const headers: [string, string][] = [['Cookie', cookie]];
  if (origin !== null) headers.push(['Origin', origin]);
  return { headers, live: cookie };
}

const KINDS: readonly (readonly [number, string, Make])[] = [
  [30, 'none', () => ({ headers: [], live: null })],
  [20, 'key', (source) => withLive(source, 'key')],
  [20, 'session token', (source) => withLive(source, 'token')],
  [8, 'cookie', (source) => withCookie(source, source.page)],
  [2, 'cookie without origin', (source) => withCookie(source, null)],
  [2, 'cookie of a foreign page', (source) => withCookie(source, 'https://evil.example')],
  [2, 'cookie of no page', (source) => withCookie(source, 'null')],
  [2, 'dead key', (source) => bearer(pickSecret(source, 'key', 'dead'))],
  [2, 'dead token', (source) => bearer(pickSecret(source, 'token', 'dead'))],
  [
    2,
    'altered key',
    (source) => bearer(mutateText(pickSecret(source, 'key', 'live'), source.dice)),
  ],
  [
    2,
    'altered token',
    (source) => bearer(mutateText(pickSecret(source, 'token', 'live'), source.dice)),
  ],
  [2, 'hostile bearer', ({ dice }) => bearer(dice.pick(HOSTILE_TEXTS))],
  [1, 'private key', () => bearer(PRIVATE_KEY)],
  [
    1,
    'other scheme',
    (source) => ({
      headers: [['Authorization', `Basic ${btoa(`u:${pickSecret(source, 'key', 'live')}`)}`]],
      live: null,
    }),
  ],
  [
    1,
    'no scheme',
    (source) => ({ headers: [['Authorization', pickSecret(source, 'key', 'live')]], live: null }),
  ],
  [
    1,
    'two bearers',
    (source) => ({
      headers: [
        ['Authorization', `Bearer ${pickSecret(source, 'key', 'live')}`],
        ['Authorization', `Bearer ${pickSecret(source, 'token', 'live')}`],
      ],
      live: null,
    }),
  ],
  [
    1,
    'token as cookie',
    (source) => ({
      headers: [['Cookie', `mw_session=${pickSecret(source, 'token', 'live')}`]],
      live: null,
    }),
  ],
  [
    1,
    'hostile cookie',
    ({ dice }) => ({ headers: [['Cookie', `mw_session=${dice.pick(HOSTILE_TEXTS)}`]], live: null }),
  ],
  [
    1,
    'cookie and bearer',
    (source) => ({
      headers: [...withCookie(source, source.page).headers, ...withLive(source, 'key').headers],
      live: null,
    }),
  ],
];

const WEIGHED = KINDS.map(([weight, kind, make]) => [weight, { kind, make }] as const);

export function makeCredential(source: CredentialSource): FuzzCredential {
  const { kind, make } = source.dice.weigh(WEIGHED);
  return { kind, ...make(source) };
}
