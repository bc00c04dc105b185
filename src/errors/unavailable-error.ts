// Something that we depend on does not answer: the caller may try again, nothing is wrong with it.

export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
  /** Named to the client, so in words that tell nothing of our insides. */
  readonly upstream: string;

  constructor(upstream: string, cause: unknown) {
    super(`${upstream} does not answer`, { cause });
    this.upstream = upstream;
  }
}
