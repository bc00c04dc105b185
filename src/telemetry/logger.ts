// The log: pino's lines, redacted, as JSON for machines or as text for people.

import { destination, type Logger as PinoLogger, pino } from 'pino';
import { LineBuffer, type LineSink } from './line-buffer.ts';
import { toTerminalLine, toTerminalText } from './terminal-text.ts';

// The log's last defence: text that looks like a secret is redacted.
//
// Log lines have chosen fields only, so secrets should not get in; this catches those in error
// texts.

const SECRET_SHAPES: readonly RegExp[] = [
  // Our own keys and session tokens.
  /mw_(?:live|sess)_[A-Za-z0-9]+/g,
  // 32 bytes in hex: a private key, although a hash looks the same.
  /\b(?:0x)?[0-9a-fA-F]{64}\b/g,
  // 64 bytes in base58: an exported Solana key.
  /\b[1-9A-HJ-NP-Za-km-z]{86,88}\b/g,
  // A byte array of 64 numbers, Solana's key file.
  /\[(?:\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]/g,
  /\b[Bb]earer\s+[^\s"\\]+/g,
  // Everything in a URL except its host: user names, keys in paths, queries.
  /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s"'\\/@]*@)?([^\s"'\\/?#]+)[^\s"'\\]*/gi,
];

const REDACTED = '[redacted]';

export function redact(line: string): string {
  let result = line;
  for (const shape of SECRET_SHAPES) {
    result = result.replace(shape, (match, scheme?: unknown, host?: unknown) => {
      if (typeof scheme === 'string' && typeof host === 'string') {
        return `${scheme}${host}/${REDACTED}`;
      }
      // An array may be a JSON value in the line, so its replacement must be one too.
      return match.startsWith('[') ? '[]' : REDACTED;
    });
  }
  return result;
}

/** A request in the log: chosen fields only, so that no secret can get in. */
interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly operation: string;
  readonly status: number;
  readonly ms: number;
  readonly identity: string;
}

export interface Logger extends Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'> {
  request(line: RequestLine): void;
  /** The last line of a terminal, below the log; elsewhere nothing. An empty text removes it. */
  showStatus(text: string): void;
  /** Writes buffered lines; called before the process ends. */
  flush(): void;
}

interface LoggerOptions {
  readonly level: string;
  readonly format: 'json' | 'text';
  /** Somebody watches the lines as they come: requests are logged at the level `debug`. */
  readonly isTerminal?: boolean;
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

const CLEAR_LINE = '\r\u001b[2K';

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

/** Without a route the path is a stranger's text, which may hold a secret: it is left out. */
function toShownPath({ operation, path }: RequestLine): string {
  return operation === 'unknown' || operation === 'preflight' ? '""' : `"${path}"`;
}

/** A line as JSON text, or a request whose line is not formatted yet. */
type Line = string | { readonly request: RequestLine; readonly timeMs: number };

/**
 * Request lines are formatted by hand in pino's format: known fields need neither serialisers nor
 * redaction.
 */
function toJsonLine(line: Line): string {
  if (typeof line === 'string') return line;
  const { requestId, method, operation, status, ms, identity } = line.request;
  const path = toShownPath(line.request);
  return `{"level":${INFO},"time":${line.timeMs},"requestId":"${requestId}","method":"${method}","path":${path},"operation":"${operation}","status":${status},"ms":${ms.toFixed(3)},"identity":"${identity}","msg":"request"}\n`;
}

/** Keeps a status line below the lines: each piece of text replaces it and is followed by it. */
class StatusLine implements LineSink {
  readonly #sink: LineSink;
  #status = '';

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  show(status: string): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#sink.write(`${CLEAR_LINE}${status}`);
  }

  write(text: string): void {
    this.#sink.write(this.#status === '' ? text : `${CLEAR_LINE}${text}${this.#status}`);
  }
}

interface Output {
  write(line: Line): void;
  showStatus(text: string): void;
  flush(): void;
}

interface OutputOptions {
  readonly toText: (line: Line) => string;
  readonly hasStatus: boolean;
}

function createStandardOutput({ toText, hasStatus }: OutputOptions): Output {
  // A slow reader of standard output must not fill our memory: above 8 MiB lines are dropped.
  const stdout = destination({ dest: 1, sync: false, maxLength: 8 * 1024 * 1024 });
  const status = hasStatus ? new StatusLine(stdout) : null;
  const sink = status ?? stdout;
  const buffer = new LineBuffer<Line>({ sink, toText, countMax: 100, delayMs: 100 });
  return {
    write: (line) => buffer.write(line),
    showStatus: (text) => {
      // In the order in which they were said.
      buffer.flush();
      status?.show(text);
    },
    flush: () => {
      buffer.flush();
      stdout.flushSync();
    },
  };
}

/** Writes each line at once. */
function createDirectOutput(direct: LineSink, { toText, hasStatus }: OutputOptions): Output {
  const status = hasStatus ? new StatusLine(direct) : null;
  const sink = status ?? direct;
  return {
    write: (line) => void sink.write(toText(line)),
    showStatus: (text) => status?.show(text),
    flush: () => {},
  };
}

export function createLogger(options: LoggerOptions): Logger {
  const { sink, isTerminal = false } = options;
  const toText =
    options.format === 'text' ? (line: Line) => toTextLine(toJsonLine(line)) : toJsonLine;
  const form = { toText, hasStatus: isTerminal && options.format === 'text' };
  const output = sink ? createDirectOutput(sink, form) : createStandardOutput(form);
  const nowMs = options.nowMs ?? Date.now;
  const lines = pino(
    { level: options.level, base: null },
    { write: (line) => output.write(redact(line)) },
  );
  const requestsEnabled = lines.isLevelEnabled(isTerminal ? 'debug' : 'info');
  return {
    debug: lines.debug.bind(lines),
    info: lines.info.bind(lines),
    warn: lines.warn.bind(lines),
    error: lines.error.bind(lines),
    request: (request) => {
      if (requestsEnabled) output.write({ request, timeMs: nowMs() });
    },
    showStatus: output.showStatus,
    flush: output.flush,
  };
}
