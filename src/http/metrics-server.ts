// `/metrics` for Prometheus, on a separate loopback port.

import { createServer, type Server } from 'node:http';
import type { Metrics } from '../telemetry/metrics.ts';

export function createMetricsServer(metrics: Metrics): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('only GET /metrics\n');
      return;
    }
    metrics.render().then(
      (text) => {
        response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
      },
      () => response.writeHead(500).end(),
    );
  });
}
