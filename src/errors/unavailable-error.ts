// Something that we depend on does not answer: the caller may try again, nothing is wrong with it.

const RETRY_AFTER_SECONDS_DEFAULT = 2;

export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
  /** Named to the client, so in words that tell nothing of our insides. */
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
