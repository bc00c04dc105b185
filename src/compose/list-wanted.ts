// The embedded chains that the settings ask for.

import { listEmbedded } from '../config/devnet-settings.ts';
import type { Config } from '../config.ts';
import type { EmbeddedSlug } from '../model/chain.ts';
import { isInstalled } from './devnet-process.ts';
import { StartError } from './start-error.ts';

/** The embedded chains to follow; Solana's only where its virtual machine is installed. */
export function listWanted(config: Config): EmbeddedSlug[] {
  const { deployment, solanaDeployment } = config.devnet;
  const wanted = listEmbedded(config.devnet, config.chains.length);
  if (wanted.includes('devnet') && deployment === null && !isInstalled('devnet')) {
    throw new StartError(
      'There is no chain to follow. Set an endpoint, for example RPC_ETHEREUM=https://…, or install the development dependencies (npm ci without --omit=dev) for the embedded devnet. DEVNET=off starts without any chain.',
    );
  }
  const canRun = solanaDeployment !== null || isInstalled('devnet-solana');
  if (wanted.length === 1 && wanted[0] === 'devnet-solana' && !canRun) {
    throw new StartError(
      'DEVNET_SOLANA=only needs the development dependencies (npm ci without --omit=dev).',
    );
  }
  return wanted.filter((chain) => chain === 'devnet' || canRun);
}
