// `/metrics` for Prometheus, on a separate port.

import { createServer, type Server } from 'node:http';
import { METRICS_CONTENT_TYPE } from '../telemetry/metrics.ts';

export function createMetricsServer(render: () => Promise<string>): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('only GET /metrics\n');
      return;
    }
    render().then(
      (text) => {
        response.writeHead(200, { 'content-type': METRICS_CONTENT_TYPE }).end(text);
      },
      () => response.writeHead(500).end(),
    );
  });
}
