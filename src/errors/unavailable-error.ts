// A dependency is not responding: the caller may retry, the request is fine.

const RETRY_AFTER_SECONDS_DEFAULT = 2;

/**
 * Whether an error, or what caused it, is an outage that is logged when it begins and when it ends:
 * the requests and polls that meet it in between are not logged one by one.
 */
export function isLoggedOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ('isLoggedOutage' in error && error.isLoggedOutage === true) || isLoggedOutage(error.cause)
  );
}

export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
  /** Shown to the client, so it must not reveal internals. */
  readonly upstream: string;
  readonly retryAfterSeconds: number;

  constructor(
    upstream: string,
    cause: unknown,
    options: { readonly message?: string; readonly retryAfterSeconds?: number } = {},
  ) {
    super(options.message ?? `${upstream} does not answer`, { cause });
    this.upstream = upstream;
    this.retryAfterSeconds = options.retryAfterSeconds ?? RETRY_AFTER_SECONDS_DEFAULT;
  }
}
