// The logo of a token, or its first letter where there is none.

import { useState } from 'preact/hooks';
import { findChain } from '../state/chains.ts';
import { ChainIcon } from './chain-icon.tsx';

interface TokenLogoProps {
  readonly logoUrl: string | null;
  readonly symbol: string | null;
}

/** The server's own host may have several names; the page loads images from the one it is on. */
function toOwnPath(logoUrl: string): string {
  const { pathname, search } = new URL(logoUrl, location.origin);
  return `${pathname}${search}`;
}

/** With the sign of its chain at the corner. */
export function ChainTokenLogo({ chain, ...props }: TokenLogoProps & { readonly chain: string }) {
  return (
    <span class="logo-on-chain" title={findChain(chain)?.name ?? chain}>
      <TokenLogo {...props} />
      <ChainIcon chain={chain} />
    </span>
  );
}

function TokenLogo({ logoUrl, symbol }: TokenLogoProps) {
  const [isBroken, setBroken] = useState(false);
  if (logoUrl === null || isBroken) {
    return (
      <span class="logo" aria-hidden="true">
        {Array.from(symbol ?? '?')[0]}
      </span>
    );
  }
  const onError = () => setBroken(true);
  return (
    <img
      class="logo"
      src={toOwnPath(logoUrl)}
      alt=""
      width={28}
      height={28}
      loading="lazy"
      onError={onError}
    />
  );
}
