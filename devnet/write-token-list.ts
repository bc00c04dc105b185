// The devnet's own token list, with logos beside it, so that verified tokens and logos can be seen
// without any setting. One of the two tokens with the symbol TWIN is not on it.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Deployment, findToken, writeJsonAtomically } from './deployment.ts';
import { drawLogo } from './draw-logo.ts';

const LISTED = ['usdc', 'wire', 'seat', 'cent', 'wbit', 'nano', 'twin-a', 'kin', 'spark'];

interface ListedToken {
  readonly key: string;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** Written beside `deployment.json`; the service reads it there. */
export async function writeTokenList(dataDir: string, deployment: Deployment): Promise<void> {
  const { chainId, contracts } = deployment;
  const wrapped = { key: 'weth', address: contracts.weth, symbol: 'WETH', name: 'Wrapped Ether' };
  const tokens: ListedToken[] = [
    { ...wrapped, decimals: 18 },
    ...LISTED.map((key) => findToken(deployment, key)),
  ];
  await mkdir(join(dataDir, 'logos'), { recursive: true });
  for (const { key } of tokens) {
    await writeFile(join(dataDir, 'logos', `${key}.png`), drawLogo(key));
  }
  await writeJsonAtomically(join(dataDir, 'tokens.json'), {
    name: 'Devnet',
    timestamp: new Date(deployment.genesisTimestamp * 1000).toISOString(),
    version: { major: 1, minor: 0, patch: 0 },
    tokens: tokens.map(({ key, address, symbol, name, decimals }) => ({
      ...{ chainId, address, symbol, name, decimals, logoURI: `logos/${key}.png` },
      // A name that no site can have (RFC 2606).
      extensions: { website: `https://${key}.example/` },
    })),
  });
}
