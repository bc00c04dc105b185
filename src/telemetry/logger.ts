// The log: pino's lines, redacted, as JSON for machines or as text for people.

import { destination, type Logger as PinoLogger, pino } from 'pino';
import { LineBuffer, type LineSink } from './line-buffer.ts';
import { redact } from './redact.ts';
import { toTerminalLine, toTerminalText } from './terminal-text.ts';

/** A request in the log: chosen fields only, so that no secret can get in. */
interface RequestLine {
  readonly requestId: string;
  readonly operation: string;
  readonly status: number;
  readonly ms: number;
  readonly identity: string;
}

export interface Logger extends Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'> {
  request(line: RequestLine): void;
  /** Writes buffered lines; called before the process ends. */
  flush(): void;
}

interface LoggerOptions {
  readonly level: string;
  readonly format: 'json' | 'text';
  /** Receives lines immediately; buffered standard output by default. */
  readonly sink?: LineSink;
  readonly nowMs?: () => number;
}

const INFO = 30;
const LEVEL_NAMES: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** Text as it is, without what could move a terminal's cursor or forge a line. */
function toShownValue(value: unknown): string {
  return toTerminalLine(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A JSON line as readable text: time, level, message, then the fields. */
function toTextLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  const shown = Object.entries(fields).map(([key, value]) => `${key}=${toShownValue(value)}`);
  const stack = (err as { stack?: string } | undefined)?.stack;
  const head = [
    clock,
    (LEVEL_NAMES[Number(level)] ?? '').padEnd(5),
    toShownValue(msg ?? ''),
    ...shown,
  ];
  return `${head.join(' ')}${stack ? `\n${toTerminalText(stack)}` : ''}\n`;
}

/** A line as JSON text, or a request whose line is not formatted yet. */
type Line = string | { readonly request: RequestLine; readonly timeMs: number };

/**
 * Request lines are formatted by hand in pino's format: known fields need neither serialisers nor
 * redaction.
 */
function toJsonLine(line: Line): string {
  if (typeof line === 'string') return line;
  const { requestId, operation, status, ms, identity } = line.request;
  return `{"level":${INFO},"time":${line.timeMs},"requestId":"${requestId}","operation":"${operation}","status":${status},"ms":${ms.toFixed(3)},"identity":"${identity}","msg":"request"}\n`;
}

interface Output {
  write(line: Line): void;
  flush(): void;
}

function createStandardOutput(toText: (line: Line) => string): Output {
  // A slow reader of standard output must not fill our memory: above 8 MiB lines are dropped.
  const stdout = destination({ dest: 1, sync: false, maxLength: 8 * 1024 * 1024 });
  const buffer = new LineBuffer<Line>({ sink: stdout, toText, countMax: 100, delayMs: 100 });
  return {
    write: (line) => buffer.write(line),
    flush: () => {
      buffer.flush();
      stdout.flushSync();
    },
  };
}

export function createLogger(options: LoggerOptions): Logger {
  const { sink } = options;
  const toText =
    options.format === 'text' ? (line: Line) => toTextLine(toJsonLine(line)) : toJsonLine;
  const output: Output = sink
    ? { write: (line) => void sink.write(toText(line)), flush: () => {} }
    : createStandardOutput(toText);
  const nowMs = options.nowMs ?? Date.now;
  const lines = pino(
    { level: options.level, base: null },
    { write: (line) => output.write(redact(line)) },
  );
  const requestsEnabled = lines.isLevelEnabled('info');
  return {
    debug: lines.debug.bind(lines),
    info: lines.info.bind(lines),
    warn: lines.warn.bind(lines),
    error: lines.error.bind(lines),
    request: (request) => {
      if (requestsEnabled) output.write({ request, timeMs: nowMs() });
    },
    flush: output.flush,
  };
}
