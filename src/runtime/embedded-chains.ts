// Starts the embedded chains, or finds those that run elsewhere.

import { dirname } from 'node:path';
import type { ChainSource } from '../chains/family.ts';
import { listEmbedded } from '../config/devnet-settings.ts';
import type { Config } from '../config.ts';
import { readDevnetSource } from '../engines/chain-source.ts';
import { StartError } from '../errors/start-error.ts';
import type { EmbeddedSlug } from '../model/chain.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ChainFollower } from './chain-follower.ts';
import { DevnetParts, isAvailable } from './devnet-parts.ts';
import { DevnetProcess, type GiveUpReason } from './devnet-process.ts';

/** The embedded chains to follow; Solana's only where its virtual machine is installed. */
export function listWantedChains(config: Config): EmbeddedSlug[] {
  const { deployment, solanaDeployment } = config.devnet;
  const wanted = listEmbedded(config.devnet, config.chains.length);
  if (wanted.includes('devnet') && deployment === null && !isAvailable('devnet')) {
    throw new StartError(
      'There is no chain to follow. Set an endpoint, for example RPC_ETHEREUM=https://…, or install the development dependencies (npm ci without --omit=dev) for the embedded devnet. DEVNET=off starts without any chain.',
    );
  }
  const canRun = solanaDeployment !== null || isAvailable('devnet-solana');
  if (wanted.length === 1 && wanted[0] === 'devnet-solana' && !canRun) {
    throw new StartError(
      'DEVNET_SOLANA=only needs the development dependencies (npm ci without --omit=dev).',
    );
  }
  return wanted.filter((chain) => chain === 'devnet' || canRun);
}

// Starts an embedded chain as the settings say, and tells what becomes of it as plain data: in
// another process, too, if that one follows the chain.

type DevnetNews = { readonly chain: EmbeddedSlug } & (
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'ready'; readonly deploymentPath: string }
  /** There will be no devnet until the next start. */
  | { readonly kind: 'gaveUp'; readonly reason: GiveUpReason; readonly text: string }
);

interface RunDevnetOptions {
  readonly parts: DevnetParts;
  readonly config: Pick<Config, 'devnet' | 'store'>;
  readonly logger: Logger;
  readonly onNews: (news: DevnetNews) => void;
}

/** The file of a chain that runs elsewhere; null if it is ours to run. */
function findDeployment({ devnet }: Config, chain: EmbeddedSlug): string | null {
  return chain === 'devnet' ? devnet.deployment : devnet.solanaDeployment;
}

function runDevnet(
  chain: EmbeddedSlug,
  { parts, config, logger, onNews }: RunDevnetOptions,
): { stop(): Promise<void> } {
  const { devnet, store } = config;
  return new DevnetProcess({
    ...{ chain, parts, dataDir: store.dataDir, logger },
    ...{ traders: devnet.traders, historyHours: devnet.historyHours },
    port: chain === 'devnet' ? devnet.port : devnet.solanaPort,
    onProgress: (text) => onNews({ chain, kind: 'progress', text }),
    onReady: (deploymentPath) => onNews({ chain, kind: 'ready', deploymentPath }),
    onGiveUp: (reason, text) => onNews({ chain, kind: 'gaveUp', reason, text }),
  });
}

export interface EmbeddedChainsOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Called with the folder of the devnet once it runs. */
  readonly onDevnet: (folder: string) => void;
  /** Called when another process uses an exclusive resource: this process should exit. */
  readonly onConflict: (message: string) => void;
}

export class EmbeddedChains {
  readonly #options: EmbeddedChainsOptions;
  readonly #onSources: (sources: readonly ChainSource[]) => void;
  readonly #sources = new Map<EmbeddedSlug, ChainSource>();
  readonly #parts: DevnetParts;
  readonly #running: { stop(): Promise<void> }[] = [];

  constructor(
    options: EmbeddedChainsOptions,
    onSources: (sources: readonly ChainSource[]) => void,
  ) {
    this.#options = options;
    this.#parts = new DevnetParts(options.config.devnet.cacheDir);
    this.#onSources = onSources;
  }

  start(chain: EmbeddedSlug, follower: ChainFollower): void {
    const { config, logger } = this.#options;
    const deployment = findDeployment(config, chain);
    if (deployment !== null) {
      this.#add(chain, deployment);
      return;
    }
    follower.prepare(chain, 'starting the local chain');
    const onNews = (news: DevnetNews) => this.#onNews(news, follower);
    this.#running.push(runDevnet(chain, { parts: this.#parts, config, logger, onNews }));
  }

  get hasSources(): boolean {
    return this.#sources.size > 0;
  }

  async stop(): Promise<void> {
    this.#parts.stop();
    await Promise.all(this.#running.map((one) => one.stop()));
  }

  #onNews(news: DevnetNews, follower: ChainFollower): void {
    const { chain } = news;
    if (news.kind === 'ready') {
      this.#add(chain, news.deploymentPath);
      return;
    }
    // Without the second embedded chain the first one still works; the log says why.
    if (news.kind === 'gaveUp' && chain !== 'devnet' && follower.slugs.length > 1) {
      follower.drop(chain);
      return;
    }
    follower.prepare(chain, news.text);
    if (news.kind === 'gaveUp' && news.reason === 'folder in use') {
      this.#options.onConflict(news.text);
    }
  }

  #add(chain: EmbeddedSlug, deploymentPath: string): void {
    const { startBlock, solanaStartBlock } = this.#options.config.devnet;
    const isEvm = chain === 'devnet';
    const first = isEvm ? startBlock : solanaStartBlock;
    const source = readDevnetSource(chain, deploymentPath, first);
    if (isEvm) this.#options.onDevnet(dirname(deploymentPath));
    this.#sources.set(chain, source);
    this.#onSources([...this.#sources.values()]);
  }
}
