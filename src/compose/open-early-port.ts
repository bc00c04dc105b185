// The port of the API, open before the service is loaded: `/health` is answered at once.

import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';
import {
  boundConnections,
  computeConnectionsMax,
  readFilesMax,
} from '../http/bound-connections.ts';
import { createBareServer, createDrain } from '../http/create-bare-server.ts';
import { answerEarly } from '../http/early-answers.ts';
import { listen } from '../runtime/open-ports.ts';

export interface EarlyPort {
  readonly server: Server;
  readonly port: number;
  readonly drain: () => Promise<void>;
  /** Why it takes long, for `/ready` and those that are turned away; null if it just starts. */
  explain(reason: string | null): void;
  /** Called when the server has its own listeners: requests go to them from now on. */
  admit(): void;
}

/** To be called before the server listens. */
export function limitConnections(
  server: Server,
  { server: { trustedProxies }, limits, streams }: Config,
): void {
  boundConnections(server, {
    connectionsMax: computeConnectionsMax(2 * streams.totalMax, readFilesMax()),
    perAddressMax: limits.addressConnections,
    trustedProxies,
    createRequestId: () => randomUUID(),
  });
}

export async function openEarlyPort(config: Config): Promise<EarlyPort> {
  const { host, port } = config.server;
  const server = createBareServer();
  limitConnections(server, config);
  const drain = createDrain(server);
  const early = answerEarly(server);
  const at: AddressInfo = await listen(server, { host, port });
  return {
    ...{ server, port: at.port, drain },
    explain: early.explain,
    admit: early.close,
  };
}
