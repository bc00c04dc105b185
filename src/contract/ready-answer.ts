// An answer as bytes: built once and sent unchanged while it is valid.

export interface ReadyAnswer {
  readonly kind: 'ready';
  readonly bytes: Buffer;
  /**
   * The same bytes in two parts, of which the long one is the same object in many answers; a
   * transport may keep its compressed form.
   */
  readonly parts?: { readonly long: Buffer; readonly end: Buffer };
  /** Weak entity tag, quotes included; null for an answer that is not cached anywhere else. */
  readonly etag: string | null;
  /** Headers that differ from the common ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function isReadyAnswer(answer: unknown): answer is ReadyAnswer {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'ready'
  );
}
