// Reads a stream over HTTP like a program, byte by byte, and can disconnect at any byte.

import { get, type IncomingHttpHeaders } from 'node:http';
import { EventParser, type StreamEvent } from './stream-fold.ts';

export interface HttpStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: StreamEvent[];
  /** Everything that came, comments included. */
  text(): string;
  /** Resolves when the stream has ended: `clean` if the server ended it. */
  readonly ended: Promise<'clean' | 'broken'>;
  /** Breaks the connection. */
  leave(): void;
  /** Resolves with the first matching event, past ones included; rejects if the stream ends. */
  until(fits: (event: StreamEvent) => boolean): Promise<StreamEvent>;
}

export interface HttpStreamOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly onEvent?: (event: StreamEvent, stream: Pick<HttpStream, 'leave'>) => void;
}

/** Resolves when the response's head has arrived, whatever its status. */
export function openHttpStream(url: string, options: HttpStreamOptions = {}): Promise<HttpStream> {
  return new Promise((resolve, reject) => {
    const parser = new EventParser();
    const events: StreamEvent[] = [];
    const waiters = new Set<() => void>();
    let text = '';
    const ended = Promise.withResolvers<'clean' | 'broken'>();
    const request = get(url, { headers: options.headers ?? {}, agent: false }, (response) => {
      const leave = () => request.destroy();
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        for (const event of parser.push(chunk)) {
          if (request.destroyed) return;
          events.push(event);
          options.onEvent?.(event, { leave });
        }
        for (const look of waiters) look();
      });
      response.on('close', () => ended.resolve(response.complete ? 'clean' : 'broken'));
      response.on('error', () => ended.resolve('broken'));
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        events,
        text: () => text,
        ended: ended.promise,
        leave,
        until: (fits) =>
          new Promise((found, fail) => {
            const failEnded = (how: string) => {
              const { statusCode } = response;
              fail(new Error(`the stream (${statusCode}) ended ${how}: ${text.slice(-500)}`));
            };
            void ended.promise.then(failEnded);
            const look = () => {
              const event = events.find(fits);
              if (event === undefined) return;
              waiters.delete(look);
              found(event);
            };
            waiters.add(look);
            look();
          }),
      });
    });
    request.on('error', (error) => {
      ended.resolve('broken');
      reject(error);
    });
  });
}
