// Every operation × every credential, made from the operation list: a new one cannot be forgotten.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Service, startService } from '../../src/compose/start-service.ts';
import { loadConfig } from '../../src/config.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { ManualClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { type AccessClient, createAccessClient, type SendOptions } from '../access-client.ts';
import { PLENTY_ENV } from '../start-access.ts';
import { createEvmWallet, createSolanaWallet } from '../wallets.ts';

const PAGE = 'https://console.example';
const PRIVATE_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const DAY_MS = 86_400_000;

/** Codes by which the gate refuses a credential; anything else means that it let the caller in. */
const REFUSALS = new Set([
  'INVALID_API_KEY',
  'INVALID_SESSION',
  'WALLET_SESSION_REQUIRED',
  'PRIVATE_KEY_REFUSED',
  'ORIGIN_NOT_ALLOWED',
]);

interface Credential {
  readonly name: string;
  /** What each kind of operation says to it: a code, or null where the caller is let in. */
  readonly expected: Readonly<Record<Operation['access'], string | null>>;
  /** Fresh for each operation, because some of them end the session that calls. */
  create(client: AccessClient, setting: Setting): Promise<SendOptions>;
}

interface Setting {
  readonly expiredKey: string;
  readonly clock: ManualClock;
}

async function createSession(client: AccessClient): Promise<string> {
  return (await client.signIn(createEvmWallet())).token;
}

const refusedEverywhere = (code: string) => ({ public: code, key: code, session: code });
const letInEverywhere = { public: null, key: null, session: null };
/** Where sessions are not taken a cookie counts as nothing, and a token as a bad key. */
const letInByToken = { ...letInEverywhere, key: 'INVALID_API_KEY' };

const CREDENTIALS: readonly Credential[] = [
  {
    name: 'anonymous',
    expected: { ...letInEverywhere, session: 'WALLET_SESSION_REQUIRED' },
    create: async () => ({}),
  },
  {
    name: 'a key',
    expected: { ...letInEverywhere, session: 'WALLET_SESSION_REQUIRED' },
    create: async (client) => {
      return { bearer: (await client.issueKey(await createSession(client))).key };
    },
  },
  {
    name: 'a revoked key',
    expected: refusedEverywhere('INVALID_API_KEY'),
    create: async (client) => {
      const token = await createSession(client);
      const { id, key } = await client.issueKey(token);
      await client.send('GET', '/entitlements', { bearer: key });
      await client.send('DELETE', `/keys?id=${id}`, { bearer: token });
      return { bearer: key };
    },
  },
  {
    name: 'an expired key',
    expected: refusedEverywhere('INVALID_API_KEY'),
    create: async (_client, { expiredKey }) => ({ bearer: expiredKey }),
  },
  {
    name: 'garbage',
    expected: refusedEverywhere('INVALID_API_KEY'),
    create: async () => ({ bearer: 'nonsense' }),
  },
  {
    name: 'a session of a browser',
    expected: letInEverywhere,
    create: async (client) => {
      const cookie = await client.signInByCookie(createEvmWallet(), PAGE);
      return { headers: { cookie, origin: PAGE } };
    },
  },
  {
    name: 'a session of a program',
    expected: letInByToken,
    create: async (client) => ({ bearer: await createSession(client) }),
  },
  {
    name: 'an ended session',
    expected: refusedEverywhere('INVALID_SESSION'),
    create: async (client) => {
      const token = await createSession(client);
      await client.send('DELETE', '/auth/session', { bearer: token });
      return { bearer: token };
    },
  },
  {
    name: "another wallet's session",
    expected: letInByToken,
    create: async (client) => ({ bearer: (await client.signIn(createSolanaWallet())).token }),
  },
  {
    name: 'a wallet private key',
    expected: refusedEverywhere('PRIVATE_KEY_REFUSED'),
    create: async () => ({ bearer: PRIVATE_KEY }),
  },
];

async function ask(client: AccessClient, operation: Operation, options: SendOptions) {
  const { input } = operation.example;
  if (operation.method === 'POST') {
    return client.send('POST', operation.path, { ...options, body: input });
  }
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const path = query === '' ? operation.path : `${operation.path}?${query}`;
  return client.send(operation.method, path, options);
}

/** Operations that are not metered look at no credentials. */
function toExpected(operation: Operation, credential: Credential): string | null {
  return operation.cost === 'free' ? null : credential.expected[operation.access];
}

describe('the level matrix', () => {
  let client: AccessClient;
  let setting: Setting;
  const logLines: string[] = [];

  let service: Service;
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-matrix-'));

  before(async () => {
    const clock = new ManualClock(Date.now());
    service = await startService({
      config: loadConfig({
        ...PLENTY_ENV,
        DATA_DIR: folder,
        DEVNET: 'off',
        PORT: '0',
        METRICS_PORT: '0',
        PUBLIC_ORIGIN: PAGE,
        OVERLOAD_LAG_MS: '1000000000',
        LIMIT_CHALLENGES_MAX: '1000000',
      }),
      version: '0.0.0',
      logger: createLogger({
        level: 'trace',
        format: 'json',
        sink: { write: (line) => logLines.push(line) },
      }),
      clock,
    });
    client = createAccessClient(service.url.replace(/\/v1$/, ''));
    const token = await createSession(client);
    const body = { name: 'brief', expiresInDays: 1 };
    const issued = await client.send('POST', '/keys', { body, bearer: token });
    clock.advance(DAY_MS);
    setting = { expiredKey: String(issued.body['key']), clock };
  });

  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const operation of operations as readonly Operation[]) {
    for (const credential of CREDENTIALS) {
      const expected = toExpected(operation, credential);
      const title = `${operation.method} ${operation.path} with ${credential.name}`;
      test(`behavior: ${title}: ${expected ?? 'let in'}`, async () => {
        const options = await credential.create(client, setting);
        const answer = await ask(client, operation, options);
        const { code } = answer.body;
        if (expected !== null) {
          assert.deepEqual([answer.status, code], [401, expected]);
          assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm=/);
          assert.equal(answer.headers.get('cache-control'), 'no-store');
          return;
        }
        assert.ok(!REFUSALS.has(code ?? ''), `${answer.status} ${code}`);
        assert.ok(answer.status < 500 || code === 'NOT_READY', `${answer.status} ${code}`);
        if (operation.access === 'session') {
          assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"session"/);
        }
      });
    }
  }

  test('behavior: nothing of a credential is in the log', () => {
    const text = logLines.join('');
    assert.ok(logLines.length > operations.length * CREDENTIALS.length);
    assert.doesNotMatch(text, /mw_(live|sess)_/);
    assert.ok(!text.includes(PRIVATE_KEY.slice(2)));
  });
});
