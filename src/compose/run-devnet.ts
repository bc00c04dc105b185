// Starts an embedded chain as the settings say, and tells what becomes of it as plain data: in
// another process, too, if that one follows the chain.

import type { Config } from '../config.ts';
import type { EmbeddedSlug } from '../model/chain.ts';
import type { Logger } from '../telemetry/logger.ts';
import { DevnetProcess, type GiveUpReason } from './devnet-process.ts';

export type DevnetNews = { readonly chain: EmbeddedSlug } & (
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'ready'; readonly deploymentPath: string }
  /** There will be no devnet until the next start. */
  | { readonly kind: 'gaveUp'; readonly reason: GiveUpReason; readonly text: string }
);

interface RunDevnetOptions {
  readonly config: Pick<Config, 'devnet' | 'store'>;
  readonly logger: Logger;
  readonly onNews: (news: DevnetNews) => void;
}

/** The file of a chain that runs elsewhere; null if it is ours to run. */
export function findDeployment({ devnet }: Config, chain: EmbeddedSlug): string | null {
  return chain === 'devnet' ? devnet.deployment : devnet.solanaDeployment;
}

export function runDevnet(
  chain: EmbeddedSlug,
  { config, logger, onNews }: RunDevnetOptions,
): { stop(): Promise<void> } {
  const { devnet, store } = config;
  return new DevnetProcess({
    ...{ chain, dataDir: store.dataDir, logger },
    ...{ traders: devnet.traders, historyHours: devnet.historyHours },
    port: chain === 'devnet' ? devnet.port : devnet.solanaPort,
    onProgress: (text) => onNews({ chain, kind: 'progress', text }),
    onReady: (deploymentPath) => onNews({ chain, kind: 'ready', deploymentPath }),
    onGiveUp: (reason, text) => onNews({ chain, kind: 'gaveUp', reason, text }),
  });
}
