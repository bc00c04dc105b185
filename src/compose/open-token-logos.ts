// Opens the logos of listed tokens with their folder on disk.

import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { fetchLogo } from '../market/lists/fetch-logo.ts';
import { LogoCache } from '../market/lists/logo-cache.ts';
import { TokenLogos } from '../market/lists/token-logos.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export function openTokenLogos(options: {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): TokenLogos {
  const { config, clock, logger, metrics } = options;
  const { logoCacheMb, ipfsGateway } = config.lists;
  const folder = join(config.store.dataDir, 'logo-cache');
  const bytesMax = logoCacheMb * 1024 * 1024;
  const cache = bytesMax === 0 ? null : new LogoCache({ folder, bytesMax });
  const readBytes = () => cache?.bytes ?? 0;
  // Workers have one folder.
  metrics.gauge('mintwire_logo_cache_bytes', 'Disk used by logos.', readBytes, 'max');
  return new TokenLogos({
    cache,
    ipfsGateway,
    fetchLogo: (url, signal) => fetchLogo(url, { signal }),
    clock,
    onFailure: (error) => logger.debug({ err: error }, 'a logo could not be read'),
  });
}
