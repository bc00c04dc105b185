// `mintwire serve`: starts the service, prints its addresses, and drains on a signal.

import { NothingToFollowError } from '../compose/start-chains.ts';
import { type Service, startService } from '../compose/start-service.ts';
import { NothingToVerifyError } from '../compose/verify-followed-chain.ts';
import { type Config, ConfigError, loadProcessConfig } from '../config.ts';
import { readCommand } from './read-command.ts';
import { showProgress } from './show-progress.ts';
import { readVersion } from './version.ts';

/** Why the start failed, as a message for the operator. */
export function describeStartProblem(error: unknown, config: Config | null): string {
  if (error instanceof ConfigError) {
    return [
      'The configuration has problems:',
      ...error.problems.map((problem) => `  - ${problem}`),
      'docs/configuration.md explains every setting.',
    ].join('\n');
  }
  if (error instanceof NothingToFollowError || error instanceof NothingToVerifyError) {
    return error.message;
  }
  const { code, port, message, path } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') {
    const setting = port === config?.server.metricsPort ? 'METRICS_PORT' : 'PORT';
    return `Port ${port} is in use. Stop what uses it, or set ${setting} to another (0 picks a free one).`;
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') {
    return `No permission for ${path ?? `port ${port}`}: ${message}. See DATA_DIR and PORT.`;
  }
  return `The start failed: ${message}`;
}

function renderBanner(service: Service, config: Config, version: string): string {
  const origin = service.url.replace(/\/v1$/, '');
  const data =
    service.engine === 'sqlite' ? `${config.store.dataDir} (SQLite)` : 'PostgreSQL (DATABASE_URL)';
  return [
    `Mintwire ${version} serves on ${service.url}`,
    '',
    `  Reference    ${origin}/v1/docs`,
    `  OpenAPI      ${origin}/v1/openapi.json`,
    `  Agents       ${origin}/v1/mcp (MCP)`,
    `  Ready?       ${origin}/v1/ready`,
    `  Metrics      ${service.metricsUrl}`,
    `  Data         ${data}`,
    '',
    `Try: curl -s '${origin}/v1/tokens/search?q=wire'`,
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}

/** Resolves at the first stop signal; later ones are ignored while the service drains. */
function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      // The handler stays: without it a second Ctrl-C would end the process while it drains.
      process.on(signal, () => resolve(signal));
    }
  });
}

const FORM = {
  name: 'npx mintwire serve',
  help: `usage: npx mintwire serve   (or: npm start)

Starts the service and says where it is; Ctrl-C stops it. Settings come from the environment, such
as PORT=9000 npm start; docs/configuration.md lists them all.
`,
  flags: {},
};

export async function serve(typed: readonly string[]): Promise<void> {
  if (readCommand(typed, FORM) === null) return;
  const stopped = untilStopped();
  const version = readVersion();
  let config: Config | null = null;
  let service: Service;
  try {
    config = loadProcessConfig();
    service = await startService({ config, version, terminal: process.stdout.isTTY === true });
  } catch (error) {
    console.error(`mintwire: ${describeStartProblem(error, config)}`);
    // Resources opened before the failure must not keep the process alive.
    process.exit(1);
  }
  const { logger } = service;
  // Also on a crash, so that the last line says why.
  process.on('exit', () => logger.flush());
  for (const name of config.unknownNames) {
    service.logger.warn({ setting: name }, 'unknown setting: is it a typo?');
  }
  console.log(renderBanner(service, config, version));
  const stopShowing = showProgress(service, process.stdout.isTTY === true);
  const failed = service.failed.then((reason) => ({ reason }));
  const cause = await Promise.race([stopped.then((signal) => ({ signal })), failed]);
  stopShowing();
  service.logger.info(cause, 'stopping');
  await service.stop();
  service.logger.info('stopped');
  service.logger.flush();
  if ('reason' in cause) {
    console.error(`mintwire: ${cause.reason}`);
    process.exitCode = 1;
  }
}
