// Every error a client can meet. Codes are permanent: one may be added, never renamed or reused.
//
// `detail` is a template; the names in braces are the context that `AppError` demands. Nothing else
// of an error reaches a client. `help` says to a reader of the documents what to do about it.

interface CatalogueEntry {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly help: string;
}

export const ERROR_CATALOGUE = {
  INVALID_INPUT: {
    status: 400,
    title: 'Invalid input',
    detail: '{summary}',
    help: 'Look at `errors`: each entry names a field and says what it must be. Unknown and repeated fields are refused too.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    title: 'Malformed request',
    detail: '{reason}',
    help: 'The request could not be read as HTTP: bad percent-encoding, a broken header or an invalid request line. Use an HTTP library rather than text of your own.',
  },
  INVALID_API_KEY: {
    status: 401,
    title: 'Invalid API key',
    detail: 'The bearer credential is not a valid API key of this server.',
    help: 'Send `Authorization: Bearer <API key>` with an active key, or no `Authorization` header for anonymous access. A bad key is never treated as anonymous.',
  },
  PRIVATE_KEY_REFUSED: {
    status: 401,
    title: 'Private key refused',
    detail:
      'The credential is shaped like a wallet private key. Nothing of it was kept; treat that key as exposed.',
    help: 'A wallet private key is never an API key and must never leave the wallet. Move the funds of that wallet if the request crossed a network.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: 'Route not found',
    detail: 'There is no such route. GET /v1/openapi.json lists those that exist.',
    help: 'Check the path; every route lives under `/v1`, is case-sensitive and has no trailing slash.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This route answers {allow} only.',
    help: 'Use one of the methods in the `Allow` header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'Request timeout',
    detail: 'The request did not arrive in full within its time limit.',
    help: 'Headers must arrive within 10 s and the whole request within 30 s. Send it again on a new connection.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'Body too large',
    detail: 'The body is larger than {limitBytes} bytes.',
    help: 'No operation needs a body above 64 KiB.',
  },
  URI_TOO_LONG: {
    status: 414,
    title: 'URI too long',
    detail: 'The request target is longer than {limitBytes} bytes.',
    help: 'Shorten the query; no operation needs one this long.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'The body must be sent as application/json.',
    help: 'Set `Content-Type: application/json`.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Rate limited',
    detail: 'The {policy} budget is used up. Try again in {retryAfterSeconds} s.',
    help: 'Wait as long as `Retry-After` says. `RateLimit` and `RateLimit-Policy` show the budget on every metered answer; an API key has a larger one.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'Request header fields too large',
    detail: 'The request line and headers together are larger than {limitBytes} bytes.',
    help: 'Send fewer or shorter headers and cookies.',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal error',
    detail: 'Something went wrong on our side. The request id finds it in the server log.',
    help: 'Try again later, and report it to the operator with the `requestId`.',
  },
  UPSTREAM_UNAVAILABLE: {
    status: 503,
    title: 'Upstream unavailable',
    detail: '{upstream} does not answer at the moment.',
    help: 'Wait as long as `Retry-After` says. The operator finds the cause in the log.',
  },
  NOT_READY: {
    status: 503,
    title: 'Not ready',
    detail: '{reason}',
    help: 'The server is starting, shutting down, or behind its chains. Wait as long as `Retry-After` says.',
  },
  OVERLOADED: {
    status: 503,
    title: 'Overloaded',
    detail: 'The server has more work than it can do in time and refused this request at once.',
    help: 'Wait as long as `Retry-After` says, and spread requests over time.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

type PlaceholdersOf<Template extends string> =
  Template extends `${string}{${infer Name}}${infer Rest}` ? Name | PlaceholdersOf<Rest> : never;

/** The context that an error's detail is made from. */
export type ErrorContext<Code extends ErrorCode> = {
  readonly [Name in PlaceholdersOf<(typeof ERROR_CATALOGUE)[Code]['detail']>]: string | number;
};

export const ERROR_CODES = Object.keys(ERROR_CATALOGUE) as readonly ErrorCode[];

/** Fills the code's template; values are put in once and never read as templates themselves. */
export function toDetail<Code extends ErrorCode>(code: Code, context: ErrorContext<Code>): string {
  const values: Readonly<Record<string, string | number>> = context;
  return ERROR_CATALOGUE[code].detail.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(values[name]),
  );
}
