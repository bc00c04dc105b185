// Sends a request and reads its answer. What is not an answer becomes a `MintwireError`; what may
// help if it is asked again is asked again, not before the time that the server named.

import type { Problem } from './contract.gen.ts';
import { MintwireError, type ProblemCode } from './mintwire-error.ts';
import { waitMs } from './wait-ms.ts';

export interface RetryPolicy {
  /** How often a request is repeated at most; 2 by default. */
  readonly countMax: number;
  /** A longer wait is not waited for, but thrown; 30 seconds by default. */
  readonly waitMaxMs: number;
}

export interface RequestPlan {
  readonly url: string;
  readonly init: RequestInit;
  /** Whether it changes nothing, so that it may be sent again although its answer was lost. */
  readonly isRepeatable: boolean;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal | undefined;
  readonly fetch: typeof fetch;
}

const BACKOFF_FIRST_MS = 500;

function createClientError(code: ProblemCode, detail: string, cause?: unknown): MintwireError {
  const details = { code, detail, status: 0, title: 'No answer', requestId: null, errors: [] };
  return new MintwireError({ ...details, retryAfterMs: BACKOFF_FIRST_MS }, { cause });
}

/** `Retry-After` in seconds or as a date. */
function readRetryAfterMs({ headers, status }: Response): number | null {
  const text = headers.get('retry-after');
  if (text !== null) {
    const seconds = Number(text);
    const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
    if (Number.isFinite(ms)) return Math.max(0, ms);
  }
  // A fault of the server, or of a proxy before it, may pass.
  return status >= 500 ? BACKOFF_FIRST_MS : null;
}

async function readProblem(response: Response): Promise<MintwireError> {
  const body = (await response.json().catch(() => ({}))) as Partial<Problem>;
  return new MintwireError({
    code: body.code ?? 'UNEXPECTED_ANSWER',
    status: response.status,
    title: body.title ?? response.statusText,
    detail: body.detail ?? '',
    requestId: body.requestId ?? response.headers.get('x-request-id'),
    errors: body.errors ?? [],
    retryAfterMs: readRetryAfterMs(response),
  });
}

/** Sends once. Timeout and signal end when `read` has the answer, though it may leave the body. */
async function sendOnce<Answer>(
  plan: RequestPlan,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const { url, init, timeoutMs, signal } = plan;
  const abort = new AbortController();
  const onAbort = () => abort.abort(signal?.reason);
  if (signal?.aborted) throw signal.reason;
  signal?.addEventListener('abort', onAbort, { once: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort.abort();
  }, timeoutMs);
  try {
    const response = await plan.fetch(url, { ...init, signal: abort.signal });
    if (!response.ok) throw await readProblem(response);
    return await read(response);
  } catch (error) {
    if (error instanceof MintwireError) throw error;
    if (signal?.aborted) throw signal.reason;
    if (isLate) throw createClientError('TIMEOUT', `No answer within ${timeoutMs} ms.`, error);
    throw createClientError('UNREACHABLE', 'The server does not answer.', error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** How long to wait before the request is sent again; null if it must not be. */
function pickWaitMs(error: unknown, plan: RequestPlan, failures: number): number | null {
  if (!(error instanceof MintwireError) || error.retryAfterMs === null) return null;
  const { countMax, waitMaxMs } = plan.retry;
  // A request over its budget was not handled; any other may have been.
  if (failures >= countMax || (error.status !== 429 && !plan.isRepeatable)) return null;
  const longestMs = Math.min(waitMaxMs, BACKOFF_FIRST_MS * 2 ** failures);
  const backoffMs = longestMs * (0.5 + Math.random() / 2);
  const durationMs = Math.max(error.retryAfterMs, backoffMs);
  return durationMs > waitMaxMs ? null : durationMs;
}

export async function sendCall<Answer>(
  plan: RequestPlan,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await sendOnce(plan, read);
    } catch (error) {
      const durationMs = pickWaitMs(error, plan, failures);
      if (durationMs === null) throw error;
      await waitMs(durationMs, plan.signal);
    }
  }
}
