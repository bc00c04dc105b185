// One stream of tokens, by the SDK: resumes after a loss. Here it pauses while the page is hidden,
// and says how it is.

import { signal } from '@preact/signals';
import type { OperationInput } from '../../../sdk/src/create-client.ts';
import type { StreamState } from '../../../sdk/src/token-stream.ts';
import { waitMs } from '../../../sdk/src/wait-ms.ts';
import { api } from './api-client.ts';
import type { StreamEventName, StreamEvents } from './contract-types.ts';

type ConnectionState =
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'waiting'; readonly retryAtMs: number; readonly sinceMs: number }
  | { readonly kind: 'failed'; readonly sinceMs: number };

/** The state of the page's stream, and when something last arrived on it. */
export const connection = signal<ConnectionState>({ kind: 'off' });
export const lastHeardMs = signal(0);

type StreamHandlers = {
  readonly [Name in StreamEventName]?: (data: StreamEvents[Name]) => void;
};

/** After an error of ours: one that comes back with each event must not flood the server. */
const REOPEN_MS = 3000;

interface EventStreamOptions {
  readonly input: OperationInput<'getTokenStream'>;
  readonly handlers: StreamHandlers;
}

/** Opens a stream; the result closes it. */
export function openEventStream({ input, handlers }: EventStreamOptions): () => void {
  const byName = handlers as Record<string, ((data: unknown) => void) | undefined>;
  let lastEventId: string | null = null;
  let abort: AbortController | null = null;
  /** Since when the page is not live. */
  let sinceMs = Date.now();

  const noteActivity = () => {
    lastHeardMs.value = Date.now();
  };
  const onState = (state: StreamState) => {
    if (connection.peek().kind === 'live') sinceMs = Date.now();
    if (state.kind === 'live') noteActivity();
    connection.value =
      state.kind === 'waiting'
        ? { kind: 'waiting', retryAtMs: Date.now() + state.waitMs, sinceMs }
        : { kind: state.kind };
  };
  const onId = (id: string) => {
    lastEventId = id;
  };
  /** False if an event was not handled: ours is the fault, and the page is no longer complete. */
  const readOnce = async (signal: AbortSignal) => {
    const options = { signal, lastEventId, onState, onId, onActivity: noteActivity };
    for await (const { event, data } of api.getTokenStream(input, options)) {
      try {
        byName[event]?.(data);
      } catch (error) {
        reportError(error);
        return false;
      }
    }
    return true;
  };
  const read = async (signal: AbortSignal) => {
    while (!(await readOnce(signal))) {
      // Without an id it begins with a snapshot, and everything is read again.
      lastEventId = null;
      onState({ kind: 'waiting', waitMs: REOPEN_MS, error: null });
      await waitMs(REOPEN_MS, signal);
    }
  };
  const disconnect = () => {
    abort?.abort();
    abort = null;
    connection.value = { kind: 'off' };
  };
  const connect = () => {
    if (abort !== null) return;
    const own = new AbortController();
    abort = own;
    const fail = () => {
      if (!own.signal.aborted) connection.value = { kind: 'failed', sinceMs };
    };
    // It ends for a paused token, and for a problem that does not pass by itself.
    read(own.signal).then(fail, fail);
  };
  const onVisibility = () => (document.hidden ? disconnect() : connect());
  document.addEventListener('visibilitychange', onVisibility);
  if (!document.hidden) connect();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    disconnect();
  };
}
