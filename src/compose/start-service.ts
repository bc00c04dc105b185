// Wires the parts into a service.

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Access } from '../access/create-access.ts';
import { LookupLimits, type LookupLimitsOptions } from '../access/limits/lookup-limits.ts';
import { buildIpBudget, findTier, listTierBudgets, type Tiers } from '../access/tiers.ts';
import type { Config } from '../config.ts';
import type { Guide } from '../contract/guide.ts';
import type { AnyHandler, Handlers, RawHandler } from '../contract/handler.ts';
import type { LookupDesk } from '../contract/look-up-token.ts';
import { operations } from '../contract/operations.ts';
import { ChainConnections } from '../engines/chain-connections.ts';
import { openStore } from '../engines/open-store.ts';
import {
  createBareServer,
  createDrain,
  createMetricsServer,
  DEFAULT_TIMEOUTS,
} from '../http/create-bare-server.ts';
import { createHttpServer, type HttpServerOptions } from '../http/create-http-server.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { sleep } from '../lib/retry.ts';
import { decodeBatch, type EncodedBatch } from '../live/encode-batch.ts';
import type { ChainDirectory } from '../market/chain-status.ts';
import { createReadiness } from '../market/chain-status.ts';
import { createGetChains } from '../market/create-get-chains.ts';
import { createGetTokenSafety } from '../market/create-get-token-safety.ts';
import type { Market } from '../market/create-market.ts';
import { createReference } from '../market/create-reference.ts';
import { createUdf, createUdfReads } from '../market/create-udf.ts';
import type { TokenLists } from '../market/lists/token-lists.ts';
import type { ChainSafety } from '../market/market-parts.ts';
import type { Streams } from '../market/stream/create-streams.ts';
import { createMcp } from '../mcp/create-mcp.ts';
import { PROMPTS } from '../mcp/prompts.ts';
import { createResources, ERROR_TEMPLATE } from '../mcp/resources.ts';
import type { ChainSlug } from '../model/chain.ts';
import { openLogger } from '../runtime/open-logger.ts';
import { openPorts } from '../runtime/open-ports.ts';
import { upgradeStore } from '../runtime/upgrade-store.ts';
import type { WorkerLink } from '../runtime/worker-link.ts';
import type { MigrationProgress } from '../store/migrations/run-migrations.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { openAccess, openPeppers } from './open-access.ts';
import { openConsole } from './open-console.ts';
import { type EarlyPort, limitConnections } from './open-early-port.ts';
import { openLimits } from './open-limits.ts';
import { openMarket } from './open-market.ts';
import { openCredits, openFeed } from './open-sharing.ts';
import { openStatus } from './open-status.ts';
import { openStreams } from './open-streams.ts';
import { addDevnetList, openTokenLists } from './open-token-lists.ts';
import { openTrading, type Trading } from './open-trading.ts';
import { type FollowedChains, startChains } from './start-chains.ts';

// The guides in the service's reference, read from the docs folder.

/** In reading order for a newcomer. */
const FILES = [
  'quickstart.md',
  'api/market.md',
  'api/search.md',
  'api/wallets.md',
  'api/streams.md',
  'api/charts.md',
  'api/trading.md',
  'api/access.md',
  'api/limits.md',
  'api/mcp.md',
];

