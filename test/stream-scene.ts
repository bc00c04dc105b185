// Streams of a market that an indexer fills from a fake chain, read without a network.

import type { HandlerContext } from '../src/contract/handler.ts';
import type { Identity } from '../src/contract/identity.ts';
import { getTokenStream } from '../src/contract/operations/stream-token.ts';
import { createInputParser } from '../src/contract/parse-input.ts';
import type { StreamFrame, StreamOutlet, StreamReader } from '../src/contract/stream-answer.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { Market } from '../src/market/create-market.ts';
import {
  createStreams,
  type Streams,
  type StreamsOptions,
} from '../src/market/stream/create-streams.ts';
import { EventParser, type StreamEvent } from './stream-fold.ts';

export const TEST_LIMITS: StreamsOptions['limits'] = {
  resumeMs: 400 * 86_400_000,
  resumeEventsMax: 50_000,
  snapshotTrades: 50,
  pageEvents: 500,
  waitingBytesMax: 256 * 1024,
  stallMs: 60_000,
};

const parse = createInputParser(getTokenStream.input, 'text');

export function startTestStreams(market: Market, options: Partial<StreamsOptions> = {}): Streams {
  const streams = createStreams({
    parts: market.parts,
    directory: { list: () => [] },
    clock: systemClock,
    random: () => 0.5,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    limits: TEST_LIMITS,
    slots: { limitOf: () => 1000, totalMax: 10_000 },
    tokensMax: () => 100,
    watch: () => () => undefined,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  streams.start();
  return streams;
}

export interface TestStream {
  /** Every event so far. */
  readonly events: StreamEvent[];
  readonly state: { ended: 'end' | 'cut' | null };
  /** Disconnects, like a reader whose connection breaks. */
  leave(): void;
}

export interface OpenOptions {
  readonly lastEventId?: string | null;
  readonly identity?: Identity;
  readonly spend?: (cost: number) => number;
  readonly chargeAhead?: HandlerContext['chargeAhead'];
  readonly onEvent?: (event: StreamEvent, stream: TestStream) => void;
  /** A reader that takes nothing. */
  readonly isStuck?: boolean;
  /** What its connection reports as waiting; nothing by default. */
  readonly waitingBytes?: () => number;
}

/** A list is what a query gives that has a name several times. */
type StreamQuery = Readonly<Record<string, string | readonly string[]>>;

const ANONYMOUS: Identity = { kind: 'anonymous', key: 'test' };

/** Opens a stream like a transport. */
export async function openTestStream(
  streams: Streams,
  input: StreamQuery,
  options: OpenOptions = {},
): Promise<TestStream> {
  const context: HandlerContext = {
    identity: options.identity ?? ANONYMOUS,
    requestId: 'test',
    addressGroup: 'test',
    origin: null,
    idempotencyKey: null,
    ...(options.chargeAhead ? { chargeAhead: options.chargeAhead } : {}),
  };
  const answer = await streams.handlers.getTokenStream(parse(input) as never, {
    ...context,
    lastEventId: options.lastEventId ?? null,
    spend: options.spend ?? (() => 0),
  });
  const parser = new EventParser();
  const state: TestStream['state'] = { ended: null };
  let reader: StreamReader | null = null;
  let isGone = false;
  const close = () => {
    isGone = true;
    // A transport reports the end later, when the connection has closed.
    setImmediate(() => reader?.onClose());
  };
  const stream: TestStream = { events: [], state, leave: close };
  const outlet: StreamOutlet = {
    get waitingBytes() {
      return options.waitingBytes?.() ?? 0;
    },
    takenBytes: 0,
    stalledMs: 0,
    write: (frame: StreamFrame) => {
      for (const event of parser.push(frame.bytes.toString('utf8'))) {
        if (isGone) break;
        stream.events.push(event);
        options.onEvent?.(event, stream);
      }
      return options.isStuck !== true;
    },
    end: () => {
      state.ended ??= 'end';
      close();
    },
    cut: () => {
      state.ended ??= 'cut';
      close();
    },
  };
  reader = answer.start(outlet);
  return stream;
}
