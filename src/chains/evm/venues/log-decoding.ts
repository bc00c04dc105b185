// Decodes validated logs to events, block by block, and lists the emitters that are still unknown.

import type { PoolId } from '../../../model/ids.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { DecodedEvent, EvmLog, LogDecoder } from '../data/evm-log.ts';
import { createTransferDecoders } from '../tokens/decode-transfer.ts';
import { SWAP_TOPICS, VENUE_PROTOCOLS } from './registry.ts';
import { type FindUnbacked, NONE_UNBACKED } from './unbacked-swaps.ts';
import type { VenueProtocol } from './venue-protocol.ts';

/** One block's events before its senders and emitters are known. */
export interface DecodedBlock {
  readonly block: number;
  readonly blockHash: string;
  readonly timestampMs: number | null;
  readonly events: DecodedEvent[];
  /** Whether any event depends on a pool. */
  hasPools: boolean;
}

export interface DecodedLogs {
  readonly blocks: readonly DecodedBlock[];
  /** Every pool with an event that the same logs do not create. */
  readonly emitters: ReadonlyMap<PoolId, VenueProtocol>;
  readonly created: ReadonlySet<PoolId>;
  /** Logs of swaps that no protocol of the chain decodes. */
  readonly undecoded: readonly EvmLog[];
}

export interface LogDecoding {
  /** The first topics of all relevant logs, for a filter. */
  readonly topics: readonly string[];
  decode(logs: readonly EvmLog[]): DecodedLogs;
  /** The swaps that a vault logged without moving what they are valued at. */
  readonly findUnbacked: FindUnbacked;
  /** The topics of such swaps: they are no trades, but change their pools. */
  readonly unbackedTopics: ReadonlySet<string>;
}

interface DecoderRoute {
  /** Null for a swap that is only counted. */
  readonly decode: LogDecoder | null;
  /** Null for transfers, which need no pool. */
  readonly protocol: VenueProtocol | null;
}

function createRoutes(
  deployment: EvmDeployment,
  protocols: readonly VenueProtocol[],
): Map<string, DecoderRoute> {
  const routes = new Map<string, DecoderRoute>();
  for (const [topic, decode] of createTransferDecoders(deployment)) {
    routes.set(topic, { decode, protocol: null });
  }
  for (const protocol of protocols) {
    for (const [topic, decode] of protocol.createDecoders(deployment)) {
      // The later one would silently take all logs of the earlier one.
      if (routes.has(topic)) throw new Error(`two protocols decode logs of topic ${topic}`);
      routes.set(topic, { decode, protocol });
    }
  }
  return routes;
}

function addUndecoded(routes: ReadonlyMap<string, DecoderRoute>): Map<string, DecoderRoute> {
  const unknown = [...SWAP_TOPICS.keys()].filter((topic) => !routes.has(topic));
  const counted = { decode: null, protocol: null } as const;
  return new Map([...routes, ...unknown.map((topic) => [topic, counted] as const)]);
}

export function createLogDecoding(
  deployment: EvmDeployment,
  protocols: readonly VenueProtocol[] = VENUE_PROTOCOLS,
): LogDecoding {
  const decoded = createRoutes(deployment, protocols);
  const routes = addUndecoded(decoded);
  const unbacked = protocols.flatMap((protocol) => protocol.unbacked ?? []);
  const finders = unbacked.map(({ createFinder }) => createFinder(deployment));
  return {
    topics: [...decoded.keys()],
    findUnbacked(logs) {
      const [first = NONE_UNBACKED, ...others] = finders.map((find) => find(logs));
      return others.length === 0 ? first : new Set([first, ...others].flatMap((one) => [...one]));
    },
    unbackedTopics: new Set(unbacked.map(({ topic }) => topic)),
    decode(logs) {
      const blocks: DecodedBlock[] = [];
      const emitters = new Map<PoolId, VenueProtocol>();
      const created = new Set<PoolId>();
      const undecoded: EvmLog[] = [];
      let current: DecodedBlock | null = null;
      for (const log of logs) {
        const route = routes.get(log.topics[0] ?? '');
        if (route === undefined) continue;
        if (route.decode === null) {
          undecoded.push(log);
          continue;
        }
        if (current === null || current.block !== log.block) {
          // A block without events is replaced instead of kept.
          if (current !== null && current.events.length === 0) blocks.pop();
          const { block, blockHash, timestampMs } = log;
          current = { block, blockHash, timestampMs, events: [], hasPools: false };
          blocks.push(current);
        }
        const { events } = current;
        const before = events.length;
        route.decode(log, events);
        if (route.protocol === null) continue;
        for (let index = before; index < events.length; index += 1) {
          const event = events[index];
          if (event === undefined || event.kind === 'transfer') continue;
          current.hasPools = true;
          if (event.kind === 'poolCreated') created.add(event.description.pool);
          else if (!created.has(event.pool)) emitters.set(event.pool, route.protocol);
        }
      }
      if (current !== null && current.events.length === 0) blocks.pop();
      return { blocks, emitters, created, undecoded };
    },
  };
}
