// The client: one function for each operation of the API.

import { OPERATIONS, type Operations } from './contract.gen.ts';
import { type RequestPlan, type RetryPolicy, sendCall } from './send-call.ts';
import { readTokenStream, type StreamOptions, type TokenStreamEvent } from './token-stream.ts';

export type OperationName = keyof Operations;
export type OperationInput<Name extends OperationName> = Operations[Name]['input'];
export type OperationOutput<Name extends OperationName> = Operations[Name]['output'];

export interface ClientOptions {
  /** Of the API: `https://host/v1`, or `/v1` in a page of the same origin. */
  readonly baseUrl: string;
  /** `mw_live_…`. Never put one into a web page. */
  readonly apiKey?: string | undefined;
  /** `mw_sess_…` of an earlier sign-in. */
  readonly sessionToken?: string | undefined;
  /**
   * How a session is kept: as a token, sent by this client, or as a cookie of the browser, for
   * pages of the server's own origin and those that it allows.
   */
  readonly session?: 'token' | 'cookie' | undefined;
  /** How requests are repeated after 429, 503 and lost connections. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** 35 seconds by default, a little more than the server takes at most. */
  readonly timeoutMs?: number | undefined;
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the browser may answer from its cache; not every worker accepts it. */
  readonly cache?: 'no-cache' | 'no-store' | 'reload' | undefined;
  /** Another `fetch`, for a proxy or a test. */
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** `Idempotency-Key`: a repeated request with the same one has no further effect. */
  readonly idempotencyKey?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
}

type JsonName = Exclude<OperationName, 'getTokenStream'>;

type OperationCall<Name extends JsonName> =
  Record<string, never> extends OperationInput<Name>
    ? (input?: OperationInput<Name>, options?: CallOptions) => Promise<OperationOutput<Name>>
    : (input: OperationInput<Name>, options?: CallOptions) => Promise<OperationOutput<Name>>;

export type MintwireClient = { readonly [Name in JsonName]: OperationCall<Name> } & {
  /** Events without end; a lost connection resumes where it was lost. */
  getTokenStream(
    input: OperationInput<'getTokenStream'>,
    options?: StreamOptions,
  ): AsyncGenerator<TokenStreamEvent, void, undefined>;
  /** The session that this client uses, null for none; `signIn` sets it. */
  setSessionToken(token: string | null): void;
  readonly sessionTransport: 'token' | 'cookie';
};

interface Traits {
  readonly path: string;
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly access?: 'session' | 'key' | 'owner';
  readonly isOwn?: true;
  readonly isRepeatable?: true;
  readonly answer?: 'text' | 'blob' | 'events';
}

type QueryFields = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 35_000;
const RETRY: RetryPolicy = { countMax: 2, waitMaxMs: 30_000 };
/** After these the session's token is of no more use. */
const SESSION_ENDS = new Set(['endSession', 'endAllSessions']);

function toQuery(input: QueryFields): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || value === null) continue;
    fields.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = fields.toString();
  return text === '' ? '' : `?${text}`;
}

/** Puts fields of the input into the places that a path has for them, as in `/webhooks/{id}`. */
function fillPath(path: string, input: QueryFields) {
  const rest: Record<string, unknown> = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name];
    return encodeURIComponent(String(input[name]));
  });
  return { path: filled, rest };
}

function hasBody({ method }: Traits): boolean {
  return method === 'POST' || method === 'PATCH';
}

function readAnswer(response: Response, { answer }: Traits): Promise<unknown> {
  if (answer === 'text') return response.text();
  return answer === 'blob' ? response.blob() : response.json();
}

class ApiCaller {
  readonly #options: ClientOptions;
  sessionToken: string | null;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.sessionToken = options.sessionToken ?? null;
  }

  /** A key is for the server's reads, a session for what is the wallet's own. */
  #pickBearer({ access }: Traits): string | undefined {
    const session = this.sessionToken ?? undefined;
    if (access === 'session') return session;
    const { apiKey } = this.#options;
    return access === 'key' ? apiKey : (apiKey ?? session);
  }

  #buildInit(traits: Traits, input: QueryFields, extra: Readonly<Record<string, string>>) {
    const { headers, cache, session } = this.#options;
    const bearer = this.#pickBearer(traits);
    const isPost = hasBody(traits);
    const isOwn = traits.isOwn || traits.access === 'session';
    const init: RequestInit = {
      method: traits.method ?? 'GET',
      headers: {
        ...headers,
        ...(isPost ? { 'content-type': 'application/json' } : {}),
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...extra,
      },
      ...(isPost ? { body: JSON.stringify(input) } : {}),
      ...(cache === undefined ? {} : { cache }),
      // Only then: some workers reject the field.
      ...(session === 'cookie' && isOwn ? { credentials: 'include' } : {}),
    };
    return init;
  }

  plan(
    traits: Traits,
    input: QueryFields,
    call: CallOptions & { readonly headers?: Readonly<Record<string, string>> },
  ): RequestPlan {
    const { baseUrl, timeoutMs = TIMEOUT_MS, retry } = this.#options;
    const { path, rest } = fillPath(traits.path, input);
    const query = hasBody(traits) ? '' : toQuery(rest);
    const key = call.idempotencyKey;
    const extra = { ...call.headers, ...(key === undefined ? {} : { 'idempotency-key': key }) };
    return {
      url: `${baseUrl.replace(/\/+$/, '')}${path}${query}`,
      init: this.#buildInit(traits, rest, extra),
      isRepeatable: traits.method === undefined || traits.isRepeatable === true,
      timeoutMs: call.timeoutMs ?? timeoutMs,
      retry: { ...RETRY, ...retry, ...call.retry },
      signal: call.signal,
      // Looked up at each call; a page's `fetch` must be called without a `this` of ours.
      fetch: this.#options.fetch ?? ((url, init) => fetch(url, init)),
    };
  }

  async call(name: string, input: QueryFields = {}, options: CallOptions = {}): Promise<unknown> {
    const traits: Traits = OPERATIONS[name as OperationName];
    const answer = await sendCall(this.plan(traits, input, options), (response) =>
      readAnswer(response, traits),
    );
    if (SESSION_ENDS.has(name)) this.sessionToken = null;
    return answer;
  }

  stream(input: QueryFields, options: StreamOptions = {}) {
    const traits: Traits = OPERATIONS.getTokenStream;
    return readTokenStream((lastEventId, signal) => {
      const headers: Record<string, string> =
        lastEventId === null ? {} : { 'last-event-id': lastEventId };
      // The stream itself decides when to connect again.
      const retry = { countMax: 0 };
      const plan = this.plan(traits, input, { headers, retry, ...{ signal } });
      return sendCall(plan, async ({ body }) => body ?? new ReadableStream());
    }, options);
  }
}

export function createClient(options: ClientOptions): MintwireClient {
  const caller = new ApiCaller(options);
  const calls = Object.fromEntries(
    Object.keys(OPERATIONS).map((name) => [
      name,
      (input?: QueryFields, how?: CallOptions) => caller.call(name, input, how),
    ]),
  );
  return {
    ...calls,
    getTokenStream: (input: QueryFields, how?: StreamOptions) => caller.stream(input, how),
    setSessionToken: (token: string | null) => {
      caller.sessionToken = token;
    },
    sessionTransport: options.session ?? 'token',
  } as unknown as MintwireClient;
}
