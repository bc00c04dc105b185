// Settings of the embedded chains.

import { resolve } from 'node:path';
import { EMBEDDED_SLUGS, type EmbeddedSlug } from '../model/chain.ts';
import { integer, oneOf, optionalSetting, setting } from './setting.ts';

export const DEVNET_SETTINGS = {
  mode: setting('DEVNET', oneOf(['auto', 'on', 'off']), {
    group: 'Devnet',
    why: 'Whether to run and follow the embedded local chain; `auto` does so when no `RPC_…` is set. It needs the development dependencies.',
    example: 'off',
    fallback: 'auto',
  }),
  port: optionalSetting('DEVNET_PORT', integer({ min: 0, max: 65_535 }), {
    group: 'Devnet',
    why: 'The loopback port of the devnet node; 0 picks a free one. If unset, it is 8545 or, where that is in use, a free one. `/v1/chains` shows the URL.',
    example: '0',
  }),
  traders: setting('DEVNET_TRADERS', oneOf(['on', 'off']), {
    group: 'Devnet',
    why: 'Whether simulated traders keep the market moving; `off` leaves the chain to you.',
    example: 'off',
    fallback: 'on',
  }),
  deployment: optionalSetting('DEVNET_DEPLOYMENT', (text) => resolve(text), {
    group: 'Devnet',
    why: 'The `deployment.json` of a devnet that already runs (`npm run devnet`), to follow it instead of starting another.',
    example: './data/devnet/deployment.json',
  }),
  cacheDir: optionalSetting('DEVNET_CACHE_DIR', (text) => resolve(text), {
    group: 'Devnet',
    why: 'Where the published package keeps the packages of the embedded chains, which it fetches through npm when one first starts; unset is `.cache/mintwire` in the home folder. A clone has them in `node_modules`.',
    example: '/var/cache/mintwire',
  }),
  startBlock: optionalSetting('START_BLOCK_DEVNET', integer({ min: 0, max: 1e12 }), {
    group: 'Devnet',
    why: 'The first devnet block to index, to test adoption of older pools; unset indexes all of it. A store that has the devnet already keeps its own start.',
    example: '500',
  }),
  solanaStartBlock: optionalSetting('START_BLOCK_DEVNET_SOLANA', integer({ min: 0, max: 1e12 }), {
    group: 'Devnet',
    why: 'The first slot of the embedded Solana chain to index, to test what is read of older pools and tokens; unset indexes all of it. A store that has the chain already keeps its own start.',
    example: '300',
  }),
  historyHours: setting('DEVNET_HISTORY_HOURS', integer({ min: 0, max: 240 }), {
    group: 'Devnet',
    why: 'How many hours of history a new devnet starts with.',
    example: '1',
    fallback: '24',
  }),
  solana: setting('DEVNET_SOLANA', oneOf(['on', 'off', 'only']), {
    group: 'Devnet',
    why: 'Whether the embedded Solana chain, `devnet-solana`, runs beside the devnet; `only` runs it instead of the devnet. With `DEVNET_DEPLOYMENT` set, none is started.',
    example: 'off',
    fallback: 'on',
  }),
  solanaPort: optionalSetting('DEVNET_SOLANA_PORT', integer({ min: 0, max: 65_535 }), {
    group: 'Devnet',
    why: 'The loopback port of the embedded Solana chain; 0 picks a free one. If unset, it is 8899 or, where that is in use, a free one. `/v1/chains` shows the URL.',
    example: '0',
  }),
  solanaDeployment: optionalSetting('DEVNET_SOLANA_DEPLOYMENT', (text) => resolve(text), {
    group: 'Devnet',
    why: 'The `deployment.json` of an embedded Solana chain that already runs (`npm run devnet -- --solana`), to follow it instead of starting another; also with `DEVNET=off`.',
    example: './data/devnet-solana/deployment.json',
  }),
} as const;

type DevnetValues = Readonly<{
  mode: 'auto' | 'on' | 'off' | null;
  deployment: string | null;
  solana: 'on' | 'off' | 'only' | null;
  solanaDeployment: string | null;
}>;

/** Which embedded chains are followed, given how many others are configured. */
export function listEmbedded(devnet: DevnetValues, chainCount: number): readonly EmbeddedSlug[] {
  const { mode, deployment, solana, solanaDeployment } = devnet;
  const isWanted = mode === 'on' || (mode === 'auto' && chainCount === 0);
  // A devnet that runs elsewhere has its own Solana chain, or none.
  const isRun = isWanted && deployment === null && solana !== 'off';
  const isAlone = isRun && solana === 'only';
  return EMBEDDED_SLUGS.filter((chain) =>
    chain === 'devnet' ? isWanted && !isAlone : isRun || solanaDeployment !== null,
  );
}
