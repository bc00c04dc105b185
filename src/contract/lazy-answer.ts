// An answer that is dropped when it is written. A request that waits makes promises that V8 soon
// counts as old, and what an old one holds survives until a full collection, even if it is dead:
// docs/decisions/tuning.md, 0082.

export class LazyAnswer<Body> {
  readonly kind = 'lazy';
  #body: Body | null;

  constructor(body: Body) {
    this.#body = body;
  }

  take(): Body {
    const body = this.#body;
    if (body === null) throw new Error('an answer was taken twice');
    this.#body = null;
    return body;
  }
}

export function isLazyAnswer(answer: unknown): answer is LazyAnswer<unknown> {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'lazy'
  );
}
