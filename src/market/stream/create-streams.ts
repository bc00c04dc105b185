// Composes the streams.

import type { Clock } from '../../lib/clock.ts';
import type { ChainDirectory } from '../chain-status.ts';
import { CommitCache } from '../commit-cache.ts';
import type { MarketParts } from '../market-parts.ts';
import { createStreamToken, type StreamTokenParts } from './create-stream-token.ts';
import { ReplayGate } from './replay-gate.ts';
import { StreamHub, type StreamLimits } from './stream-hub.ts';
import { StreamSlots, type StreamSlotsOptions } from './stream-slots.ts';

export interface StreamsOptions {
  readonly parts: MarketParts;
  /** What `/chains` says of each chain. */
  readonly directory: ChainDirectory;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly limits: StreamLimits;
  readonly slots: StreamSlotsOptions;
  readonly tokensMax: StreamTokenParts['tokensMax'];
  readonly watch: StreamTokenParts['watch'];
  readonly onError: (error: unknown) => void;
}

/** After a restart thousands of readers resume with the same id. */
const OPENINGS_MAX = 200;
/** A replay page is large, so only a few are built at a time when thousands of readers resume. */
const OPENING_MAX = 16;

export function createStreams(options: StreamsOptions) {
  const { parts, tokensMax, watch } = options;
  const hub = new StreamHub({ ...options, ...parts });
  const slots = new StreamSlots(options.slots);
  const openings = new CommitCache({ states: parts.states, sizeMax: OPENINGS_MAX });
  const openingGate = new ReplayGate(OPENING_MAX);
  return {
    hub,
    slots,
    handlers: {
      getTokenStream: createStreamToken({
        ...{ ...parts, hub, slots, openings, openingGate, tokensMax, watch },
      }),
    },
    start: () => hub.start(),
    /** Ends every stream at once; readers reconnect here or to another node. */
    stop: () => hub.stop(),
  };
}

export type Streams = ReturnType<typeof createStreams>;
