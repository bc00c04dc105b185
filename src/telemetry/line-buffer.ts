// Gathers log lines and hands them on in large pieces: a request must not pay for a write, nor for
// the making of its line, which costs a fraction when many are made at once.

export interface LineSink {
  write(text: string): unknown;
}

interface LineBufferOptions<Line> {
  readonly sink: LineSink;
  readonly toText: (line: Line) => string;
  /** Handed on when there are so many, whatever the time. */
  readonly countMax: number;
  /** Handed on after this time, however little there is. */
  readonly delayMs: number;
}

export class LineBuffer<Line> {
  readonly #options: LineBufferOptions<Line>;
  #pending: Line[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LineBufferOptions<Line>) {
    this.#options = options;
  }

  write(line: Line): void {
    this.#pending.push(line);
    if (this.#pending.length >= this.#options.countMax) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#options.delayMs).unref();
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const lines = this.#pending;
    this.#pending = [];
    let text = '';
    for (const line of lines) text += this.#options.toText(line);
    if (text !== '') this.#options.sink.write(text);
  }
}
