// Opens the operations that a process answers, with all that their handlers need.

import type { Access } from '../access/create-access.ts';
import { LookupLimits, type LookupLimitsOptions } from '../access/limits/lookup-limits.ts';
import { createAccessId } from '../access/secret-token.ts';
import { findTier, type Tiers } from '../access/tiers.ts';
import { createCompatShapes } from '../compat/compat-shapes.ts';
import type { Config } from '../config.ts';
import type { CompatShape } from '../contract/compat-route.ts';
import { type Guide, readGuides } from '../contract/guide.ts';
import type { AnyHandler, Handlers, RawHandler } from '../contract/handler.ts';
import type { LookupDesk } from '../contract/look-up-token.ts';
import { operations } from '../contract/operations.ts';
import type { HttpServerOptions } from '../http/create-http-server.ts';
import { openConsole } from '../http/open-console.ts';
import type { FindFile } from '../http/static-files.ts';
import type { Clock } from '../lib/clock.ts';
import type { ChainDirectory } from '../market/chain-status.ts';
import { createReadiness } from '../market/chain-status.ts';
import { createAlerts } from '../market/create-alerts.ts';
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
import { createTokenView } from '../mcp/token-view.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainFollower } from '../runtime/chain-follower.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { openMarket } from './open-market.ts';
import { openStreams } from './open-streams.ts';
import { openTrading, type Trading } from './open-trading.ts';
import { openWebhooks } from './open-webhooks.ts';

interface OpenMcpOptions {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly version: string;
  readonly guides: readonly Guide[];
  readonly listChains: () => readonly string[];
  readonly readTokenView: () => string | null;
  readonly logger: Pick<Logger, 'error'>;
}

function openMcp(options: OpenMcpOptions): RawHandler {
  return createMcp({
    ...options,
    operations,
    resources: [...createResources(operations, options), createTokenView(options.readTokenView)],
    templates: [ERROR_TEMPLATE],
    prompts: PROMPTS,
  });
}

// Lookups of unknown tokens, within the limits of their callers' tiers.

interface OpenLookupsOptions {
  readonly config: Config;
  readonly chains: Pick<ChainFollower, 'tokens'>;
  readonly access: { readonly tiers: Tiers };
  readonly createLimiter: LookupLimitsOptions['createLimiter'];
  readonly clock: Clock;
}

/** Undefined if nothing is looked up. */
export function openLookups(options: OpenLookupsOptions): LookupDesk | undefined {
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
  readonly webhooks: ReturnType<typeof openWebhooks>;
  readonly access: Access;
  readonly getStatus: Handlers['getStatus'];
  readonly findFile: FindFile;
  readonly logger: Logger;
}

/** The operations that a process answers, and what it opened for them. */
export interface Served {
  readonly handlers: Partial<Handlers>;
  /** Routes in the shape of other APIs, which ask these operations. */
  readonly compat: readonly CompatShape[];
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

/** A process that only indexes answers nothing else. */
export function serveProbes(parts: ProbeParts): Served {
  const handlers = createProbeHandlers(parts);
  return { handlers, compat: [], parts: [], endStreams: () => undefined, isWarm: () => true };
}

function createHandlers(parts: HandlerParts, compat: Served['compat']): Handlers {
  const about = { version: parts.version, guides: readGuides(), compat };
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
    ...createAlerts({
      ...parts.market.parts,
      webhooks: parts.store.webhooks,
      clock: parts.clock,
      createId: () => createAccessId('al'),
    }),
    ...parts.streams.handlers,
    ...parts.trading.handlers,
    ...parts.access.handlers,
    ...parts.webhooks.handlers,
    ...createProbeHandlers(parts),
    getStatus: parts.getStatus,
    ...createReference(operations, about),
  };
  const callMcp = openMcp({
    handlers: toAnyHandlers(handlers),
    ...about,
    listChains: () => parts.chains.list().map((chain) => chain.slug),
    readTokenView: () => parts.findFile('/mcp-app/token')?.bytes.toString('utf8') ?? null,
    logger: parts.logger,
  });
  return { ...handlers, callMcp };
}

export async function openApi(
  shared: Omit<Parameters<typeof openMarket>[0], 'lists' | 'findSafety'> &
    Omit<Parameters<typeof openTrading>[0], 'market'> &
    Pick<Parameters<typeof openStreams>[0], 'sharedStreams'> &
    Pick<Parameters<typeof openWebhooks>[0], 'node' | 'peppers'> &
    Pick<HandlerParts, 'version' | 'isDraining' | 'access' | 'getStatus'>,
  lists: TokenLists,
): Promise<Served> {
  // Trading reads the market, whose lists show what trading has measured.
  let measured: Trading | null = null;
  const findSafety = (slug: ChainSlug) => findChainSafety(measured, slug);
  const market = await openMarket({ ...shared, lists, findSafety });
  const streams = openStreams({ ...shared, market, directory: shared.chains });
  const trading = openTrading({ ...shared, market });
  const webhooks = openWebhooks({ ...shared, market, streams });
  measured = trading;
  const pages = openConsole(shared.logger);
  const compat = createCompatShapes({
    listChains: () => shared.chains.list().map(({ answer }) => answer),
    clock: shared.clock,
    readOrigin: () => shared.access.origins.findByDomain(null) ?? '',
  });
  return {
    handlers: createHandlers(
      { ...shared, market, streams, trading, webhooks, findFile: pages.findFile },
      compat,
    ),
    compat,
    parts: [market, trading, webhooks, pages],
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
export function toAnyHandlers(handlers: object): Readonly<Record<string, AnyHandler>> {
  return handlers as Readonly<Record<string, AnyHandler>>;
}
