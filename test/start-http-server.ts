// Starts the HTTP application on a free port with a test's operations.

import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import Type from 'typebox';
import { createIdentify } from '../src/access/identify.ts';
import { defineOperation } from '../src/contract/operation.ts';
import { emptyInput } from '../src/contract/schemas/empty-input.ts';
import { DEFAULT_TIMEOUTS } from '../src/http/create-bare-server.ts';
import { createHttpServer, type HttpServerOptions } from '../src/http/create-http-server.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { Budget } from '../src/lib/limiter.ts';
import { createLogger } from '../src/telemetry/logger.ts';
import { Metrics } from '../src/telemetry/metrics.ts';
import type { Cleanup } from './start-service-process.ts';

export const PLENTY = { policy: 'anonymous', perMinute: 1_000_000, burst: 1_000_000 };

/** The one page that may use sessions. */
export const OWN_PAGE = 'https://console.example';

/** Very high limits, except those under test. */
export function buildLimits(small: { ip?: Budget; anonymous?: Budget }) {
  return {
    ipBudget: small.ip ?? { ...PLENTY, policy: 'ip' },
    budgets: {
      anonymous: small.anonymous ?? PLENTY,
      key: { ...PLENTY, policy: 'key' },
      session: { ...PLENTY, policy: 'session' },
    },
    identitiesMax: 1000,
  };
}

const shared = {
  tag: 'Market',
  summary: 'Test',
  description: 'Test.',
  cost: 'read',
  cacheControl: 'no-store',
  example: { input: {}, answer: {} },
} as const;

/** A GET without input that returns `{ok: true}` plus an undeclared field. */
export const getThing = defineOperation({
  ...shared,
  id: 'getThing',
  method: 'GET',
  path: '/thing',
  input: emptyInput,
  output: Type.Object({ ok: Type.Boolean() }, { additionalProperties: false }),
});

/** A POST with a small body. */
export const postThing = defineOperation({
  ...shared,
  id: 'postThing',
  method: 'POST',
  path: '/thing/make',
  input: Type.Object(
    { name: Type.String({ minLength: 1, maxLength: 10 }), count: Type.Optional(Type.Integer()) },
    { additionalProperties: false },
  ),
  output: Type.Object({ name: Type.String() }, { additionalProperties: false }),
});

export interface TestServer {
  readonly origin: string;
  readonly port: number;
  readonly metrics: Metrics;
  /** Every log line so far. */
  readonly logLines: string[];
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Writes bytes to a new connection and returns everything until it closes. */
  raw(text: string | Buffer): Promise<string>;
}

function sendRaw(port: number, text: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}

export async function startTestServer(
  t: Pick<TestContext, 'after'> | Cleanup,
  options: Partial<HttpServerOptions> = {},
): Promise<TestServer> {
  const logLines: string[] = [];
  const metrics = new Metrics();
  const server = createHttpServer({
    operations: [getThing, postThing],
    handlers: {
      getThing: () => ({ ok: true, secret: 'not declared' }),
      postThing: (input) => ({ name: (input as { name: string }).name, secret: 'x' }),
    },
    limits: buildLimits({}),
    // Nobody has a key or a session here.
    access: {
      identify: createIdentify({ key: () => null, session: () => null }),
      countUse: () => undefined,
    },
    isAllowedOrigin: (origin) => origin === OWN_PAGE,
    isSecure: false,
    trustedProxies: [],
    // Event-loop lag on a loaded test machine must not affect most tests.
    overload: { requestsMax: 1000, lagMaxMs: 60_000 },
    timeouts: DEFAULT_TIMEOUTS,
    clock: systemClock,
    createRequestId: () => crypto.randomUUID(),
    logger: createLogger({
      level: 'info',
      format: 'json',
      sink: { write: (line) => logLines.push(line) },
    }),
    metrics,
    isDraining: () => false,
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    port,
    metrics,
    logLines,
    get: (path, init) => fetch(`${origin}${path}`, { redirect: 'manual', ...init }),
    raw: (text) => sendRaw(port, text),
  };
}
