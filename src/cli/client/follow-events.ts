// Follows a stream of a server, over its restarts.

import { setTimeout as delay } from 'node:timers/promises';
import { type ServerClient, ServerError } from './server-client.ts';

const RECONNECT_MS = 1000;

export interface ServerEvent {
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
async function* parseEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
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

export interface Follow {
  readonly client: ServerClient;
  readonly query: Readonly<Record<string, string>>;
  readonly eventsMax: number;
  /** The next event is read when it has ended. */
  readonly onEvent: (event: ServerEvent) => void | Promise<void>;
}

/** Reads the stream, and again from its last event whenever it breaks. */
export async function followEvents({ client, query, eventsMax, onEvent }: Follow): Promise<void> {
  const abort = new AbortController();
  let [count, lastEventId] = [0, undefined as string | undefined];
  while (count < eventsMax) {
    const at = { ...query, lastEventId };
    try {
      const stream = await client.open('/token/stream', at, abort.signal);
      for await (const event of parseEvents(stream)) {
        lastEventId = event.id ?? lastEventId;
        await onEvent(event);
        count += 1;
        if (event.event === 'paused') throw new ServerError('the token was paused');
        if (count >= eventsMax) break;
      }
    } catch (error) {
      // A server that was there comes back: it is being restarted.
      if (error instanceof ServerError && !(error.isPassing && count > 0)) throw error;
    }
    if (count < eventsMax) await delay(RECONNECT_MS);
  }
  abort.abort();
}
