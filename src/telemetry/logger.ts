// The log: pino, one line an event, redacted, as JSON for machines or as text for people.

import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { redact } from './redact.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: string;
  readonly format: 'json' | 'text';
  /** Where lines go; standard output unless a test listens. */
  readonly stream?: DestinationStream;
}

const LEVEL_NAMES: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** A JSON line as a person reads it: time, level, message, then the fields. */
export function toTextLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  const shown = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = (err as { stack?: string } | undefined)?.stack;
  const head = [clock, (LEVEL_NAMES[Number(level)] ?? '').padEnd(5), String(msg ?? ''), ...shown];
  return `${head.join(' ')}${stack ? `\n${stack}` : ''}\n`;
}

export function createLogger(options: LoggerOptions): Logger {
  const stream =
    // Buffered, so that a request does not wait for a write; flushed at exit by pino.
    options.stream ?? destination({ dest: 1, sync: false, minLength: 4096 });
  return pino(
    {
      level: options.level,
      base: null,
      hooks: {
        streamWrite: (line) => {
          const safe = redact(line);
          return options.format === 'text' ? toTextLine(safe) : safe;
        },
      },
    },
    stream,
  );
}
