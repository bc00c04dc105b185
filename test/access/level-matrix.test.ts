// Every operation × every kind of credential: the expected result of each cell, by the contract's
// access rules. A new operation without a row fails.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CHALLENGE_LIFE_MS } from '../../src/access/sign-in.ts';
import { type Service, startService } from '../../src/compose/start-service.ts';
import { loadConfig } from '../../src/config.ts';
import { splitExample } from '../../src/contract/docs-page.ts';
import { hasBody, type Operation } from '../../src/contract/operation.ts';
import { type OperationId, operations } from '../../src/contract/operations.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createAccessClient } from '../access-client.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { type FuzzAnswer, sendRequest } from '../fuzz/send-request.ts';
import { PLENTY_ENV } from '../start-access.ts';
import {
  CREDENTIALS,
  type CredentialScene,
  type Headers,
  type MatrixCredential,
  type MatrixRow,
  PAGE,
  PRIVATE_KEY,
} from './matrix-credentials.ts';

const DAY_MS = 86_400_000;

/** Each operation's row, and its response to an admitted caller. No chain is followed here. */
const ROWS: Readonly<Record<OperationId, readonly [row: MatrixRow, letIn: string]>> = {
  getChains: ['public', '200'],
  searchTokens: ['public', '200'],
  listTokens: ['public', '200'],
  getToken: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getTokenPrice: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getPrices: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getKlines: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getTrades: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getHolders: ['public', '400 CHAIN_NOT_FOLLOWED'],
  listPools: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getPool: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getTokenSafety: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getTokenLogo: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getTraders: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getWalletBalances: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getWalletTrades: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getWalletPositions: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getTokenStream: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getUdfConfig: ['public', '200'],
  getUdfSymbol: ['public', '200'],
  searchUdf: ['public', '200'],
  getUdfHistory: ['public', '200'],
  getUdfTime: ['public', '200'],
  getUdfMarks: ['public', '200'],
  quoteTrade: ['public', '400 CHAIN_NOT_FOLLOWED'],
  buildTrade: ['sessionWrite', '400 CHAIN_NOT_FOLLOWED'],
  getTrade: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getTradeStatus: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getChainFees: ['public', '400 CHAIN_NOT_FOLLOWED'],
  getEntitlements: ['public', '200'],
  createChallenge: ['public', '200'],
  verifyChallenge: ['public', '401 CHALLENGE_EXPIRED'],
  getSessions: ['sessionRead', '200'],
  endSession: ['sessionWrite', '200'],
  endAllSessions: ['sessionWrite', '200'],
  getMe: ['sessionRead', '200'],
  getKeys: ['sessionRead', '200'],
  createKey: ['sessionWrite', '201'],
  revokeKey: ['sessionWrite', '404 KEY_NOT_FOUND'],
  getAlerts: ['ownerRead', '200'],
  createAlert: ['ownerWrite', '400 CHAIN_NOT_FOLLOWED'],
  deleteAlert: ['ownerWrite', '404 ALERT_NOT_FOUND'],
  getUsage: ['sessionRead', '200'],
  createWebhook: ['ownerWrite', '400 CHAIN_NOT_FOLLOWED'],
  getWebhooks: ['ownerRead', '200'],
  getWebhook: ['ownerRead', '404 WEBHOOK_NOT_FOUND'],
  updateWebhook: ['ownerWrite', '404 WEBHOOK_NOT_FOUND'],
  deleteWebhook: ['ownerWrite', '404 WEBHOOK_NOT_FOUND'],
  rotateWebhook: ['ownerWrite', '404 WEBHOOK_NOT_FOUND'],
  testWebhook: ['ownerWrite', '404 WEBHOOK_NOT_FOUND'],
  getWebhookDeliveries: ['ownerRead', '404 WEBHOOK_NOT_FOUND'],
  replayWebhook: ['ownerWrite', '404 WEBHOOK_NOT_FOUND'],
  callMcp: ['agent', '200'],
  getOpenapi: ['public', '200'],
  getDocs: ['public', '200'],
  getLlms: ['public', '200'],
  getHealth: ['free', '200'],
  getReady: ['free', '200'],
  getStatus: ['sessionRead', '403 OPERATOR_REQUIRED'],
};

/** Operations that end the caller's session. */
const ENDING = new Set<string>(['endSession', 'endAllSessions']);

