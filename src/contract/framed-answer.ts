// An answer with more than a body: a header, or a session cookie to set or delete.

export interface FramedAnswer<Body> {
  readonly kind: 'framed';
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** The browser's session: set this one until then, or delete the current one. */
  readonly session?: { readonly token: string; readonly expiresAtMs: number } | 'drop';
}

export function isFramedAnswer(answer: unknown): answer is FramedAnswer<unknown> {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'framed'
  );
}
