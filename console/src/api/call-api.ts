// Asks the API. A problem response becomes an `ApiProblem`, which says when to ask again.

interface ProblemFields {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** When asking again may help, in Unix milliseconds; null if it does not help. */
  readonly retryAtMs: number | null;
}

export class ApiProblem extends Error {
  readonly fields: ProblemFields;

  constructor(fields: ProblemFields) {
    super(fields.detail);
    this.fields = fields;
  }
}

type QueryValue = string | number | boolean | readonly string[] | null | undefined;
export type ApiQuery = Readonly<Record<string, QueryValue>>;

interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly query?: ApiQuery;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

function buildApiUrl(path: string, query: ApiQuery = {}): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue;
    for (const each of Array.isArray(value) ? value : [value]) fields.append(name, String(each));
  }
  const text = fields.toString();
  return `/v1${path}${text === '' ? '' : `?${text}`}`;
}

/** The server cannot be reached: it is restarting, or the network is down. */
const UNREACHABLE_RETRY_MS = 3000;

function buildUnreachable(): ApiProblem {
  return new ApiProblem({
    status: 0,
    code: 'UNREACHABLE',
    title: 'No connection',
    detail: 'The server does not answer.',
    retryAtMs: Date.now() + UNREACHABLE_RETRY_MS,
  });
}

/** For a request that did not come, or not to its end. */
function throwUnreachable(error: unknown, signal: AbortSignal | undefined): never {
  throw signal?.aborted ? error : buildUnreachable();
}

function readRetryAt(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(seconds)) return Date.now() + seconds * 1000;
  // A fault of the server, or of a proxy before it, may pass.
  return response.status < 500 ? null : Date.now() + UNREACHABLE_RETRY_MS;
}

async function readProblem(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as Partial<ProblemFields>;
  return new ApiProblem({
    status: response.status,
    code: body.code ?? 'UNKNOWN',
    title: body.title ?? response.statusText,
    detail: body.detail ?? '',
    retryAtMs: readRetryAt(response),
  });
}

/** A response that is no error. */
export async function fetchApi(path: string, request: ApiRequest = {}): Promise<Response> {
  const { method = 'GET', query, body, headers, signal } = request;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(buildApiUrl(path, query), {
    method,
    // What the browser has kept is checked with the server before it is used.
    cache: 'no-cache',
    headers: { ...type, ...headers },
    ...(signal === undefined ? {} : { signal }),
    ...sent,
  }).catch((error: unknown) => throwUnreachable(error, signal));
  if (!response.ok) throw await readProblem(response);
  return response;
}

export async function callApi<Answer>(path: string, request: ApiRequest = {}): Promise<Answer> {
  const response = await fetchApi(path, request);
  return response
    .json()
    .catch((error: unknown) => throwUnreachable(error, request.signal)) as Promise<Answer>;
}
