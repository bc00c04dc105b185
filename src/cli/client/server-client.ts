// Asks a Mintwire server, this machine's or any other, as a person at a terminal.

import { setTimeout as delay } from 'node:timers/promises';

/** A failure with a text for the person who typed the command. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  /** Whether the server was not there, or could not answer: it may later. */
  readonly isPassing: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isPassing?: boolean } = {}) {
    super(message, options);
    this.isPassing = options.isPassing ?? false;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

interface ServerClientOptions {
  /** With or without `/v1`. */
  readonly server: string;
  /** An API key; none means an anonymous caller. */
  readonly key?: string | undefined;
}

interface Problem {
  readonly title?: unknown;
  readonly detail?: unknown;
  readonly code?: unknown;
}

/** Waits longer than this are left to the person. */
const RETRY_AFTER_MAX_SECONDS = 5;
const ATTEMPT_COUNT_MAX = 4;
const TIMEOUT_MS = 35_000;

async function describeProblem(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { title, detail, code } = JSON.parse(text) as Problem;
    if (typeof code === 'string') return `${String(detail ?? title)} (${code})`;
  } catch {
    // Not one of our servers, or a proxy in front of it.
  }
  return `the server answered ${response.status}`;
}

/** Seconds to wait before the same request makes sense; null if it does not. */
function findWait(response: Response): number | null {
  if (response.status !== 429 && response.status !== 503) return null;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 && seconds <= RETRY_AFTER_MAX_SECONDS ? seconds : null;
}

export class ServerClient {
  readonly #root: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ server, key }: ServerClientOptions) {
    if (!URL.canParse(server) || !/^https?:/.test(server)) {
      throw new ServerError(`"${server}" is not the URL of a server`);
    }
    this.#root = `${server.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return this.#ask(this.#buildUrl(path, query), {});
  }

  post<Answer>(path: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask(this.#buildUrl(path, {}), {
      ...{ method: 'POST', headers, body: JSON.stringify(body) },
    });
  }

  /** An open stream of events. */
  async open(path: string, query: Query, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const headers = { accept: 'text/event-stream' };
    const { body } = await this.#send(this.#buildUrl(path, query), { headers, signal });
    if (body === null) throw new ServerError('the server answered without a stream');
    return body;
  }

  #buildUrl(path: string, query: Query): string {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) given.set(name, String(value));
    }
    return `${this.#root}${path}${given.size === 0 ? '' : `?${given}`}`;
  }

  async #ask<Answer>(url: string, init: RequestInit): Promise<Answer> {
    const response = await this.#send(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.json().catch((error: unknown) => {
      throw new ServerError(`no whole answer from ${this.#root}`, { cause: error });
    }) as Promise<Answer>;
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const headers = { ...this.#headers, ...(init.headers as Record<string, string>) };
      const response = await fetch(url, { ...init, headers }).catch((error: unknown) => {
        throw new ServerError(`no answer from ${this.#root}`, { cause: error, isPassing: true });
      });
      if (response.ok) return response;
      const seconds = findWait(response);
      if (seconds === null || attempt === ATTEMPT_COUNT_MAX) {
        const isPassing = response.status >= 500;
        throw new ServerError(await describeProblem(response), { isPassing });
      }
      await response.body?.cancel();
      await delay(seconds * 1000, undefined, init.signal ? { signal: init.signal } : {});
    }
  }
}
