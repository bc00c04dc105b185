// A shortened address with a copy button and, where there is one, a link to the explorer.

import { shortenAddress } from '../format/shorten-address.ts';
import { buildExplorerUrl } from '../state/chains.ts';
import { texts } from '../texts.ts';
import { CopyButton } from './copy-button.tsx';

interface AddressTextProps {
  readonly chain: string;
  readonly id: string;
  readonly kind: 'address' | 'token' | 'tx';
}

export function AddressText({ chain, id, kind }: AddressTextProps) {
  const url = buildExplorerUrl(chain, kind, id);
  return (
    <span class="address">
      <span class="mono" title={id}>
        {shortenAddress(id)}
      </span>
      <CopyButton text={id} />
      {url !== null && (
        <a class="quiet" href={url} target="_blank" rel="noreferrer" title={texts.copy.explorer}>
          <span aria-hidden="true">↗</span>
          <span class="hidden">{texts.copy.explorer}</span>
        </a>
      )}
    </span>
  );
}
