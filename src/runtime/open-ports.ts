// The ports of the API and of the metrics.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';

export function listen(
  server: Server,
  at: { readonly host: string; readonly port: number },
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, () => resolve(server.address() as AddressInfo));
  });
}

/** Returns the URL. */
export async function openMetricsPort(
  server: Server,
  { metricsHost: host, metricsPort: port }: Config['server'],
): Promise<string> {
  const at = await listen(server, { host, port });
  return `${buildOrigin(host, at.port)}/metrics`;
}

/** Opens the port of the API, if it is not open yet, and that of the metrics. */
export async function openPorts(
  servers: { readonly api: Server; readonly metrics: Server | null },
  settings: Config['server'],
) {
  const metricsUrl =
    servers.metrics === null ? '' : await openMetricsPort(servers.metrics, settings);
  const { host, port } = settings;
  const { api } = servers;
  const at = api.listening ? (api.address() as AddressInfo) : await listen(api, { host, port });
  return {
    port: at.port,
    url: `${buildOrigin(host, at.port)}/v1`,
    metricsUrl,
  };
}

function buildOrigin(host: string, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}
