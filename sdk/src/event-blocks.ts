// Reads Server-Sent Events from the body of a response.

interface EventBlock {
  readonly event: string;
  /** Null for a block without data, such as a keep-alive with an id. */
  readonly data: string | null;
  readonly id: string | null;
  /** How long the server wants clients to wait before they connect again. */
  readonly retryMs: number | null;
}

/** Takes text as the network cuts it, and gives the blocks that are complete. */
export function createBlockParser(): (piece: string) => EventBlock[] {
  let rest = '';
  let fields = new Map<string, string>();

  function finish(): EventBlock[] {
    const done = fields;
    fields = new Map();
    if (done.size === 0) return [];
    const retry = Number(done.get('retry') ?? Number.NaN);
    return [
      {
        event: done.get('event') ?? 'message',
        data: done.get('data') ?? null,
        id: done.get('id') ?? null,
        retryMs: Number.isFinite(retry) ? retry : null,
      },
    ];
  }

  function takeLine(line: string): EventBlock[] {
    if (line === '') return finish();
    const colon = line.indexOf(':');
    if (colon === 0) return [];
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    const before = name === 'data' ? fields.get(name) : undefined;
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
    return [];
  }

  return (piece) => {
    const lines = (rest + piece).split(/\r?\n/);
    // A carriage return at the end may be half of a line end.
    rest = lines.pop() ?? '';
    return lines.flatMap(takeLine);
  };
}

/** Ends with the body, and with an error if nothing comes for so long. */
export async function* readEventBlocks(
  body: ReadableStream<Uint8Array>,
  options: {
    readonly silenceMaxMs: number;
    readonly signal: AbortSignal | undefined;
    /** Also for keep-alives that are comments. */
    readonly onActivity: (() => void) | undefined;
  },
): AsyncGenerator<EventBlock> {
  const { silenceMaxMs, signal, onActivity } = options;
  const reader = body.getReader();
  const parse = createBlockParser();
  const decoder = new TextDecoder();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      let isSilent = false;
      const timer = setTimeout(() => {
        isSilent = true;
        stop();
      }, silenceMaxMs);
      const piece = await reader.read().finally(() => clearTimeout(timer));
      if (signal?.aborted) throw signal.reason;
      if (isSilent) throw new Error(`nothing came for ${silenceMaxMs} ms`);
      if (piece.done) return;
      onActivity?.();
      yield* parse(decoder.decode(piece.value, { stream: true }));
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}
