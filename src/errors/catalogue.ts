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
  UNKNOWN_CHAIN: {
    status: 400,
    title: 'Unknown chain',
    detail: 'No chain is called "{chain}". Known are {known}.',
    help: 'Use a slug such as `ethereum` or `base`, or the CAIP-2 form such as `eip155:8453`.',
  },
  CHAIN_NOT_FOLLOWED: {
    status: 400,
    title: 'Chain not followed',
    detail: 'This server does not follow {chain}. It follows {followed}.',
    help: '`GET /v1/chains` lists what is followed. The operator follows a chain by setting its `RPC_…` endpoint.',
  },
  INVALID_ADDRESS: {
    status: 400,
    title: 'Invalid address',
    detail: 'This is not an address on {chain}.',
    help: 'EVM addresses are `0x` and 40 hex digits in any case; Solana addresses are 32 bytes in base58.',
  },
  INVALID_CURSOR: {
    status: 400,
    title: 'Invalid cursor',
    detail: 'The cursor is not one that this query gave.',
    help: 'Send `nextCursor` as it came, with the same query. A cursor belongs to its query and to whoever was given it.',
  },
  INVALID_QUOTE_ID: {
    status: 400,
    title: 'Invalid quote id',
    detail: 'The quoteId is not one that this service gave.',
    help: 'Send `quoteId` exactly as `POST /v1/trade/quote` gave it, or leave it out.',
  },
  INVALID_API_KEY: {
    status: 401,
    title: 'Invalid API key',
    detail: 'The bearer credential is not a valid API key of this server.',
    help: 'Send `Authorization: Bearer <API key>` with an active key, or no `Authorization` header for anonymous access. A bad key is never treated as anonymous.',
  },
  WALLET_SESSION_REQUIRED: {
    status: 401,
    title: 'Wallet session required',
    detail: 'This needs the session of a signed-in wallet; an API key does not replace it.',
    help: 'Sign in by `POST /v1/auth/challenge` and `POST /v1/auth/verify`, then send the session token as `Authorization: Bearer` or let the browser send its cookie.',
  },
  INVALID_SESSION: {
    status: 401,
    title: 'Invalid session',
    detail: 'The session is over or never was. Sign in again.',
    help: 'A session ends 24 hours after its last use, 30 days after it began, or when it is logged out. A token works as bearer only and a cookie as cookie only.',
  },
  INVALID_SIGNATURE: {
    status: 401,
    title: 'Invalid signature',
    detail: 'The signature is not one of the challenge by its wallet.',
    help: 'Sign the `message` of the challenge exactly as it came, with the wallet whose address was named. After five failures the challenge is used up.',
  },
  CHALLENGE_EXPIRED: {
    status: 401,
    title: 'Challenge expired',
    detail: 'The challenge has run out, was used already or never was. Ask for a new one.',
    help: 'A challenge lives for five minutes and signs in once.',
  },
  PRIVATE_KEY_REFUSED: {
    status: 401,
    title: 'Private key refused',
    detail:
      'The credential is shaped like a wallet private key. Nothing of it was kept; treat that key as exposed.',
    help: 'A wallet private key is never an API key and must never leave the wallet. Move the funds of that wallet if the request crossed a network.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    title: 'Origin not allowed',
    detail: 'Browsers can use this from the pages of this server and those it allows only.',
    help: 'Browsers: call from the server\'s own origin, or let the operator add yours to `SESSION_ORIGINS`. Programs: sign in with `"transport": "token"`, and send no `Origin` header.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: 'Route not found',
    detail: 'There is no such route. GET /v1/openapi.json lists those that exist.',
    help: 'Check the path; every route lives under `/v1`, is case-sensitive and has no trailing slash.',
  },
  TOKEN_NOT_FOUND: {
    status: 404,
    title: 'Token not found',
    detail: 'No token {mint} has been seen on {chain}.',
    help: 'Check chain and address. A token is known from the first indexed block that mentions it; one whose last activity lies before that is not.',
  },
  TOKEN_PAUSED: {
    status: 404,
    title: 'Token paused',
    detail: 'The operator of this server has paused {mint} on {chain}.',
    help: 'Nothing is told of a paused token. It is indexed all the same and whole again when it is resumed.',
  },
  POOL_NOT_FOUND: {
    status: 404,
    title: 'Pool not found',
    detail: 'The token has no market in the pool {pool}.',
    help: '`GET /v1/token` lists the pools of a token.',
  },
  NO_MARKET: {
    status: 404,
    title: 'No market',
    detail: 'No pool with liquidity leads from {from} to {to} on {chain}.',
    help: 'The token is known but cannot be traded for that asset in up to three hops. Try another `quoteMint`; `GET /v1/token` lists the pools of a token.',
  },
  KEY_NOT_FOUND: {
    status: 404,
    title: 'Key not found',
    detail: 'This wallet has no key with that id.',
    help: "`GET /v1/keys` lists the ids of the wallet's keys. The id is not the key itself.",
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
  KEY_LIMIT_REACHED: {
    status: 409,
    title: 'Key limit reached',
    detail: 'The wallet has {limit} active keys, which is as many as it may have.',
    help: 'Revoke a key that is no longer used, then issue the new one.',
  },
  KEY_ALREADY_REVOKED: {
    status: 409,
    title: 'Key already revoked',
    detail: 'The key was revoked before.',
    help: 'Nothing is left to do: the key does not work.',
  },
  INSUFFICIENT_LIQUIDITY: {
    status: 409,
    title: 'Insufficient liquidity',
    detail: 'The pools between {from} and {to} cannot take the whole amount.',
    help: 'Ask for less. What the pools hold is in `GET /v1/token`.',
  },
  AMOUNT_TOO_SMALL: {
    status: 409,
    title: 'Amount too small',
    detail: 'The amount does not buy the smallest unit of {to}.',
    help: 'Ask for more: at the price of the pools the output rounds to nothing.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    title: 'Idempotency conflict',
    detail: 'This Idempotency-Key was used for another request.',
    help: 'Use a new `Idempotency-Key` for each new request; repeat it only with the very same body.',
  },
  WALLET_CHAIN_MISMATCH: {
    status: 409,
    title: 'Wallet and chain do not fit',
    detail: 'The wallet that is signed in cannot trade on {chain}.',
    help: 'An ordinary EVM wallet trades on every EVM chain, a contract wallet on its own chain only, a Solana wallet on Solana. Sign in with one that fits.',
  },
  QUOTE_EXPIRED: {
    status: 409,
    title: 'Quote expired',
    detail: 'The quote has run out. Ask for a new one.',
    help: 'A quote binds for 30 seconds. Quote again, show what changed, and build with the new `quoteId`.',
  },
  QUOTE_MISMATCH: {
    status: 409,
    title: 'Quote mismatch',
    detail: 'The quote is for another trade: it differs in {fields}.',
    help: 'Send the very fields that were quoted, or leave `quoteId` out.',
  },
  PRICE_MOVED: {
    status: 409,
    title: 'Price moved',
    detail: 'The trade would pay {amount} now, less than the {minimum} that was quoted at least.',
    help: 'Quote again and let the user decide. Both numbers are in the smallest unit of the output.',
  },
  SIMULATION_REVERTED: {
    status: 409,
    title: 'Simulation reverted',
    detail: 'The trade would not go through, at its step {step}: {reason}.',
    help: 'Nothing was sent. The same transactions would fail on the chain and cost their fees. A token that cannot be sold, or takes a part of its transfers, shows itself here.',
  },
  TRADING_NOT_SUPPORTED: {
    status: 409,
    title: 'Trading not supported',
    detail: 'No router is known on {chain}, so that no trade can be built there.',
    help: 'Reads and quotes work. `GET /v1/chains` lists the chains that are followed.',
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
  TOO_MANY_STREAMS: {
    status: 429,
    title: 'Too many streams',
    detail: 'No more than {limit} streams may be open at once at this level.',
    help: 'Close one, or wait as `Retry-After` says; an API key allows more. Streams of one wallet or, without credentials, of one address count together.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Rate limited',
    detail: 'The {policy} budget is used up. Try again in {retryAfterSeconds} s.',
    help: 'Wait as long as `Retry-After` says. `RateLimit` and `RateLimit-Policy` show the budget on every metered answer; an API key has a larger one.',
  },
  TOO_MANY_CHALLENGES: {
    status: 429,
    title: 'Too many challenges',
    detail: 'Too many challenges are open. Try again in {retryAfterSeconds} s.',
    help: 'Use the challenges that were given out, or wait as long as `Retry-After` says: a challenge runs out after five minutes.',
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
    help: 'Wait as long as `Retry-After` says. The operator finds the cause in the log; where it is the store, `GET /v1/ready` says what to do.',
  },
  NOT_READY: {
    status: 503,
    title: 'Not ready',
    detail: '{reason}',
    help: 'The server is starting, shutting down, behind its chains, or its store fails; `detail` says which. Wait as long as `Retry-After` says.',
  },
  OVERLOADED: {
    status: 503,
    title: 'Overloaded',
    detail: 'The server has more work than it can do in time.',
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
