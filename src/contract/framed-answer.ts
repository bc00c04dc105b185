// An answer that comes with something beside its body: a header, or a session to keep or to drop.

export interface FramedAnswer<Body> {
  readonly kind: 'framed';
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** What a browser is to do with its session: keep this one until then, or drop the one it has. */
  readonly session?: { readonly token: string; readonly expiresAtMs: number } | 'drop';
}

export function isFramedAnswer(answer: unknown): answer is FramedAnswer<unknown> {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'framed'
  );
}
