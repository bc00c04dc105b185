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
  avalanche: '#c83132',
  solana: '#7a3fe0',
};

function pickColour(slug: string): string {
  const known = COLOURS[slug];
  if (known !== undefined) return known;
  let hue = 0;
  for (const letter of slug) hue = (hue * 31 + letter.charCodeAt(0)) % 360;
  return `hsl(${hue} 55% 38%)`;
}

export function ChainIcon({ chain }: { chain: string }) {
  return (
    <svg class="chain-icon" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="8" fill={pickColour(chain)} />
      <text x="8" y="11.2" text-anchor="middle">
        {chain.slice(0, 1).toUpperCase()}
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
