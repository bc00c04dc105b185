// A process with many readers on raw sockets: counts what arrives, and on some of them when.

import { connect, type Socket } from 'node:net';
import { findMicros, readMicros, TOKENS } from './stream-market.ts';

export type ClientsCommand =
  | { readonly type: 'open'; readonly port: number; readonly count: number; readonly query: string }
  | { readonly type: 'churn'; readonly port: number; readonly count: number }
  | { readonly type: 'take' }
  | { readonly type: 'close' };

/** What arrived since the last call. */
export interface Taken {
  readonly bytes: number;
  /** From a block's arrival to these bytes, in milliseconds, sorted; for some readers. */
  readonly latenciesMs: readonly number[];
}

const OPENING_AT_ONCE = 100;
const CHURNING_AT_ONCE = 50;
const SAMPLED = 50;
/** Several source addresses, because one address does not have enough ports. */
const SOURCES = Array.from({ length: 16 }, (_, index) => `127.0.0.${index + 2}`);

let opened = 0;
let bytes = 0;
let latenciesMs: number[] = [];
const sockets = new Set<Socket>();

function open(port: number, options: { query: string; isSampled: boolean }): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const localAddress = SOURCES[opened % SOURCES.length] ?? '127.0.0.1';
    opened += 1;
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    const path = `/v1/token/stream?chain=devnet&mint=${TOKENS[0]}${options.query}`;
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      resolve(socket);
      if (!options.isSampled) return;
      const nowMicros = readMicros();
      for (const micros of findMicros(chunk.toString('latin1'))) {
        latenciesMs.push((nowMicros - micros) / 1000);
      }
    });
    socket.on('error', reject);
  });
}

async function openAll(command: Extract<ClientsCommand, { type: 'open' }>): Promise<void> {
  const { port, count, query } = command;
  const every = Math.max(1, Math.floor(count / SAMPLED));
  for (let from = 0; from < count; from += OPENING_AT_ONCE) {
    const size = Math.min(OPENING_AT_ONCE, count - from);
    const batch = Array.from({ length: size }, (_, index) =>
      open(port, { query, isSampled: (from + index) % every === 0 }),
    );
    for (const socket of await Promise.all(batch)) sockets.add(socket);
  }
}

/** Connects and disconnects, as pages do. */
async function churn(port: number, count: number): Promise<void> {
  let left = count;
  const run = async () => {
    while (left > 0) {
      left -= 1;
      const socket = await open(port, { query: '', isSampled: false });
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.destroy();
      });
    }
  };
  await Promise.all(Array.from({ length: CHURNING_AT_ONCE }, run));
}

function take(): Taken {
  const taken = { bytes, latenciesMs: latenciesMs.sort((a, b) => a - b) };
  bytes = 0;
  latenciesMs = [];
  return taken;
}

async function run(command: ClientsCommand): Promise<unknown> {
  if (command.type === 'open') await openAll(command);
  if (command.type === 'churn') await churn(command.port, command.count);
  if (command.type === 'take') return take();
  if (command.type === 'close') {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  }
  return 'done';
}

process.on('message', async (command: ClientsCommand) => {
  process.send?.(await run(command));
});
process.on('disconnect', () => process.exit(0));
