// Parses Server-Sent Events from text that arrives in pieces.

interface ParsedEvent {
  readonly name: string;
  readonly data: string;
}

interface EventSink {
  onEvent(event: ParsedEvent): void;
  /** A block with an `id` field was complete, with or without data. */
  onId(id: string): void;
}

interface EventDraft {
  name: string;
  data: string[];
  id: string | null;
}

/** Takes the next piece of text. */
export function createEventParser(sink: EventSink): (piece: string) => void {
  let rest = '';
  let draft: EventDraft = { name: 'message', data: [], id: null };

  function finish(): void {
    const { name, data, id } = draft;
    draft = { name: 'message', data: [], id: null };
    if (data.length > 0) sink.onEvent({ name, data: data.join('\n') });
    // After the event: an id counts once what it stands for was applied.
    if (id !== null) sink.onId(id);
  }

  function takeLine(line: string): void {
    if (line === '') {
      finish();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') draft.name = value;
    else if (field === 'data') draft.data.push(value);
    else if (field === 'id') draft.id = value;
  }

  return (piece) => {
    const lines = (rest + piece).split(/\r?\n/);
    // A carriage return at the end may be half of a line end.
    rest = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
  };
}
