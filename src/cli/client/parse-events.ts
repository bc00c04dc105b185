// Server-Sent Events, from the bytes of a response.

interface ServerEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

function parseBlock(block: string): ServerEvent | null {
  let [event, id, data] = ['message', null as string | null, ''];
  for (const line of block.split('\n')) {
    const at = line.indexOf(':');
    if (at <= 0) continue;
    const value = line.slice(at + 1).replace(/^ /, '');
    const field = line.slice(0, at);
    if (field === 'event') event = value;
    else if (field === 'id') id = value;
    else if (field === 'data') data += value;
  }
  return data === '' ? null : { event, id, data: JSON.parse(data) };
}

/** Ends when the stream does. Comments are left out. */
export async function* parseEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    rest += decoder.decode(bytes, { stream: true }).replaceAll('\r\n', '\n');
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== null) yield event;
    }
  }
}
