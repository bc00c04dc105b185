// `mintwire serve`: starts the service, prints its addresses, and drains on a signal.

import cluster from 'node:cluster';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { loadService } from '../compose/load-service.ts';
import { openEarlyPort } from '../compose/open-early-port.ts';
import type { Service } from '../compose/start-service.ts';
import { type Config, ConfigError, loadProcessConfig } from '../config.ts';
import { StartError } from '../errors/start-error.ts';
import { lockDataFolder } from '../runtime/lock-data-folder.ts';
import { openCodeFolder } from '../runtime/open-code-folder.ts';
import type { Workers } from '../runtime/start-workers.ts';
import { WorkerLink } from '../runtime/worker-link.ts';
import { toTerminalText } from '../telemetry/terminal-text.ts';
import { readCommand } from './read-command.ts';
import { showProgress } from './show-progress.ts';
import { readVersion } from './version.ts';

/** Null if this process serves alone, or is the primary. */
function openWorkerLink(): WorkerLink | null {
  if (!cluster.isWorker) return null;
  const link = new WorkerLink({
    // Without its primary a worker ends by itself.
    send: (message, onSent) => void process.send?.(message, undefined, undefined, () => onSent?.()),
    onMessage: (listener) => void process.on('message', listener),
  });
  link.tell({ type: 'ready' });
  return link;
}

/** Without effect if the folder is not safe, or NODE_COMPILE_CACHE names another. */
function keepCompiled(dataDir: string): void {
  const folder = join(dataDir, 'compiled');
  if (openCodeFolder(folder)) enableCompileCache(folder);
}

/** Why the start failed, as a message for the operator. */
export function describeStartProblem(error: unknown, config: Config | null): string {
  if (error instanceof ConfigError) {
    return [
      'The configuration has problems:',
      ...error.problems.map((problem) => `  - ${problem}`),
      'docs/configuration.md explains every setting.',
    ].join('\n');
  }
  if (error instanceof StartError) return error.message;
  const { code, port, message, path } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') {
    const setting = port === config?.server.metricsPort ? 'METRICS_PORT' : 'PORT';
    return `Port ${port} is in use. Stop what uses it, or set ${setting} to another (0 picks a free one).`;
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR' || code === 'EEXIST') {
    return `No permission for ${path ?? `port ${port}`}: ${message}. See DATA_DIR and PORT.`;
  }
  // It may be the words of a chain's node.
  return `The start failed: ${toTerminalText(message)}`;
}

