// An answer that already is bytes: made once, sent as it is as long as it holds.

export interface ReadyAnswer {
  readonly kind: 'ready';
  readonly bytes: Buffer;
  /** Weak entity tag, quotes included. */
  readonly etag: string;
  /** Headers that differ from what every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function isReadyAnswer(answer: unknown): answer is ReadyAnswer {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'ready'
  );
}
