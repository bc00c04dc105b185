// Every kind of credential, and the expected result of each kind of operation.

import { createToken } from '../../src/access/secret-token.ts';
import type { AccessClient } from '../access-client.ts';
import type { ManualClock } from '../fakes/manual-clock.ts';
import { createEvmWallet, createSolanaWallet } from '../wallets.ts';

export const PAGE = 'https://console.example';
export const PRIVATE_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const FOREIGN_PAGE = 'https://evil.example';
const COOKIE = '__Host-mw_session';

/** What decides about a credential. */
export type MatrixRow =
  | ('free' | 'public' | 'agent')
  | ('sessionRead' | 'sessionWrite' | 'ownerRead' | 'ownerWrite');

export type Headers = readonly (readonly [name: string, value: string])[];

/** `in`, or the status and code of the rejection; and which budget was charged. */
interface Cell {
  readonly answer: string;
  readonly level: 'anonymous' | 'key' | 'session' | 'ip' | 'unmetered';
}

export interface MatrixCredential {
  readonly name: string;
  readonly cells: Readonly<Record<MatrixRow, Cell>>;
  /** In the query, where a credential does not belong. */
  readonly query?: string;
  create(scene: CredentialScene): Promise<Headers>;
}

/** Credentials issued so long ago that they have expired. */
interface OldCredentials {
  readonly key: string;
  readonly token: string;
  readonly cookie: string;
}

export interface CredentialScene {
  readonly client: AccessClient;
  readonly clock: ManualClock;
  readonly old: OldCredentials;
}

const IN_UNMETERED: Cell = { answer: 'in', level: 'unmetered' };
/** A rejected caller is charged by its address. */
const refuse = (answer: string): Cell => ({ answer, level: 'ip' });
const letIn = (level: Cell['level']): Cell => ({ answer: 'in', level });

type Cells = MatrixCredential['cells'];

/** Rejected wherever credentials are checked. */
function refuseAll(code: string): Cells {
  const cell = refuse(`401 ${code}`);
  return {
    free: IN_UNMETERED,
    public: cell,
    agent: cell,
    sessionRead: cell,
    sessionWrite: cell,
    ownerRead: cell,
    ownerWrite: cell,
  };
}

function letInBelowSessions(level: 'anonymous' | 'key'): Cells {
  const refused = refuse('401 WALLET_SESSION_REQUIRED');
  // A key has the scope only if it was named.
  const owned = level === 'key' ? refuse('403 KEY_NOT_PERMITTED') : refused;
  const cell = letIn(level);
  return {
    free: IN_UNMETERED,
    public: cell,
    agent: cell,
    sessionRead: refused,
    sessionWrite: refused,
    ownerRead: owned,
    ownerWrite: owned,
  };
}

const NOBODY = letInBelowSessions('anonymous');
const BY_KEY = letInBelowSessions('key');
const BAD_KEY = refuseAll('INVALID_API_KEY');
const BAD_SESSION = refuseAll('INVALID_SESSION');
const REFUSED_PRIVATE_KEY = refuseAll('PRIVATE_KEY_REFUSED');

const BY_TOKEN: Cells = {
  free: IN_UNMETERED,
  public: letIn('session'),
  agent: refuse('401 INVALID_API_KEY'),
  sessionRead: letIn('session'),
  sessionWrite: letIn('session'),
  ownerRead: letIn('session'),
  ownerWrite: letIn('session'),
};

/** Agents have no cookies: theirs are ignored. */
const BY_COOKIE: Cells = { ...BY_TOKEN, agent: letIn('anonymous') };

const NOT_ALLOWED = refuse('403 ORIGIN_NOT_ALLOWED');

/** A foreign page, or none: reads with a cookie get a response, and the browser hides it. */
const BY_COOKIE_ELSEWHERE: Cells = {
  ...{ ...BY_COOKIE, agent: NOT_ALLOWED },
  ...{ sessionWrite: NOT_ALLOWED, ownerWrite: NOT_ALLOWED },
};

/** An invalid cookie reads as anonymous, and cannot do what needs a session. */
const STALE_COOKIE: Cells = {
  ...NOBODY,
  sessionRead: refuse('401 INVALID_SESSION'),
  sessionWrite: refuse('401 INVALID_SESSION'),
  ownerRead: refuse('401 INVALID_SESSION'),
  ownerWrite: refuse('401 INVALID_SESSION'),
};

const IN_QUERY: Cells = {
  free: { answer: '400 INVALID_INPUT', level: 'unmetered' },
  public: { answer: '400 INVALID_INPUT', level: 'anonymous' },
  agent: { answer: '400 INVALID_INPUT', level: 'anonymous' },
  sessionRead: NOBODY.sessionRead,
  sessionWrite: NOBODY.sessionWrite,
  ownerRead: NOBODY.ownerRead,
  ownerWrite: NOBODY.ownerWrite,
};