/** An install without the docs folder still serves the reference. */
export function readGuides(): readonly Guide[] {
  return FILES.flatMap((file) => {
    const url = new URL(`../../docs/${file}`, import.meta.url);
    if (!existsSync(url)) return [];
    const markdown = readFileSync(url, 'utf8');
    const id = file.replace(/^.*\/|\.md$/g, '');
    return [{ id, title: /^# (.*)$/m.exec(markdown)?.[1] ?? id, markdown }];
  });
}

// Opens the MCP endpoint with the operations and their reference.

interface OpenMcpOptions {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly version: string;
  readonly guides: readonly Guide[];
  readonly listChains: () => readonly string[];
  readonly logger: Pick<Logger, 'error'>;
}

function openMcp(options: OpenMcpOptions): RawHandler {
  return createMcp({
    ...options,
    operations,
    resources: createResources(operations, options),
    templates: [ERROR_TEMPLATE],
    prompts: PROMPTS,
  });
}

// Lookups of unknown tokens, within the limits of their callers' tiers.

interface OpenLookupsOptions {
  readonly config: Config;
  readonly chains: Pick<FollowedChains, 'tokens'>;
  readonly access: { readonly tiers: Tiers };
  readonly createLimiter: LookupLimitsOptions['createLimiter'];
  readonly clock: Clock;
}

/** Undefined if nothing is looked up. */
function openLookups(options: OpenLookupsOptions): LookupDesk | undefined {
  const { config, chains, access, createLimiter, clock } = options;
  if (!chains.tokens.isOn) return undefined;
  return new LookupLimits(chains.tokens, {
    tierOf: (identity) => findTier(access.tiers, identity),
    identitiesMax: config.limits.limiterIdentitiesMax,
    ...{ createLimiter, clock },
  });
}

// What trading has measured of pools, for the market's reads.

/** Null while the chain is being prepared. */
function findChainSafety(
  trading: Pick<Trading, 'chains'> | null,
  slug: ChainSlug,
): ChainSafety | null {
  const chain = trading?.chains.find(slug) ?? null;
  if (chain === null) return null;
  const { safetyCache, costs } = chain;
  return {
    unitName: costs.unitName,
    find: (pool) => safetyCache.get(pool) ?? null,
    isDoubted: (pool) => safetyCache.findDoubt(pool) === 'seen',
    sum: (pools, token) => safetyCache.ofToken(pools, (one) => one === token),
    note: (token) => chain.noteAsked(token),
  };
}

const WARM_LOOK_MS = 20;
const WARM_MAX_MS = 60_000;

interface ServiceOptions {
  readonly config: Config;
  readonly version: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** To the process that this one is a worker of; null or absent if it serves alone. */
  readonly link?: WorkerLink | null;
  /** The port of the API, if it is open already. */
  readonly earlyPort?: EarlyPort | null;
  /** Whether standard output is a terminal, for `LOG_FORMAT=auto`. */
  readonly terminal?: boolean;
}

export interface Service {
  readonly url: string;
  /** Empty of a worker: its primary serves the metrics of all. */
  readonly metricsUrl: string;
  readonly engine: Store['engine'];
  readonly logger: Logger;
  readonly chains: ChainDirectory;
  /** Resolves with the reason when the service cannot continue and should be stopped. */
  readonly failed: Promise<string>;
  /**
   * Drains: accepts no new connections; running requests finish or are cut after the grace time.
   */
  stop(): Promise<void>;
}

interface ProbeParts {
  readonly store: Store;
  readonly chains: ChainDirectory;
  readonly clock: Clock;
  readonly isDraining: () => boolean;
}

interface HandlerParts extends ProbeParts {
  readonly config: Config;
  readonly version: string;
  readonly market: Market;
  readonly streams: Streams;
  readonly trading: Trading;
  readonly access: Access;
  readonly getStatus: Handlers['getStatus'];
  readonly logger: Logger;
}

interface ServiceTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The operations that a process answers, and what it opened for them. */
interface Served {
  readonly handlers: Partial<Handlers>;
  readonly parts: readonly { stop(): Promise<void> }[];
  readonly findFile?: HttpServerOptions['findFile'];
  readonly endStreams: () => void;
  /** Whether everything that is indexed can be answered. */
  readonly isWarm: () => boolean;
}

/** Answered in every role. */
function createProbeHandlers(parts: ProbeParts) {
  return { getHealth: () => ({ status: 'ok' }) as const, getReady: createReadiness(parts) };
}

function createHandlers(parts: HandlerParts): Handlers {
  const about = { version: parts.version, guides: readGuides() };
  const handlers: Omit<Handlers, 'callMcp'> = {
    getChains: createGetChains({ ...parts.market.parts, directory: parts.chains }),
    ...parts.market.handlers,
    ...createUdf({
      reads: createUdfReads(parts.market),
      listChains: () => parts.chains.list().map(({ answer }) => answer),
      clock: parts.clock,
    }),
    getTokenSafety: createGetTokenSafety({
      ...parts.market.parts,
      standby: parts.market.standby,
      nowMs: () => parts.clock.nowMs(),
      contracts: parts.trading.contracts,
    }),
    ...parts.streams.handlers,
    ...parts.trading.handlers,
    ...parts.access.handlers,
    ...createProbeHandlers(parts),
    getStatus: parts.getStatus,
    ...createReference(operations, about),
  };
  const callMcp = openMcp({
    handlers: toAnyHandlers(handlers),
    ...about,
    listChains: () => parts.chains.list().map((chain) => chain.slug),
    logger: parts.logger,
  });
  return { ...handlers, callMcp };
}

async function openApi(
  shared: Omit<Parameters<typeof openMarket>[0], 'lists' | 'findSafety'> &
    Omit<Parameters<typeof openTrading>[0], 'market'> &
    Pick<Parameters<typeof openStreams>[0], 'sharedStreams'> &
    Pick<HandlerParts, 'version' | 'isDraining' | 'access' | 'getStatus'>,
  lists: TokenLists,
): Promise<Served> {
  // Trading reads the market, whose lists show what trading has measured.
  let measured: Trading | null = null;
  const findSafety = (slug: ChainSlug) => findChainSafety(measured, slug);
  const market = await openMarket({ ...shared, lists, findSafety });
  const streams = openStreams({ ...shared, market, directory: shared.chains });
  const trading = openTrading({ ...shared, market });
  measured = trading;
  const pages = openConsole(shared.logger);
  return {
    handlers: createHandlers({ ...shared, market, streams, trading }),
    parts: [market, trading, pages],
    findFile: pages.findFile,
    endStreams: () => {
      streams.stop();
      trading.endWaits();
    },
    isWarm: () =>
      shared.chains.slugs.every((slug) => {
        if (market.states.current(slug) === null) return true;
        const graph = trading.chains.find(slug)?.readGraph() ?? null;
        return graph !== null && market.search.isLoaded(slug);
      }),
  };
}

/** Each handler accepts what its operation's parser returns; the id ties the two together. */
function toAnyHandlers(handlers: object): Readonly<Record<string, AnyHandler>> {
  return handlers as Readonly<Record<string, AnyHandler>>;
}

function buildServerOptions(
  { config, access }: Pick<HandlerParts, 'config' | 'access'>,
  {
    handlers,
    limits,
  }: { handlers: Partial<Handlers>; limits: Awaited<ReturnType<typeof openLimits>> },
) {
  const { anonymous, key, session } = access.tiers;
  return {
    operations: operations.filter(({ id }) => Object.hasOwn(handlers, id)),
    handlers: toAnyHandlers(handlers),
    limits: {
      ipBudget: buildIpBudget(config.limits),
      budgets: { anonymous: anonymous.budget, key: key.budget, session: session.budget },
      tierBudgets: listTierBudgets(access.tiers),
      identitiesMax: config.limits.limiterIdentitiesMax,
      createLimiter: limits?.createLimiter,
    },
    access,
    isAllowedOrigin: (origin) => access.origins.isAllowed(origin),
    isSecure: access.origins.isSecure,
    trustedProxies: config.server.trustedProxies,
    overload: {
      requestsMax: config.limits.overloadRequestsMax,
      lagMaxMs: config.limits.overloadLagMs,
    },
    timeouts: DEFAULT_TIMEOUTS,
    // Random, so that callers cannot count each other's requests.
    createRequestId: () => randomUUID(),
  } satisfies Partial<HttpServerOptions>;
}

/** The store, with its upgrade and the start and end of each outage logged. */
async function openLoggedStore(
  config: Config,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  earlyPort: EarlyPort | null,
): Promise<Store> {
  const onMigrating = (progress: MigrationProgress) => {
    logger.info(progress, 'the store is upgraded; this can take long, do not stop it');
    logger.flush();
    const { name, statement, statementCount } = progress;
    earlyPort?.explain(
      `The store is being upgraded: ${name}, statement ${statement} of ${statementCount}.`,
    );
  };
  await upgradeStore(config.store, {
    onBegin: () => earlyPort?.explain('The store is being upgraded.'),
    onMigrating,
    onEnd: () => earlyPort?.explain(null),
  });
  return openStore(config.store, {
    readsStandby: true,
    onTiming: metrics.observeStore,
    onStandby: (error) => {
      if (error === null) logger.info('reads go to the standby');
      else
        logger.warn(
          { fault: error.fault, err: error },
          'the standby is lost: reads go to the primary',
        );
    },
    onOutage: (error) => logger.error({ fault: error.fault, err: error }, error.reason),
    onRecovered: () => logger.info('the store works again'),
    onMigrating,
  });
}

/** Everything but the ports. */
async function openParts(options: ServiceOptions, tools: ServiceTools) {
  const { config, version, link = null } = options;
  const { clock, logger, metrics } = tools;
  const lists = await openTokenLists({ config, logger, metrics });
  const store = await openLoggedStore(config, { logger, metrics }, options.earlyPort ?? null);
  const peppers = await openPeppers({ config, store, clock, logger }).catch(async (error) => {
    await store.close();
    throw error;
  });
  link?.tell({ type: 'opened' });
  let draining = false;
  const node = randomUUID();
  const { leases, signals } = store;
  const feed = openFeed(store.feed, node, logger);
  const { promise: failed, resolve: onConflict } = Promise.withResolvers<string>();
  const connections = new ChainConnections({ clock, log: logger });
  const onDevnet = (folder: string) => void addDevnetList(lists, { folder, config, logger });
  const onCommitted = (batch: EncodedBatch) => feed.publish(decodeBatch(batch));
  const sinks = { onCommitted, onStoreFault: store.report, onConflict, onDevnet };
  const sharing = { node, leases, signals };
  const chains = startChains({ config, ...sinks, ...sharing, connections, ...tools });
  const isShared = leases !== null;
  const shared = { config, store, isShared, feed, chains, connections, peppers, ...tools };
  const access = openAccess(shared);
  const limits = await openLimits({ config, node, signals, link, ...tools });
  const lookups = openLookups({ ...shared, access, createLimiter: limits?.createLimiter });
  const credits = openCredits({ config, node, signals, connections, ...tools });
  const status = openStatus({ ...shared, version, node });
  const { getStatus } = status;
  const parts = {
    ...{ ...shared, access, lookups, getStatus, version },
    sharedStreams: limits?.streams,
    isDraining: () => draining,
  };
  const served: Served =
    config.node.role === 'indexer'
      ? { handlers: createProbeHandlers(parts), parts: [], endStreams: ignore, isWarm: () => true }
      : await openApi(parts, lists);
  return {
    ...{ parts, served, limits, failed },
    drain: () => {
      draining = true;
      served.endStreams();
    },
    close: async () => {
      await Promise.all(
        [chains, access, limits, credits, status, ...served.parts].map((part) => part?.stop()),
      );
      connections.close();
      await feed.close();
      await store.close();
    },
  };
}

/** A worker that takes another's place lets the others answer until it can. */
async function untilWarm({ isWarm }: Served, { begun }: WorkerLink): Promise<void> {
  if (!(await begun).isReplacement) return;
  const abort = AbortSignal.timeout(WARM_MAX_MS);
  while (!isWarm() && !abort.aborted) await sleep(WARM_LOOK_MS);
}

function ignore(): void {}

export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, link = null, earlyPort = null } = options;
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? openLogger(config, options);
  const metrics = new Metrics();
  metrics.collectProcess();
  link?.serveMetrics(() => metrics.read());
  const tools = { clock, logger, metrics };
  const opened = await openParts(options, tools);
  const { parts, served, limits, failed, drain, close: closeParts } = opened;
  const { access, store, chains } = parts;
  const { findFile } = served;
  const server = earlyPort?.server ?? createBareServer(DEFAULT_TIMEOUTS);
  if (earlyPort === null) limitConnections(server, config);
  createHttpServer(
    {
      ...buildServerOptions(parts, { handlers: served.handlers, limits }),
      isDraining: parts.isDraining,
      ...(findFile === undefined ? {} : { findFile }),
      ...tools,
    },
    server,
  );
  const admit = () => {
    if (earlyPort === null) return;
    access.origins.listenOn(earlyPort.port);
    earlyPort.admit();
  };
  const metricsServer = link === null ? createMetricsServer(() => metrics.render()) : null;
  const drains = [
    earlyPort?.drain ?? createDrain(server),
    ...(metricsServer === null ? [] : [createDrain(metricsServer)]),
  ];
  const stop = async () => {
    drain();
    const graceMs = config.server.shutdownGraceSeconds * 1000;
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    metricsServer?.closeAllConnections();
    await Promise.all(drains.map((drainServer) => drainServer()));
    clearTimeout(cut);
    await closeParts();
  };
  try {
    if (link !== null) {
      admit();
      await untilWarm(served, link);
    }
    const servers = { api: server, metrics: metricsServer };
    const { port, ...urls } = await openPorts(servers, config.server);
    access.origins.listenOn(port);
    // Not before all ports are open: a start that fails has answered nothing.
    if (link === null) admit();
    link?.tell({ type: 'serving', url: urls.url, engine: store.engine });
    return { ...urls, engine: store.engine, logger, chains, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
