// One stream of tokens: resumes after a loss, pauses while the page is hidden, and says how it is.
//
// `fetch` instead of `EventSource`: an `EventSource` hides the status and `Retry-After` of an error
// and gives up on it.

import { signal } from '@preact/signals';
import { ApiProblem, type ApiQuery, fetchApi } from './call-api.ts';
import type { StreamEventName, StreamEvents } from './contract-types.ts';
import { createEventParser } from './event-parser.ts';

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

interface EventStreamOptions {
  readonly query: ApiQuery;
  readonly handlers: StreamHandlers;
}

/** The server sends a comment every 15 seconds. */
const SILENCE_MAX_MS = 40_000;
const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 15_000;

class EventStream {
  readonly #options: EventStreamOptions;
  #lastEventId: string | null = null;
  #abort: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setInterval> | undefined;
  #failures = 0;
  #sinceMs = Date.now();
  #isClosed = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  readonly #onVisibility = () => {
    if (document.hidden) this.#disconnect();
    else this.#connect();
  };

  open(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#watchdog = setInterval(() => {
      const isSilent = Date.now() - lastHeardMs.peek() > SILENCE_MAX_MS;
      if (connection.peek().kind === 'live' && isSilent) this.#lose(null);
    }, 5000);
    if (!document.hidden) this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearInterval(this.#watchdog);
    this.#disconnect();
  }

  #disconnect(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = null;
    connection.value = { kind: 'off' };
  }

  #connect(): void {
    if (this.#isClosed || this.#abort !== null) return;
    const abort = new AbortController();
    this.#abort = abort;
    connection.value = { kind: 'connecting' };
    this.#read(abort.signal)
      .then(() => this.#lose(null, abort))
      .catch((error: unknown) => this.#lose(error, abort));
  }

  /** After an end or an error: connects again, unless asking again cannot help. */
  #lose(error: unknown, from = this.#abort): void {
    if (from === null || from !== this.#abort || this.#isClosed) return;
    this.#abort = null;
    from.abort();
    if (connection.peek().kind === 'live') this.#sinceMs = Date.now();
    if (error instanceof ApiProblem && error.fields.retryAtMs === null) {
      connection.value = { kind: 'failed', sinceMs: this.#sinceMs };
      return;
    }
    const backoffMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    const asked = error instanceof ApiProblem ? (error.fields.retryAtMs ?? 0) : 0;
    const retryAtMs = Math.max(asked, Date.now() + backoffMs);
    connection.value = { kind: 'waiting', retryAtMs, sinceMs: this.#sinceMs };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), retryAtMs - Date.now());
  }

  async #read(signal: AbortSignal): Promise<void> {
    const headers: Record<string, string> =
      this.#lastEventId === null ? {} : { 'last-event-id': this.#lastEventId };
    const response = await fetchApi('/token/stream', {
      query: this.#options.query,
      headers,
      signal,
    });
    const handlers = this.#options.handlers as Record<
      string,
      ((data: unknown) => void) | undefined
    >;
    const parse = createEventParser({
      onEvent: ({ name, data }) => handlers[name]?.(JSON.parse(data)),
      onId: (id) => {
        this.#lastEventId = id;
      },
    });
    const decoder = new TextDecoder();
    this.#failures = 0;
    lastHeardMs.value = Date.now();
    connection.value = { kind: 'live' };
    const reader = response.body?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done || signal.aborted) return;
      lastHeardMs.value = Date.now();
      parse(decoder.decode(piece.value, { stream: true }));
    }
  }
}

/** Opens a stream; the result closes it. */
export function openEventStream(options: EventStreamOptions): () => void {
  const stream = new EventStream(options);
  stream.open();
  return () => stream.close();
}
