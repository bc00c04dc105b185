// Errors as clients of the Jupiter API know them: programs branch on the status 400 and on
// `errorCode`, some search the text.

import { CompatRefusal, type CompatReply } from '../../contract/compat-route.ts';
import type { AppError } from '../../errors/app-error.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';

const NO_ROUTE = {
  error: 'Could not find any route',
  errorCode: 'COULD_NOT_FIND_ANY_ROUTE',
} as const;

/** The rest of what a quote or a swap refuses with is about its input or about the server. */
const REFUSALS: Partial<Record<ErrorCode, { readonly error: string; readonly errorCode: string }>> =
  {
    NO_MARKET: NO_ROUTE,
    NO_ROUTE,
    NO_ROUTE_WITHIN_LIMITS: NO_ROUTE,
    VENUE_NOT_SUPPORTED: NO_ROUTE,
    NO_SINGLE_ROUTER: NO_ROUTE,
    TAX_NOT_SUPPORTED: NO_ROUTE,
    POOLS_NOT_QUOTED: NO_ROUTE,
    ROUTE_TOO_LONG: NO_ROUTE,
    AMOUNT_TOO_SMALL: NO_ROUTE,
    EXACT_OUTPUT_NOT_SUPPORTED: NO_ROUTE,
    INSUFFICIENT_LIQUIDITY: {
      error: 'The route plan does not consume all the amount, please lower your input amount',
      errorCode: 'ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT',
    },
    TRADING_NOT_SUPPORTED: {
      error: 'This server builds no trades on this chain',
      errorCode: 'NOT_SUPPORTED',
    },
  };

/** The input of our operations, by what these clients call it. */
const PARAMETERS: Readonly<Record<string, string>> = {
  amountInRaw: 'amount',
  amountOutRaw: 'amount',
  venues: 'dexes',
  tokens: 'ids',
};

const BASE58_ADDRESS = /[1-9A-HJ-NP-Za-km-z]{32,44}/;

export function refuse(error: string, errorCode?: string): never {
  const body = errorCode === undefined ? { error } : { error, errorCode };
  throw new CompatRefusal({ status: 400, body });
}

const SIGN_IN =
  'A swap is built for the wallet that is signed in: sign in with POST /v1/auth/challenge and /v1/auth/verify (transport: token), and send the token with each request as Authorization: Bearer mw_sess_…';

function describeInput({ errors = [], message }: AppError): string {
  const [first] = errors;
  if (first === undefined) return message;
  // `tokens.0.mint` is one of `ids`.
  const [field = ''] = first.path.split('.');
  return `Query parameter ${PARAMETERS[field] ?? first.path} cannot be parsed: ${first.message}`;
}

/** Programs that know the headers of that gateway wait until a time, in seconds. */
function encodeLimited({ status, message, retryAfterSeconds = 1 }: AppError, nowMs: number) {
  const resetSeconds = Math.ceil(nowMs / 1000) + retryAfterSeconds;
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetSeconds) };
  return { status, body: { code: status, message: `Too many requests. ${message}` }, headers };
}

/** Their gateway answers what is about credentials, budgets and the server; a router the rest. */
export function encodeJupiterError(error: AppError, nowMs: number): CompatReply {
  const { status, message, code } = error;
  const known = REFUSALS[code];
  if (known !== undefined) return { status: 400, body: known };
  if (code === 'TOKEN_NOT_FOUND' || code === 'TOKEN_PAUSED') {
    const mint = BASE58_ADDRESS.exec(message)?.[0] ?? '';
    const text = `The token ${mint} is not tradable`;
    return { status: 400, body: { error: text, errorCode: 'TOKEN_NOT_TRADABLE' } };
  }
  if (status === 429) return encodeLimited(error, nowMs);
  if (status === 401) {
    // Programs print one of the two texts.
    const text = code === 'WALLET_SESSION_REQUIRED' ? SIGN_IN : message;
    return {
      status,
      body: { error: text, errorCode: 'UNAUTHORIZED', code: status, message: text },
    };
  }
  if (status === 400) return { status, body: { error: describeInput(error) } };
  if (status === 409) return { status: 400, body: { error: message, errorCode: code } };
  return { status, body: { code: status, message } };
}
