// The log of this process, in the format of the settings.

import type { Config } from '../config.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';

/** `terminal`: whether standard output is one. */
export function openLogger(
  config: Config,
  { terminal = false }: { readonly terminal?: boolean | undefined },
): Logger {
  const { logFormat, logLevel } = config.server;
  const format = logFormat === 'auto' ? (terminal ? 'text' : 'json') : logFormat;
  return createLogger({ level: logLevel, format, isTerminal: terminal });
}
