// A shortened address with a copy button and, where there is one, a link to the explorer. That of a
// wallet is a link to its page, that of a transaction to its own.

import { shortenAddress } from '../format/shorten-address.ts';
import { buildTransactionHref, buildWalletHref } from '../routes.ts';
import { buildExplorerUrl } from '../state/chains.ts';
import { texts } from '../texts.ts';
import { CopyButton } from './copy-button.tsx';

interface AddressTextProps {
  readonly chain: string;
  readonly id: string;
  readonly kind: 'address' | 'token' | 'tx';
}

interface ExplorerLinkProps {
  readonly chain: string;
  readonly id: string;
  readonly kind?: AddressTextProps['kind'];
}

export function ExplorerLink({ chain, id, kind = 'address' }: ExplorerLinkProps) {
  const url = buildExplorerUrl(chain, kind, id);
  if (url === null) return null;
  return (
    <a class="quiet" href={url} target="_blank" rel="noreferrer" title={texts.copy.explorer}>
      <span aria-hidden="true">↗</span>
      <span class="hidden">{texts.copy.explorer}</span>
    </a>
  );
}

function findOwnPage({ chain, id, kind }: AddressTextProps): string | null {
  if (kind === 'token') return null;
  return kind === 'tx'
    ? buildTransactionHref({ chain, txHash: id })
    : buildWalletHref({ wallet: id });
}

export function AddressText(props: AddressTextProps) {
  const { chain, id, kind } = props;
  const href = findOwnPage(props);
  const text = shortenAddress(id);
  return (
    <span class="address">
      {href === null ? (
        <span class="mono" title={id}>
          {text}
        </span>
      ) : (
        <a class="mono own-page" href={href} title={id}>
          {text}
        </a>
      )}
      <CopyButton text={id} />
      <ExplorerLink chain={chain} id={id} kind={kind} />
    </span>
  );
}
