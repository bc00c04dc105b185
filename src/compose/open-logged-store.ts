// Opens the store, with its upgrade and the start and end of each outage logged.

import type { Config } from '../config.ts';
import { openStore } from '../engines/open-store.ts';
import { upgradeStore } from '../runtime/upgrade-store.ts';
import type { MigrationProgress } from '../store/migrations/run-migrations.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { EarlyPort } from './open-early-port.ts';

export async function openLoggedStore(options: {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly earlyPort: EarlyPort | null;
}): Promise<Store> {
  const { config, logger, metrics, earlyPort } = options;
  const onMigrating = (progress: MigrationProgress) => {
    logger.info(progress, 'the store is upgraded; this can take long, do not stop it');
    logger.flush();
    const { name, statement, statementCount } = progress;
    earlyPort?.explain(
      `The store is being upgraded: ${name}, statement ${statement} of ${statementCount}.`,
    );
  };
  await upgradeStore(config.store, {
    onBegin: () => earlyPort?.explain('The store is being upgraded.'),
    onMigrating,
    onEnd: () => earlyPort?.explain(null),
  });
  return openStore(config.store, {
    readsStandby: true,
    onTiming: metrics.observeStore,
    onStandby: (error) => {
      if (error === null) logger.info('reads go to the standby');
      else
        logger.warn(
          { fault: error.fault, err: error },
          'the standby is lost: reads go to the primary',
        );
    },
    onOutage: (error) => logger.error({ fault: error.fault, err: error }, error.reason),
    onRecovered: () => logger.info('the store works again'),
    onMigrating,
  });
}
