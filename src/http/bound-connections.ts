// Bounds the connections of a server: for each address, and in all below the limit of open files.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors/app-error.ts';
import { HeldSlots } from '../lib/held-slots.ts';
import { createAddressMatcher, toAddressGroup } from '../lib/ip-address.ts';
import { encodeRawProblem } from './problem.ts';

interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly perAddressMax: number;
  /** Their connections are those of many clients, which they bound themselves. */
  readonly trustedProxies: readonly string[];
  readonly createRequestId: () => string;
}

/** Open files that are left to the store, the chains' nodes and the log; half of a small limit. */
const FILES_LEFT = 1024;

/** How many connections the limit of open files allows. */
export function computeConnectionsMax(wanted: number, filesMax: number | null): number {
  if (filesMax === null) return wanted;
  return Math.min(wanted, filesMax - Math.min(FILES_LEFT, Math.ceil(filesMax / 2)));
}

/** How many files this process may have open; null if there is no limit. */
export function readFilesMax(): number | null {
  // Otherwise it looks up the names of network addresses.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}

/** To be called before the server listens. */
export function boundConnections(server: Server, limits: ConnectionLimits): void {
  const isTrusted = createAddressMatcher(limits.trustedProxies);
  const slots = new HeldSlots({
    totalMax: limits.connectionsMax,
    perHolderMax: limits.perAddressMax,
  });
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const holder = isTrusted(address) ? null : toAddressGroup(address);
    const free = slots.take(holder, () => socket.destroy());
    if (free === null) refuse(socket, limits.createRequestId());
    else socket.once('close', free);
  });
}

/** Answers before a request is read, so that the client is told and the connection ends. */
function refuse(socket: Socket, requestId: string): void {
  const error = new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 });
  socket.on('error', () => socket.destroy());
  socket.write(encodeRawProblem(error, requestId));
  socket.destroySoon();
}
