// Errors between us and an archive, classified by what to do about them.

type ArchiveErrorKind =
  /** No answer, a broken connection, a limit, a fault of theirs: tried again later. */
  | 'failed'
  /** It does not have these blocks, or not yet: asked again after a while. */
  | 'dry'
  /** A key is missing, the dataset is unknown, the request is not understood. */
  | 'refused'
  /** It sent what is not the chain: it is not used again. */
  | 'wrong';

export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly kind: ArchiveErrorKind;
  /** How long the archive asked us to wait. */
  readonly retryAfterMs: number | null;
  /** A column that the archive does not have in this range. */
  readonly column: string | null;

  constructor(
    kind: ArchiveErrorKind,
    message: string,
    details: { readonly retryAfterMs?: number | null; readonly column?: string } = {},
  ) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.column = details.column ?? null;
  }
}
