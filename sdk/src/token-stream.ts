// The events of a stream, without end: a lost connection is opened again where it was lost.

import type { StreamEvents } from './contract.gen.ts';
import { readEventBlocks } from './event-blocks.ts';
import { MintwireError } from './mintwire-error.ts';
import { waitMs } from './wait-ms.ts';

type StreamEventKey = keyof StreamEvents;

/** An event, told apart by its name. With its `id` a later stream resumes after it. */
export type TokenStreamEvent = {
  [Name in StreamEventKey]-?: {
    readonly event: Name;
    readonly data: NonNullable<StreamEvents[Name]>;
    readonly id: string | null;
  };
}[StreamEventKey];

export type StreamState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Connects again after the wait. */
  | { readonly kind: 'waiting'; readonly waitMs: number; readonly error: unknown };

export interface StreamOptions {
  /** Ends the stream: the loop over it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Where to resume; without it the stream begins with a snapshot. */
  readonly lastEventId?: string | null | undefined;
  readonly onState?: (state: StreamState) => void;
  /** Called with the id to resume from, after the event that it belongs to was handled. */
  readonly onId?: (id: string) => void;
  /** Called whenever something arrived, keep-alives included. */
  readonly onActivity?: () => void;
  /** A connection that is silent for longer counts as lost; the server sends every 15 seconds. */
  readonly silenceMaxMs?: number | undefined;
}

const SILENCE_MAX_MS = 40_000;
const RETRY_MS = 1000;
const RETRY_MAX_MS = 15_000;

/** Opens one connection. */
type OpenConnection = (
  lastEventId: string | null,
  signal: AbortSignal | undefined,
) => Promise<ReadableStream<Uint8Array>>;

/** Problems such as an unknown token do not pass by themselves. */
function isFinal(error: unknown): boolean {
  return error instanceof MintwireError && error.retryAfterMs === null;
}

export async function* readTokenStream(
  open: OpenConnection,
  options: StreamOptions = {},
): AsyncGenerator<TokenStreamEvent, void, undefined> {
  const { signal, onState, onId, onActivity, silenceMaxMs = SILENCE_MAX_MS } = options;
  let lastEventId = options.lastEventId ?? null;
  let retryMs = RETRY_MS;
  let failures = 0;
  for (;;) {
    let lost: unknown = null;
    try {
      onState?.({ kind: 'connecting' });
      const body = await open(lastEventId, signal);
      onState?.({ kind: 'live' });
      for await (const block of readEventBlocks(body, { silenceMaxMs, signal, onActivity })) {
        failures = 0;
        retryMs = block.retryMs ?? retryMs;
        const { event, data, id } = block;
        if (data !== null) yield { event, data: JSON.parse(data), id } as TokenStreamEvent;
        // After the event: an id counts once what it stands for was handled.
        if (id !== null) {
          lastEventId = id;
          onId?.(id);
        }
        if (event === 'paused') return;
      }
    } catch (error) {
      if (signal?.aborted || isFinal(error) || error instanceof SyntaxError) throw error;
      lost = error;
    }
    const asked = lost instanceof MintwireError ? (lost.retryAfterMs ?? 0) : 0;
    const durationMs = Math.max(asked, Math.min(RETRY_MAX_MS, retryMs * 2 ** failures));
    failures += 1;
    onState?.({ kind: 'waiting', waitMs: durationMs, error: lost });
    await waitMs(durationMs, signal);
  }
}
