// Where the server listens, how it logs, how it stops.

import { cidr, host, integer, listOf, oneOf, setting } from './setting.ts';

export const SERVER_SETTINGS = {
  host: setting('HOST', host, {
    group: 'Server',
    why: 'The address to listen on. The default keeps the service on this machine; 0.0.0.0 opens it to the network, which is best done behind a proxy that speaks TLS.',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
  }),
  port: setting('PORT', integer({ min: 0, max: 65_535 }), {
    group: 'Server',
    why: 'The port to listen on; 0 picks a free one and says which.',
    example: '3000',
    fallback: '8080',
  }),
  metricsPort: setting('METRICS_PORT', integer({ min: 0, max: 65_535 }), {
    group: 'Server',
    why: 'The port that serves `/metrics` to Prometheus. It is separate from the public port so that metrics are never exposed by accident; 0 picks a free one.',
    example: '9100',
    fallback: '9464',
  }),
  metricsHost: setting('METRICS_HOST', host, {
    group: 'Server',
    why: 'The address on which `/metrics` listens. The default keeps it on this machine; in a container or for a Prometheus elsewhere, an address that only Prometheus can reach.',
    example: '10.0.0.5',
    fallback: '127.0.0.1',
  }),
  trustedProxies: setting('TRUSTED_PROXIES', listOf(cidr), {
    group: 'Server',
    why: 'Proxies whose `X-Forwarded-For` header is trusted, as addresses or CIDRs. The header is ignored from anyone else, so a caller cannot spoof its address.',
    example: '10.0.0.0/8,fd00::/8',
    fallback: '',
  }),
  shutdownGraceSeconds: setting('SHUTDOWN_GRACE_SECONDS', integer({ min: 0, max: 600 }), {
    group: 'Server',
    why: 'How long running requests may take to finish after SIGTERM before their connections are closed.',
    example: '30',
    fallback: '10',
  }),
  answerCacheMb: setting('ANSWER_CACHE_MB', integer({ min: 1, max: 65_536 }), {
    group: 'Server',
    why: 'Megabytes of memory for cached answers. Stale answers are never served, whatever the size.',
    example: '256',
    fallback: '64',
  }),
  logLevel: setting('LOG_LEVEL', oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']), {
    group: 'Server',
    why: 'The lowest log level to write. Requests are logged at `info`, on a terminal at `debug`.',
    example: 'warn',
    fallback: 'info',
  }),
  logFormat: setting('LOG_FORMAT', oneOf(['auto', 'json', 'text']), {
    group: 'Server',
    why: '`json` writes one JSON object per line, `text` is for people; `auto` picks text on a terminal and json elsewhere.',
    example: 'json',
    fallback: 'auto',
  }),
} as const;
