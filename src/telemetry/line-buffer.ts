// Gathers log lines and hands them on in large pieces: a request must not pay for a write.

export interface LineSink {
  write(text: string): unknown;
}

export interface LineBufferOptions {
  readonly sink: LineSink;
  /** Handed on at this size, whatever the time. */
  readonly lengthMax: number;
  /** Handed on after this time, however little there is. */
  readonly delayMs: number;
}

export class LineBuffer {
  readonly #options: LineBufferOptions;
  #pending = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LineBufferOptions) {
    this.#options = options;
  }

  write(line: string): void {
    this.#pending += line;
    if (this.#pending.length >= this.#options.lengthMax) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#options.delayMs).unref();
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const text = this.#pending;
    this.#pending = '';
    if (text !== '') this.#options.sink.write(text);
  }
}
