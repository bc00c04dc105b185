// An answer as bytes: built once and sent unchanged while it is valid.

export interface ReadyAnswer {
  readonly kind: 'ready';
  readonly bytes: Buffer;
  /** Weak entity tag, quotes included. */
  readonly etag: string;
  /** Headers that differ from the common ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function isReadyAnswer(answer: unknown): answer is ReadyAnswer {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'ready'
  );
}