function renderBanner(service: Service | Workers, config: Config, version: string): string {
  const origin = service.url.replace(/\/v1$/, '');
  const data =
    service.engine === 'sqlite' ? `${config.store.dataDir} (SQLite)` : 'PostgreSQL (DATABASE_URL)';
  // A node that only indexes answers /health and /ready.
  const api = [
    `  Console      ${origin}`,
    `  API          ${service.url}`,
    `  Reference    ${origin}/v1/docs`,
    `  OpenAPI      ${origin}/v1/openapi.json`,
    `  Agents       ${origin}/v1/mcp (MCP)`,
  ];
  const isIndexer = config.node.role === 'indexer';
  return [
    `Mintwire ${version}${isIndexer ? ' (indexer)' : ''} serves on ${origin}`,
    '',
    ...(isIndexer ? [] : api),
    `  Ready?       ${origin}/v1/ready`,
    `  Metrics      ${service.metricsUrl}`,
    `  Data         ${data}`,
    ...(config.node.workers > 1 ? [`  Workers      ${config.node.workers}`] : []),
    '',
    ...(isIndexer ? [] : [`Try: curl -s '${origin}/v1/tokens/search?q=wire'`]),
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}

/**
 * Resolves at the first stop signal; later ones are ignored while the service drains. A worker
 * leaves Ctrl-C, which every process of a terminal gets, to its primary.
 */
function untilStopped(link: WorkerLink | null): Promise<string> {
  return new Promise((resolve) => {
    // The handlers stay: without them a second Ctrl-C would end the process while it drains.
    process.on('SIGINT', () => {
      if (link === null) resolve('SIGINT');
    });
    process.on('SIGTERM', () => resolve('SIGTERM'));
    void link?.stopped.then(() => resolve('primary'));
  });
}

const FORM = {
  name: 'npx mintwire serve',
  help: `usage: npx mintwire serve [--role all|api|indexer]   (or: npm start)

Starts the service and says where it is; Ctrl-C stops it. Settings come from the environment, such
as PORT=9000 npm start; docs/configuration.md lists them all. --role overrides ROLE: what this
process does when several share a PostgreSQL database.
`,
  flags: { role: { type: 'string' } },
} as const;

/** Starts the service in this process, or in several of which this one is the primary. */
async function start(
  config: Config,
  of: { readonly version: string; readonly link: WorkerLink | null },
): Promise<Service | Workers> {
  const terminal = process.stdout.isTTY === true;
  // PostgreSQL is made for several processes.
  if (config.store.databaseUrl === null) lockDataFolder(config.store.dataDir);
  // Before anything large is loaded.
  keepCompiled(config.store.dataDir);
  if (of.link === null && config.node.workers > 1) {
    const { startWorkers } = await import('../runtime/start-workers.ts');
    return await startWorkers({ config, terminal });
  }
  const earlyPort = (await opensEarly(of.link)) ? await openEarlyPort(config) : null;
  const { startService } = await loadService();
  return await startService({ config, ...of, earlyPort, terminal });
}

/** Whether no other process serves the port, which would answer better than one that starts. */
async function opensEarly(link: WorkerLink | null): Promise<boolean> {
  if (link === null) return true;
  const { isFirst, isReplacement } = await link.begun;
  return isFirst && !isReplacement;
}

/** Logs and prints what a start has to say, once over all workers. */
function announce(service: Service | Workers, config: Config, version: string): void {
  for (const name of config.unknownNames) {
    service.logger.warn({ setting: name }, 'unknown setting: is it a typo?');
  }
  console.log(renderBanner(service, config, version));
}

/** Says why the start failed, once over all workers, and ends the process. */
async function failStart(reason: string, link: WorkerLink | null): Promise<never> {
  if (link === null) console.error(`mintwire: ${reason}`);
  else await new Promise<void>((resolve) => link.tell({ type: 'failed', reason }, resolve));
  // Resources opened before the failure must not keep the process alive.
  process.exit(1);
}

export async function serve(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  const { role } = command.values;
  const link = openWorkerLink();
  const stopped = untilStopped(link);
  const version = readVersion();
  let config: Config | null = null;
  let service: Service | Workers;
  try {
    config = loadProcessConfig(role === undefined ? {} : { ROLE: role });
    const started = await Promise.race([start(config, { version, link }), stopped]);
    if (typeof started === 'string') {
      // Whatever is open now survives a crash, too; workers end with their primary.
      process.exit(0);
    }
    service = started;
  } catch (error) {
    return await failStart(describeStartProblem(error, config), link);
  }
  const { logger } = service;
  // Also on a crash, so that the last line says why.
  process.on('exit', () => logger.flush());
  if (link === null) announce(service, config, version);
  const showsChains = link === null || (await link.begun).isFirst;
  const stopShowing =
    'chains' in service && showsChains
      ? showProgress(service, process.stdout.isTTY === true)
      : null;
  const { promise: failed, resolve: fail } = Promise.withResolvers<{ readonly reason: string }>();
  void service.failed.then((reason) => {
    // The primary then stops all workers, this one too.
    if (link === null) fail({ reason });
    else link.tell({ type: 'conflict', reason });
  });
  const cause = await Promise.race([stopped.then((signal) => ({ signal })), failed]);
  stopShowing?.();
  logger.info(cause, 'stopping');
  await service.stop();
  logger.info('stopped');
  logger.flush();
  if ('reason' in cause) {
    console.error(`mintwire: ${cause.reason}`);
    process.exitCode = 1;
  }
  // The channel to the primary would keep it alive.
  if (link !== null) process.disconnect();
}
