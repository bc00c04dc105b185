// Buffers log lines and writes them in large pieces: a request must not pay for a write, nor for
// formatting its line, which is much cheaper in bulk.

export interface LineSink {
  write(text: string): unknown;
}

interface LineBufferOptions<Line> {
  readonly sink: LineSink;
  readonly toText: (line: Line) => string;
  /** Written when this many lines are buffered. */
  readonly countMax: number;
  /** Written after this time, however few there are. */
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