async function signIn({ client }: Pick<CredentialScene, 'client'>): Promise<string> {
  return (await client.signIn(createEvmWallet())).token;
}

async function issueKey(scene: Pick<CredentialScene, 'client'>): Promise<string> {
  return (await scene.client.issueKey(await signIn(scene))).key;
}

function signInByCookie({ client }: Pick<CredentialScene, 'client'>): Promise<string> {
  return client.signInByCookie(createEvmWallet(), PAGE);
}

function bearer(secret: string): Headers {
  return [['Authorization', `Bearer ${secret}`]];
}

async function revokedKey({ client }: CredentialScene): Promise<string> {
  const token = await signIn({ client });
  const { id, key } = await client.issueKey(token);
  // Used once, so that it is known to work.
  await client.send('GET', '/entitlements', { bearer: key });
  await client.send('DELETE', `/keys?id=${id}`, { bearer: token });
  return key;
}

async function endedToken({ client }: CredentialScene): Promise<string> {
  const token = await signIn({ client });
  await client.send('DELETE', '/auth/session', { bearer: token });
  return token;
}

async function endedCookie(scene: CredentialScene): Promise<string> {
  const cookie = await signInByCookie(scene);
  const headers = { cookie, origin: PAGE };
  await scene.client.send('DELETE', '/auth/session', { headers });
  return cookie;
}

/** One character of the body changed: the checksum is wrong. */
function alter(secret: string): string {
  return `${secret.slice(0, 20)}${secret[20] === 'a' ? 'b' : 'a'}${secret.slice(21)}`;
}

function define(
  name: string,
  cells: Cells,
  create: (scene: CredentialScene) => Headers | Promise<Headers>,
): MatrixCredential {
  return { name, cells, create: async (scene) => create(scene) };
}

const KEYS: readonly MatrixCredential[] = [
  define('a key', BY_KEY, async (scene) => bearer(await issueKey(scene))),
  define('a key of a Solana wallet', BY_KEY, async ({ client }) => {
    const { token } = await client.signIn(createSolanaWallet());
    return bearer((await client.issueKey(token)).key);
  }),
  define('a key under a small scheme', BY_KEY, async (scene) => [
    ['Authorization', `bearer   ${await issueKey(scene)}`],
  ]),
  define('a revoked key', BAD_KEY, async (scene) => bearer(await revokedKey(scene))),
  define('an expired key', BAD_KEY, ({ old }) => bearer(old.key)),
  define('a well-formed key of nobody', BAD_KEY, () => bearer(createToken('key'))),
  define('an altered key', BAD_KEY, async (scene) => bearer(alter(await issueKey(scene)))),
  define('a longer key', BAD_KEY, async (scene) => bearer(`${await issueKey(scene)}0`)),
  define('a shorter key', BAD_KEY, async (scene) => bearer((await issueKey(scene)).slice(0, -1))),
  define('the shown part of a key', BAD_KEY, () => bearer('mw_live_7Fq2')),
  define('a key without a scheme', BAD_KEY, async (scene) => [
    ['Authorization', await issueKey(scene)],
  ]),
  define('a key as a Basic password', BAD_KEY, async (scene) => [
    ['Authorization', `Basic ${btoa(`key:${await issueKey(scene)}`)}`],
  ]),
  define('a key in X-Api-Key', NOBODY, async (scene) => [['X-Api-Key', await issueKey(scene)]]),
  define('a key as a cookie', STALE_COOKIE, async (scene) => [
    ['Cookie', `${COOKIE}=${await issueKey(scene)}`],
  ]),
  { ...define('a key in the query', IN_QUERY, () => []), query: `api_key=${createToken('key')}` },
  { ...define('a token in the query', IN_QUERY, () => []), query: `access_token=x` },
];

const SESSIONS: readonly MatrixCredential[] = [
  define('a session token', BY_TOKEN, async (scene) => bearer(await signIn(scene))),
  define('a session token of a Solana wallet', BY_TOKEN, async ({ client }) =>
    bearer((await client.signIn(createSolanaWallet())).token),
  ),
  define(
    'a session token with a foreign origin',
    { ...BY_TOKEN, agent: NOT_ALLOWED },
    async (scene) => [...bearer(await signIn(scene)), ['Origin', FOREIGN_PAGE]],
  ),
  define('an ended session', BAD_SESSION, async (scene) => bearer(await endedToken(scene))),
  define('an expired session', BAD_SESSION, ({ old }) => bearer(old.token)),
  define('a well-formed session of nobody', BAD_SESSION, () => bearer(createToken('session'))),
  define('an altered session token', BAD_SESSION, async (scene) =>
    bearer(alter(await signIn(scene))),
  ),
  define('a cookie as a bearer', BAD_SESSION, async (scene) =>
    bearer((await signInByCookie(scene)).split('=')[1] ?? ''),
  ),
];

