// The MCP endpoint with real reads and real access, in this process, on a fake chain.

import type { AnyHandler } from '../../src/contract/handler.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { callMcp } from '../../src/contract/operations/call-mcp.ts';
import { operations } from '../../src/contract/operations.ts';
import { ContractBook } from '../../src/market/contract-book.ts';
import { createAlerts } from '../../src/market/create-alerts.ts';
import { createGetTokenSafety } from '../../src/market/create-get-token-safety.ts';
import { createMcp, type McpOptions } from '../../src/mcp/create-mcp.ts';
import { PROMPTS } from '../../src/mcp/prompts.ts';
import { createResources, ERROR_TEMPLATE } from '../../src/mcp/resources.ts';
import { type AccessClient, createAccessClient } from '../access-client.ts';
import { buildFakeAddress } from '../fakes/fake-market.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { createMarketScene, type Json, type MarketScene } from '../market-scene.ts';
import { createTestAccess } from '../start-access.ts';
import { startTestServer, type TestServer } from '../start-http-server.ts';

/** A token of the fake chain that is traded in several pools. */
export const MINT = buildFakeAddress('aaaa', 10);

export const VERSION = '1.2.3';

export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

export interface McpServer extends AccessClient {
  readonly server: TestServer;
  readonly url: string;
  readonly clock: ManualClock;
  /** The operations that are served. */
  readonly operations: readonly Operation[];
  /** Errors that the endpoint logged. */
  readonly errors: string[];
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<McpAnswer>;
  /** One request of the revisions with a handshake, as `curl` would send it. */
  call(method: string, params?: object): Promise<Json>;
  callTool(name: string, input: object): Promise<Json>;
  /** The response of the tool's HTTP operation. */
  get(path: string): Promise<Json>;
}

export interface StartMcpOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Added to the endpoint, or replacing the service's own. */
  readonly content?: Partial<Pick<McpOptions, 'prompts' | 'resources' | 'templates'>>;
  /** A test's own operations and handlers. */
  readonly extra?: {
    readonly operations: readonly Operation[];
    readonly handlers: Readonly<Record<string, AnyHandler>>;
  };
}

const CHAINS = {
  chains: [
    {
      slug: 'devnet',
      caip2: 'eip155:1337',
      name: 'Local devnet',
      head: 300,
      finalized: 270,
      lagMs: 0,
      scope: 'all',
      venues: ['uniswap-v2'],
      native: { symbol: 'ETH', decimals: 18, priceUsd: null },
      explorerUrl: null,
      status: 'ready',
      progress: null,
      usdAnchor: null,
    },
  ],
};

interface Cleanup {
  after(work: () => unknown): void;
}

/** Nothing is measured here. */
function createSafety({ market }: MarketScene, clock: ManualClock): AnyHandler {
  const findSafety = () => null;
  const nowMs = () => clock.nowMs();
  const contracts = new ContractBook({ nowMs });
  return createGetTokenSafety({ ...market.parts, nowMs, findSafety, contracts }) as AnyHandler;
}

export async function startMcp(t: Cleanup, options: StartMcpOptions = {}): Promise<McpServer> {
  const scene = await createMarketScene(t as never, {
    ...{ engine: 'sqlite', seed: 12, finalityDepth: 30, blocks: 300 },
  });
  const clock = new ManualClock();
  const access = createTestAccess(scene.store, clock, options);
  t.after(() => access.stop());
  const handlers: Record<string, AnyHandler> = {
    ...({ ...scene.market.handlers, ...access.handlers } as object),
    ...(createAlerts({
      ...{ ...scene.market.parts, webhooks: scene.store.webhooks },
      ...{ clock, createId: () => 'al_1' },
    }) as object),
    ...options.extra?.handlers,
    getChains: () => CHAINS,
    getTokenSafety: createSafety(scene, clock),
  };
  const served: readonly Operation[] = [
    ...operations.filter((operation) => handlers[operation.id]),
    ...(options.extra?.operations ?? []),
  ];
  const errors: string[] = [];
  const mcp = createMcp({
    operations: served,
    handlers,
    version: VERSION,
    resources: createResources(served, { version: VERSION, guides: [] }),
    templates: [ERROR_TEMPLATE],
    prompts: PROMPTS,
    listChains: () => ['devnet'],
    logger: { error: (fields) => errors.push(String((fields as { err?: unknown }).err)) },
    ...options.content,
  });
  const { anonymous, key, session } = access.tiers;
  const server = await startTestServer(t as never, {
    operations: [...served, callMcp],
    handlers: { ...handlers, callMcp: mcp as AnyHandler },
    limits: {
      ipBudget: { policy: 'ip', perMinute: 1_000_000, burst: 1_000_000 },
      budgets: { anonymous: anonymous.budget, key: key.budget, session: session.budget },
      identitiesMax: 1000,
    },
    access,
    isAllowedOrigin: (origin) => origin === server.origin || access.origins.isAllowed(origin),
    overload: { requestsMax: 10_000, lagMaxMs: Number.MAX_SAFE_INTEGER },
    clock,
  });
  const url = `${server.origin}/v1/mcp`;
  async function post(body: unknown, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? null : JSON.parse(text),
    };
  }
  const call = async (method: string, params: object = {}) =>
    (await post({ jsonrpc: '2.0', id: 7, method, params })).json;
  return {
    ...createAccessClient(server.origin),
    ...{ server, url, clock, operations: served, errors, post, call },
    callTool: async (name, input) => (await call('tools/call', { name, arguments: input })).result,
    get: async (path) => (await fetch(`${server.origin}/v1${path}`)).json(),
  };
}

/** A request of the stateless revision: body and headers that agree. */
export function buildStatelessRequest(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): { readonly body: Json; readonly headers: Record<string, string> } {
  const name = params['name'] ?? params['uri'];
  return {
    body: {
      jsonrpc: '2.0',
      id: 'a',
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
  };
}
