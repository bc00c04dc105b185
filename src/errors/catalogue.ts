// Every error that a client can get. Codes are permanent: they may be added, never renamed or
// reused.
//
// `detail` is a template; the names in braces are the context that `AppError` requires. Clients see
// nothing else of an error. `help` is for the documentation and says what to do about the error.

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
    help: 'See `errors`: each entry names a field and says what it must be. Unknown and repeated fields are rejected too.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    title: 'Malformed request',
    detail: '{reason}',
    help: 'The request is not valid HTTP: bad percent-encoding, a broken header or an invalid request line. Use an HTTP library instead of writing requests by hand.',
  },
  UNKNOWN_CHAIN: {
    status: 400,
    title: 'Unknown chain',
    detail: 'There is no chain "{chain}". Known chains: {known}.',
    help: 'Use a slug such as `ethereum` or `base`, or the CAIP-2 form such as `eip155:8453`.',
  },
  CHAIN_NOT_FOLLOWED: {
    status: 400,
    title: 'Chain not followed',
    detail: 'This server does not follow {chain}. It follows {followed}.',
    help: '`GET /v1/chains` lists the followed chains. To add one, the operator sets its `RPC_…` endpoint.',
  },
  INVALID_ADDRESS: {
    status: 400,
    title: 'Invalid address',
    detail: 'This is not an address on {chain}.',
    help: 'EVM addresses are `0x` and 40 hex digits, in upper or lower case; Solana addresses are 32 bytes in base58.',
  },
  INVALID_CURSOR: {
    status: 400,
    title: 'Invalid cursor',
    detail: 'The cursor does not belong to this query.',
    help: 'Send `nextCursor` unchanged, with the same query and the same credentials. A cursor is valid for its query and its caller only.',
  },
  INVALID_QUOTE_ID: {
    status: 400,
    title: 'Invalid quote id',
    detail: 'This service did not issue that quoteId.',
    help: 'Send `quoteId` exactly as `POST /v1/trade/quote` returned it, or leave it out.',
  },
  INVALID_API_KEY: {
    status: 401,
    title: 'Invalid API key',
    detail: 'The bearer credential is {reason}.',
    help: 'Send `Authorization: Bearer <API key>` with an active key, or no `Authorization` header for anonymous access. A bad key is never treated as anonymous.',
  },
  WALLET_SESSION_REQUIRED: {
    status: 401,
    title: 'Wallet session required',
    detail: 'This operation needs the session of a signed-in wallet; {reason}.',
    help: 'Sign in with `POST /v1/auth/challenge` and `POST /v1/auth/verify`, then send the session token as `Authorization: Bearer` or let the browser send its cookie.',
  },
  INVALID_SESSION: {
    status: 401,
    title: 'Invalid session',
    detail: 'The session has expired or does not exist. Sign in again.',
    help: 'A session ends 24 hours after its last use, 30 days after it began, or on logout. A session token works only as bearer token, and a session cookie only as cookie.',
  },
  INVALID_SIGNATURE: {
    status: 401,
    title: 'Invalid signature',
    detail: 'The signature does not match the challenge and its wallet.',
    help: 'Sign the `message` of the challenge unchanged, with the wallet whose address it names. After five failed attempts the challenge is void.',
  },
  CHALLENGE_EXPIRED: {
    status: 401,
    title: 'Challenge expired',
    detail: 'The challenge has expired, was already used or does not exist. Request a new one.',
    help: 'A challenge is valid for five minutes and for one sign-in.',
  },
  PRIVATE_KEY_REFUSED: {
    status: 401,
    title: 'Private key refused',
    detail:
      'The credential looks like a wallet private key. It was not stored; treat that key as exposed.',
    help: 'A wallet private key is never an API key and must never leave the wallet. If the request crossed a network, move the funds out of that wallet.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    title: 'Origin not allowed',
    detail: 'Browsers may call this only from pages of this server or of an allowed origin.',
    help: 'Browsers: call from the server\'s own origin, or ask the operator to add yours to `SESSION_ORIGINS`. Programs: sign in with `"transport": "token"`, and send no `Origin` header.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    title: 'Webhook not found',
    detail: 'This wallet has no such webhook.',
    help: '`GET /v1/webhooks` lists the webhooks of the wallet, by `webhookId`.',
  },
  WEBHOOK_LIMIT_REACHED: {
    status: 409,
    title: 'Webhook limit reached',
    detail: 'The wallet already has {limit} webhooks.',
    help: 'Delete one that is no longer needed, or change it: `PATCH /v1/webhooks/{id}`.',
  },
  WEBHOOK_ROTATING: {
    status: 409,
    title: 'Webhook is rotating',
    detail: 'The last rotation is not over: both secrets sign for {hours} more hours.',
    help: 'The old secret signs beside the new one for 24 hours. Rotate again after that, or create another webhook.',
  },
  KEY_NOT_PERMITTED: {
    status: 403,
    title: 'Key not permitted',
    detail: 'The API key may not be used for this: {reason}.',
    help: 'The owner of a key decides when issuing it what it may be used for (`scopes`) and from where (`allowedIps`); `GET /v1/keys` shows both. They cannot be changed: issue another key.',
  },
  OPERATOR_REQUIRED: {
    status: 403,
    title: 'Operator required',
    detail: 'Only wallets of operators may read this.',
    help: 'Sign in with a wallet that the setting `OPERATOR_WALLETS` names. What everybody may know is in `/v1/ready` and `/v1/chains`.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: 'Route not found',
    detail: 'There is no such route. GET /v1/openapi.json lists all routes.',
    help: 'Check the path: every route is under `/v1`, is case-sensitive and has no trailing slash.',
  },
  TOKEN_NOT_FOUND: {
    status: 404,
    title: 'Token not found',
    detail: 'There is no token {mint} on {chain}, as far as this server knows.',
    help: 'Check chain and address. An address that the index does not have is looked up on its chain: this one has no contract, or one that does not answer as a token does. That is remembered for ten minutes. Where the operator has turned lookups off, a token is known once an indexed block mentions it.',
  },
  TOKEN_PAUSED: {
    status: 404,
    title: 'Token paused',
    detail: 'The operator of this server has paused {mint} on {chain}.',
    help: 'Requests for a paused token are rejected. It is still indexed, so no data is missing once it is resumed.',
  },
  LOGO_NOT_FOUND: {
    status: 404,
    title: 'Logo not found',
    detail: 'No token list has a logo for {mint} on {chain} that this server can serve.',
    help: "Logos come from the operator's token lists (`TOKEN_LISTS`): PNG, JPEG, WebP or GIF over https. `logoUrl` of a token is null where there is none.",
  },
  POOL_NOT_FOUND: {
    status: 404,
    title: 'Pool not found',
    detail: 'There is no pool {pool}, or the token is not traded in it.',
    help: '`GET /v1/pools` lists the pools of a chain or of a token.',
  },
  TRADE_NOT_FOUND: {
    status: 404,
    title: 'Trade not found',
    detail: 'There is no trade {id}.',
    help: 'Its transaction is unknown, was reverted or removed by a reorganisation, or is not indexed yet; trades of it may have another `index`. `GET /v1/trade/status` tells what became of the transaction.',
  },
  NO_MARKET: {
    status: 404,
    title: 'No market',
    detail: 'No pools lead from {from} to {to} on {chain}.',
    help: 'The tokens are known, but at least one of them has no pool, or both are assets that prices are quoted in. `GET /v1/token` lists the pools of a token.',
  },
  NO_ROUTE: {
    status: 404,
    title: 'No route',
    detail:
      '{mint} has pools on {venues} on {chain}, but no route of up to three pools leads from {from} to {to}.',
    help: 'Its pools lead to other assets, have no liquidity left, or lead through tokens that are paused or failed a safety check. Try another `quoteMint`; `GET /v1/pools` lists the pools of a token with what it trades against.',
  },
  NO_ROUTE_WITHIN_LIMITS: {
    status: 404,
    title: 'No route within the limits',
    detail:
      'No route leads from {from} to {to} on {chain} through the venues and pools that were allowed.',
    help: 'There may be one without `venues`, `excludeVenues` or `directOnly`. `GET /v1/pools` lists the pools of a token with their venues.',
  },
  VENUE_NOT_SUPPORTED: {
    status: 404,
    title: 'Venue not supported',
    detail:
      '{mint} trades on {venues} on {chain}, where this server builds no trades; no other route was found.',
    help: 'Its prices, trades and pools are served all the same. `tradable` of a pool says where trades are built; `docs/venues.md` lists all venues.',
  },
  NO_SINGLE_ROUTER: {
    status: 404,
    title: 'No single router',
    detail:
      'Pools lead from {from} to {to} on {chain}, but no router reaches all pools of such a route.',
    help: 'A trade uses one router, which reaches the venues of one exchange. Trade in two steps, through an asset that both exchanges have: name it in `quoteMint`.',
  },
  TAX_NOT_SUPPORTED: {
    status: 404,
    title: 'Tax not supported',
    detail:
      'Pools lead from {from} to {to} on {chain}, but one of the tokens deducts a part of its transfers, and no router of these pools allows for that.',
    help: 'Routers that promise an amount before the transfer revert with such tokens. `GET /v1/token/safety` has the tax; `docs/venues.md` lists the routers.',
  },
  POOLS_NOT_QUOTED: {
    status: 404,
    title: 'Pools not quoted',
    detail:
      'Trades in the pools of {mint} on {chain} are not computed: {flags}; no other route was found.',
    help: 'Its prices, trades and pools are served all the same. `docs/solana.md` says what the features of pools are, `docs/venues.md` which venues have pools that are not computed. Pools that are `unread` are read again from time to time.',
  },
  KEY_NOT_FOUND: {
    status: 404,
    title: 'Key not found',
    detail: 'This wallet has no key with that id.',
    help: "`GET /v1/keys` lists the ids of the wallet's keys. The id is not the key itself.",
  },
  ALERT_NOT_FOUND: {
    status: 404,
    title: 'Alert not found',
    detail: 'This wallet has no alert with that id.',
    help: "`GET /v1/alerts` lists the wallet's alerts.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This route accepts {allow} only.',
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
    detail: 'The wallet already has {limit} active keys, the maximum.',
    help: 'Revoke a key that is no longer used, then issue the new one.',
  },
  ALERT_LIMIT_REACHED: {
    status: 409,
    title: 'Alert limit reached',
    detail: 'The wallet already has {limit} alerts, the most that its tier allows.',
    help: 'Delete an alert that is no longer needed, then create the new one. `GET /v1/entitlements` names the limit.',
  },
  KEY_ALREADY_REVOKED: {
    status: 409,
    title: 'Key already revoked',
    detail: 'The key is already revoked.',
    help: 'Nothing to do: the key no longer works.',
  },
  INSUFFICIENT_LIQUIDITY: {
    status: 409,
    title: 'Insufficient liquidity',
    detail: 'The pools between {from} and {to} cannot fill the whole amount.',
    help: 'Reduce the amount. `GET /v1/token` shows the liquidity of the pools.',
  },
  ROUTE_TOO_LONG: {
    status: 409,
    title: 'Route too long',
    detail: 'Every route from {from} to {to} needs more bytes than one transaction may have.',
    help: 'Make two trades: to the native coin first, then from it.',
  },
  AMOUNT_TOO_SMALL: {
    status: 409,
    title: 'Amount too small',
    detail: 'The amount does not buy the smallest unit of {to}.',
    help: 'Increase the amount: at current prices the output rounds down to zero.',
  },
  EXACT_OUTPUT_NOT_SUPPORTED: {
    status: 409,
    title: 'Exact output not supported',
    detail: 'No trade from {from} to {to} can be given its output: {reason}.',
    help: 'Give `amountInRaw`, what is spent, instead of `amountOutRaw`.',
  },
  FEE_NOT_POSSIBLE: {
    status: 409,
    title: 'Fee not possible',
    detail: 'No trade from {from} to {to} can pay a fee: {reason}.',
    help: 'There is a route without `feeBps` and `feeRecipient`. The Universal Router, SwapRouter, SwapRouter02 and the smart routers pay fees, and on Solana the transaction itself does.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    title: 'Idempotency conflict',
    detail: 'This Idempotency-Key was used for another request.',
    help: 'Use a new `Idempotency-Key` for each new request; reuse one only to repeat a request with exactly the same body.',
  },
  WALLET_CHAIN_MISMATCH: {
    status: 409,
    title: 'Wallet and chain do not match',
    detail: 'The signed-in wallet cannot trade on {chain}.',
    help: 'An ordinary EVM wallet can trade on every EVM chain, a contract wallet on its own chain only, a Solana wallet on Solana. Sign in with a matching wallet.',
  },
  QUOTE_EXPIRED: {
    status: 409,
    title: 'Quote expired',
    detail: 'The quote has expired. Request a new one.',
    help: 'A quote is valid for 30 seconds. Quote again, show the user what changed, and build with the new `quoteId`.',
  },
  QUOTE_MISMATCH: {
    status: 409,
    title: 'Quote mismatch',
    detail: 'The quote is for another trade: it differs in {fields}.',
    help: 'Send exactly the fields that were quoted, or leave `quoteId` out.',
  },
  PRICE_MOVED: {
    status: 409,
    title: 'Price moved',
    detail: 'The trade would now {change}.',
    help: 'Quote again and let the user decide. Both amounts are in the smallest unit of the output, or of the input if the output was given.',
  },
  PERMIT_OUTDATED: {
    status: 409,
    title: 'Permit outdated',
    detail: 'The signed permit {reason}.',
    help: 'Build again without `permitSignature` to get a new permit to sign. A permit can be used once, until its deadline.',
  },
  SIMULATION_REVERTED: {
    status: 409,
    title: 'Simulation reverted',
    detail: 'The trade would fail at the step {step}: {reason}.',
    help: 'Nothing was sent. The same transactions would fail on the chain and still cost fees. Typical causes are tokens that cannot be sold or that tax transfers.',
  },
  TRADING_NOT_SUPPORTED: {
    status: 409,
    title: 'Trading not supported',
    detail: 'Trades on {chain} can be neither quoted nor built: no router is known there.',
    help: 'Market data works. `GET /v1/chains` lists the chains that are followed.',
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
    detail: 'This tier allows {limit} open streams.',
    help: 'Close a stream, or wait as long as `Retry-After` says; an API key allows more. All streams of a wallet or, without credentials, of an address count together.',
  },
  LOOKUPS_NOT_INCLUDED: {
    status: 403,
    title: 'Lookups not included',
    detail:
      'The token is new to this server, and the tier {tier} does not include looking tokens up on {chain}.',
    help: '`limits.lookups` of `/entitlements` is how many unknown tokens the tier may look up each minute; for this one it is 0. Use a key, or ask the operator. Tokens that the server knows can be read all the same.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Rate limited',
    detail: 'The {policy} budget is used up. Try again in {retryAfterSeconds} s.',
    help: 'Wait as long as `Retry-After` says. `RateLimit` and `RateLimit-Policy` show the budget on every metered response; an API key has a larger one.',
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
    detail:
      'The server failed to process the request. The server log has the cause under the request id.',
    help: 'Try again later, and report it to the operator with the `requestId`.',
  },
  UPSTREAM_UNAVAILABLE: {
    status: 503,
    title: 'Upstream unavailable',
    detail: '{upstream} is not responding at the moment.',
    help: 'Wait as long as `Retry-After` says. The cause is in the server log; if it is the store, `GET /v1/ready` says what to do.',
  },
  NOT_READY: {
    status: 503,
    title: 'Not ready',
    detail: '{reason}',
    help: 'The server is starting, shutting down or behind its chains, or its store has failed; `detail` says which. Wait as long as `Retry-After` says.',
  },
  LOOKUP_PENDING: {
    status: 503,
    title: 'Lookup pending',
    detail:
      'The token {mint} of {chain} is not known in full yet: {what}. Try again in {retryAfterSeconds} s.',
    help: 'Wait as long as `Retry-After` says and send the request again: the lookup goes on meanwhile, and a request that finds it under way costs nothing extra. If the state of its pools cannot be read within two minutes, the answer is `POOLS_NOT_QUOTED`.',
  },
  OVERLOADED: {
    status: 503,
    title: 'Overloaded',
    detail: 'The server has too many requests to answer in time.',
    help: 'Wait as long as `Retry-After` says, and spread requests over time.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

type PlaceholdersOf<Template extends string> =
  Template extends `${string}{${infer Name}}${infer Rest}` ? Name | PlaceholdersOf<Rest> : never;

/** The values for the placeholders in an error's `detail`. */
export type ErrorContext<Code extends ErrorCode> = {
  readonly [Name in PlaceholdersOf<(typeof ERROR_CATALOGUE)[Code]['detail']>]: string | number;
};

export const ERROR_CODES = Object.keys(ERROR_CATALOGUE) as readonly ErrorCode[];

/** Fills the code's template. Values are inserted once and are not expanded as templates. */
export function fillDetail<Code extends ErrorCode>(
  code: Code,
  context: ErrorContext<Code>,
): string {
  const values: Readonly<Record<string, string | number>> = context;
  return ERROR_CATALOGUE[code].detail.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(values[name]),
  );
}