const COOKIES: readonly MatrixCredential[] = [
  define('a cookie of the own page', BY_COOKIE, async (scene) => [
    ['Cookie', await signInByCookie(scene)],
    ['Origin', PAGE],
  ]),
  define('a cookie among others', BY_COOKIE, async (scene) => [
    ['Cookie', `theme=dark; ${await signInByCookie(scene)}; x=y`],
    ['Origin', PAGE],
  ]),
  define(
    'a cookie without an origin',
    { ...BY_COOKIE_ELSEWHERE, agent: letIn('anonymous') },
    async (scene) => [['Cookie', await signInByCookie(scene)]],
  ),
  ...[FOREIGN_PAGE, 'null', `${PAGE}.evil.example`, `${PAGE}:8443`, 'http://console.example'].map(
    (origin) =>
      define(`a cookie with the origin ${origin}`, BY_COOKIE_ELSEWHERE, async (scene) => [
        ['Cookie', await signInByCookie(scene)],
        ['Origin', origin],
      ]),
  ),
  define('an ended cookie', STALE_COOKIE, async (scene) => [
    ['Cookie', await endedCookie(scene)],
    ['Origin', PAGE],
  ]),
  define('an expired cookie', STALE_COOKIE, ({ old }) => [
    ['Cookie', old.cookie],
    ['Origin', PAGE],
  ]),
  define('a garbage cookie', STALE_COOKIE, () => [['Cookie', `${COOKIE}=garbage`]]),
  define('a cookie of the plain name', NOBODY, async (scene) => [
    ['Cookie', (await signInByCookie(scene)).replace(COOKIE, 'mw_session')],
    ['Origin', PAGE],
  ]),
  define('a session token as a cookie', STALE_COOKIE, async (scene) => [
    ['Cookie', `${COOKIE}=${await signIn(scene)}`],
    ['Origin', PAGE],
  ]),
  define('a cookie and a key', BY_KEY, async (scene) => [
    ['Cookie', await signInByCookie(scene)],
    ['Origin', PAGE],
    ...bearer(await issueKey(scene)),
  ]),
  define('a cookie and a garbage bearer', BAD_KEY, async (scene) => [
    ['Cookie', await signInByCookie(scene)],
    ['Origin', PAGE],
    ...bearer('nonsense'),
  ]),
];

const NUMBERS = JSON.stringify(Array.from({ length: 64 }, (_, index) => index));

const OTHERS: readonly MatrixCredential[] = [
  define('nothing', NOBODY, () => []),
  define('nothing, from a foreign page', { ...NOBODY, agent: NOT_ALLOWED }, () => [
    ['Origin', FOREIGN_PAGE],
  ]),
  define('an empty header', BAD_KEY, () => [['Authorization', '']]),
  define('a scheme alone', BAD_KEY, () => [['Authorization', 'Bearer']]),
  define('garbage', BAD_KEY, () => bearer('nonsense')),
  define('a JWT', BAD_KEY, () => bearer('eyJhbGciOiJub25lIn0.eyJzdWIiOiIweCJ9.')),
  define('a private key', REFUSED_PRIVATE_KEY, () => bearer(PRIVATE_KEY)),
  define('a private key without 0x', REFUSED_PRIVATE_KEY, () => bearer(PRIVATE_KEY.slice(2))),
  define('a private key alone', REFUSED_PRIVATE_KEY, () => [['Authorization', PRIVATE_KEY]]),
  define('a private key under another scheme', REFUSED_PRIVATE_KEY, () => [
    ['Authorization', `Token ${PRIVATE_KEY}`],
  ]),
  define('a private key in base58', REFUSED_PRIVATE_KEY, () => bearer('5'.repeat(88))),
  define('a private key as numbers', REFUSED_PRIVATE_KEY, () => bearer(NUMBERS)),
  define('a private key as a cookie', { ...REFUSED_PRIVATE_KEY, agent: letIn('anonymous') }, () => [
    ['Cookie', `${COOKIE}=${PRIVATE_KEY}`],
  ]),
  // Of two headers the first counts, before any handler.
  define('a key, then a session', BY_KEY, async (scene) => [
    ...bearer(await issueKey(scene)),
    ...bearer(await signIn(scene)),
  ]),
  define('garbage, then a session', BAD_KEY, async (scene) => [
    ...bearer('nonsense'),
    ...bearer(await signIn(scene)),
  ]),
  define('a key and a session in one header', BAD_KEY, async (scene) => [
    ['Authorization', `Bearer ${await issueKey(scene)}, Bearer ${await signIn(scene)}`],
  ]),
];

export const CREDENTIALS = {
  list: [...OTHERS, ...KEYS, ...SESSIONS, ...COOKIES],
  /** Call it before the clock advances by a day. */
  createOld: async (client: AccessClient): Promise<OldCredentials> => {
    const token = await signIn({ client });
    const body = { name: 'brief', expiresInDays: 1 };
    const issued = await client.send('POST', '/keys', { body, bearer: token });
    const cookie = await signInByCookie({ client });
    return { key: String(issued.body['key']), token, cookie };
  },
} as const;