function buildTarget(operation: Operation, { query = '' }: { readonly query?: string }): string {
  const { path, rest } = splitExample(operation);
  const input = hasBody(operation) ? {} : rest;
  const own = Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]);
  const text = [new URLSearchParams(own).toString(), query].filter((one) => one !== '').join('&');
  return `/v1${path}${text === '' ? '' : `?${text}`}`;
}

/** Status, code and, if admitted, the level that was charged. */
function formatCell(answer: FuzzAnswer): string {
  const { headers, status } = answer;
  const isProblem = headers['content-type']?.startsWith('application/problem+json') === true;
  const code = isProblem ? ` ${JSON.parse(answer.body.toString('utf8')).code}` : '';
  const [, level = 'unmetered'] = /^"(\w+)"/.exec(String(headers['ratelimit-policy'])) ?? [];
  return `${status}${code} as ${level}`;
}

function findExpected(operation: Operation, credential: MatrixCredential): string {
  const [row, letIn] = ROWS[operation.id as OperationId] ?? assert.fail('no row');
  const { answer, level } = credential.cells[row];
  return `${answer === 'in' ? letIn : answer} as ${level}`;
}

function assertRefusalHeaders(answer: FuzzAnswer): void {
  const { headers, status } = answer;
  if (status !== 401 && status !== 403) return;
  assert.equal(headers['cache-control'], 'no-store');
  if (status === 401) assert.match(headers['www-authenticate'] ?? '', /^Bearer realm=/);
}

describe('the level matrix', () => {
  const logLines: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-matrix-'));
  const agent = new Agent({ keepAlive: true });
  const shared = new Map<MatrixCredential, Promise<Headers>>();
  let service: Service;
  let scene: CredentialScene;
  let origin: string;

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
      }),
      version: '0.0.0',
      logger: createLogger({
        level: 'trace',
        format: 'json',
        sink: { write: (line) => logLines.push(line) },
      }),
      clock,
    });
    origin = service.url.replace(/\/v1$/, '');
    const client = createAccessClient(origin);
    scene = { client, clock, old: await CREDENTIALS.createOld(client) };
    clock.advance(DAY_MS);
  });

  after(async () => {
    agent.destroy();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function createHeaders(operation: Operation, credential: MatrixCredential): Promise<Headers> {
    if (ENDING.has(operation.id)) return credential.create(scene);
    const headers = shared.get(credential) ?? credential.create(scene);
    shared.set(credential, headers);
    return headers;
  }

  async function ask(operation: Operation, credential: MatrixCredential): Promise<FuzzAnswer> {
    const headers = await createHeaders(operation, credential);
    // The number of open challenges is limited.
    if (operation.id === 'createChallenge') scene.clock.advance(CHALLENGE_LIFE_MS);
    const isPost = hasBody(operation);
    const answer = await sendRequest(
      { origin, agent },
      {
        method: operation.method,
        target: buildTarget(operation, credential),
        headers: isPost ? [...headers, ['Content-Type', 'application/json']] : headers,
        body: isPost ? Buffer.from(JSON.stringify(splitExample(operation).rest)) : null,
      },
    );
    assert.ok(!('failure' in answer), JSON.stringify(answer));
    return answer;
  }

  test('every operation has a row', () => {
    assert.deepEqual(Object.keys(ROWS).sort(), operations.map(({ id }) => id).sort());
  });

  for (const operation of operations as readonly Operation[]) {
    const { method, path } = operation;
    test(`${method} ${path} with ${CREDENTIALS.list.length} credentials`, async () => {
      const cells: Record<string, string> = {};
      for (const credential of CREDENTIALS.list) {
        const answer = await ask(operation, credential);
        assertRefusalHeaders(answer);
        cells[credential.name] = formatCell(answer);
      }
      const expected = CREDENTIALS.list.map((one) => [one.name, findExpected(operation, one)]);
      assert.deepEqual(cells, Object.fromEntries(expected));
    });
  }

  test('nothing of a credential is in the log', () => {
    const text = logLines.join('');
    assert.ok(logLines.length > operations.length * CREDENTIALS.list.length);
    assert.doesNotMatch(text, /mw_(live|sess)_/);
    assert.ok(!text.includes(PRIVATE_KEY.slice(2)));
  });
});
