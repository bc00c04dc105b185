// A chain at a glance: a disc in its colour with its letter. Drawn here: no image of another host.

import { findChain } from '../state/chains.ts';

/** As the chains show themselves; others have the colour of their name. */
const COLOURS: Readonly<Record<string, string>> = {
  ethereum: '#627eea',
  base: '#0052ff',
  arbitrum: '#1b6fb8',
  optimism: '#d9001b',
  polygon: '#8247e5',
  bsc: '#9a7400',
  unichain: '#c2007b',
  robinhood: '#1f7a1f',
  avalanche: '#c83132',
  linea: '#1f5f7a',
  monad: '#6e54ff',
  ink: '#6b2fe0',
  soneium: '#44465c',
  worldchain: '#3a3a3a',
  zora: '#2b5df0',
  solana: '#7a3fe0',
};

/** A test chain is a sign of the one that it is like: `devnet-solana`, `base-sepolia`. */
function pickSign(slug: string): { readonly letter: string; readonly colour: string } {
  const known = slug.split('-').find((part) => COLOURS[part] !== undefined);
  let hue = 0;
  for (const letter of slug) hue = (hue * 31 + letter.charCodeAt(0)) % 360;
  const colour = COLOURS[known ?? ''] ?? `hsl(${hue} 55% 38%)`;
  return { letter: (known ?? slug).slice(0, 1).toUpperCase(), colour };
}

export function ChainIcon({ chain }: { chain: string }) {
  const { letter, colour } = pickSign(chain);
  return (
    <svg class="chain-icon" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="8" fill={colour} />
      <text x="8" y="11.2" text-anchor="middle">
        {letter}
      </text>
    </svg>
  );
}

/** With its name. */
export function ChainName({ chain }: { chain: string }) {
  return (
    <span class="chain-name">
      <ChainIcon chain={chain} /> {findChain(chain)?.name ?? chain}
    </span>
  );
}
