// Loaded into every process of the suite first (`--import`): records each call that the service
// makes to a node, in any process and thread.
//
// A service that runs as a separate process is watched at its sockets: everything that any library
// writes. In a test's process the test's own wallets and tools call nodes, too, and may send; there
// only requests by code under src/ count, recognised by the stack. The devnet's process is tooling
// and is not watched.

import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { Socket } from 'node:net';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { noteCpu } from './cpu-notes.ts';
import { listMethods, noteMethods } from './rpc-notes.ts';

/** Set by `npm test` and inherited by child processes. */
const FOLDER = process.env['MINTWIRE_TEST_RPC_NOTES'];
const SERVICE_VARIABLE = 'MINTWIRE_TEST_SERVICE_PID';
const FILE_VARIABLE = 'MINTWIRE_TEST_FILE';
const STACK_DEPTH = 40;
/** With its full path: a checkout may be below a folder of that name. */
const OURS = pathToFileURL(join(process.cwd(), 'src/')).href;

const HTTP_START = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /;
/** The command line asks a Mintwire server, which is no node. */
const OWN_API = /^[A-Z]+ \/v1\//;
/** An archive sends blocks, and can do nothing else. */
const ARCHIVE = /\/datasets\/[^/]+\/finalized-stream$/;
/** A delivery to a receiver of webhooks, which is no node either. */
const DELIVERY = /^webhook-id: /im;
const HEAD_END = '\r\n\r\n';

function note(methods: readonly string[]): void {
  const testFile = process.env[FILE_VARIABLE] ?? 'unknown';
  noteMethods({ folder: FOLDER ?? '', testFile }, methods);
}

/** The bytes written to a socket, parsed into requests; null if it is not HTTP. */
class Outgoing {
  #bytes: Buffer | null = Buffer.alloc(0);

  add(chunk: Buffer): void {
    if (this.#bytes === null) return;
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length > 8 && !HTTP_START.test(this.#bytes.toString('latin1', 0, 8))) {
      this.#bytes = null;
    }
    while (this.#bytes !== null && this.#takeRequest(this.#bytes));
  }

  #takeRequest(bytes: Buffer): boolean {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = bytes.toString('latin1', 0, end);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    const start = end + HEAD_END.length;
    // What cannot be parsed to its end is recorded as such, which counts as no read.
    if (/^(?:transfer-encoding|upgrade):/im.test(head)) {
      note(['no length']);
      this.#bytes = null;
      return false;
    }
    if (bytes.length < start + length) return false;
    const [, path = ''] = head.split(' ', 2);
    const isOther = OWN_API.test(head) || ARCHIVE.test(path) || DELIVERY.test(head);
    if (length > 0 && !isOther) {
      note(listMethods(bytes.toString('utf8', start, start + length)));
    }
    this.#bytes = bytes.subarray(start + length);
    return this.#bytes.length > 0;
  }
}

type Write = (this: Socket, ...args: unknown[]) => unknown;

function watchSockets(): void {
  const opened = new WeakMap<Socket, Outgoing>();
  const methods = Socket.prototype as unknown as Record<'connect' | 'write' | 'end', Write>;
  const { connect, write, end } = methods;
  const add = (socket: Socket, chunk: unknown, encoding: unknown) => {
    const isText = typeof chunk === 'string';
    if (!isText && !(chunk instanceof Uint8Array)) return;
    const bytes = isText
      ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
      : Buffer.from(chunk);
    opened.get(socket)?.add(bytes);
  };
  methods.connect = function (...args) {
    opened.set(this, new Outgoing());
    return connect.apply(this, args);
  };
  methods.write = function (...args) {
    add(this, args[0], args[1]);
    return write.apply(this, args);
  };
  methods.end = function (...args) {
    add(this, args[0], args[1]);
    return end.apply(this, args);
  };
}

/** Whether the service's code made the call: the innermost file that is not a library's. */
function isOurs(): boolean {
  const depth = Error.stackTraceLimit;
  Error.stackTraceLimit = STACK_DEPTH;
  const lines = new Error('who calls').stack?.split('\n').slice(1) ?? [];
  Error.stackTraceLimit = depth;
  const caller = lines.find(
    (line) => !/node:|node_modules|record-calls\.ts|<anonymous>\)?$/.test(line),
  );
  return caller?.includes(OURS) === true && !caller.includes('.test.ts');
}

function watchRequests(): void {
  subscribe('http.client.request.created', (message) => {
    const { request } = message as { request: ClientRequest };
    if (!isOurs() || ARCHIVE.test(request.path) || request.hasHeader('webhook-id')) return;
    const { write, end } = request;
    const chunks: string[] = [];
    const add = (chunk: unknown) => {
      if (typeof chunk === 'string') chunks.push(chunk);
      else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk).toString('utf8'));
    };
    request.write = ((...args: Parameters<typeof write>) => {
      add(args[0]);
      return write.apply(request, args);
    }) as typeof write;
    request.end = ((...args: Parameters<typeof end>) => {
      add(args[0]);
      if (chunks.length > 0) note(listMethods(chunks.join('')));
      return end.apply(request, args);
    }) as typeof end;
  });
}

const script = process.argv[1] ?? '';
// A thread of the service has its own script, but its process is known by then.
const isService =
  script.endsWith('/src/cli/main.ts') || process.env[SERVICE_VARIABLE] === String(process.pid);
if (FOLDER !== undefined && !script.endsWith('/devnet/main.ts')) {
  if (/\.test\.m?[jt]s$/.test(script)) {
    const testFile = relative('.', script);
    process.env[FILE_VARIABLE] = testFile;
    if (isMainThread) noteCpu(testFile);
  }
  if (isService) {
    process.env[SERVICE_VARIABLE] = String(process.pid);
    watchSockets();
  } else {
    watchRequests();
  }
}
