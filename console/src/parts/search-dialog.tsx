// Search from anywhere: type, choose with the arrows, open with Enter.

import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/api-client.ts';
import type { SearchReply } from '../api/contract-types.ts';
import { useResource } from '../api/use-resource.ts';
import { currentLocation, navigate, setQuery } from '../current-location.ts';
import { formatCompactUsd } from '../format/format-amount.ts';
import { formatUsd } from '../format/format-price.ts';
import { shortenAddress } from '../format/shorten-address.ts';
import { buildTokenHref, buildTransactionHref, buildWalletHref } from '../routes.ts';
import { chains, findChain } from '../state/chains.ts';
import { texts } from '../texts.ts';
import { ChainName } from './chain-icon.tsx';
import { DangerBadges } from './danger-badges.tsx';
import { findSearchTargets } from './find-search-targets.ts';
import { ModalDialog } from './modal-dialog.tsx';
import { ProblemNote } from './problem-note.tsx';
import { ChainTokenLogo } from './token-logo.tsx';

const DEBOUNCE_MS = 300;
const LIMIT = 12;
/** Of a token's name; longer is a transaction. */
const TOKEN_TEXT_MAX = 64;
const TEXT_MAX = 100;

type SearchHit = SearchReply['tokens'][number];

/** The text once the user pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** A pool, a wallet or a transaction. */
interface OtherHit {
  readonly kind: keyof typeof texts.search.kinds;
  readonly text: string;
  /** Null where it is on several. */
  readonly chain: string | null;
  readonly href: string;
}

interface Found {
  readonly tokens: readonly SearchHit[];
  readonly others: readonly OtherHit[];
}

/** Asks each chain that has such ids; those that know nothing of it add nothing. */
async function findOthers(text: string, signal: AbortSignal): Promise<OtherHit[]> {
  const targets = findSearchTargets(text);
  if (targets === null) return [];
  const slugs = chains
    .peek()
    .filter(({ caip2 }) => caip2.startsWith(`${targets.namespace}:`))
    .map(({ slug }) => slug);
  const findPool = async (chain: string): Promise<OtherHit[]> => {
    const { base, address } = await api.getPool({ chain, pool: text }, { signal });
    const href = `${buildTokenHref({ chain, mint: base.mint })}&pool=${address}`;
    return [{ kind: 'pool', text, chain, href }];
  };
  const findTransaction = async (chain: string): Promise<OtherHit[]> => {
    const { status } = await api.getTradeStatus({ chain, txHash: text }, { signal });
    if (status === 'unknown') return [];
    const href = buildTransactionHref({ chain, txHash: text });
    return [{ kind: 'transaction', text, chain, href }];
  };
  const asked = slugs.flatMap((chain) => [
    ...(targets.isPool ? [findPool(chain)] : []),
    ...(targets.isTransaction ? [findTransaction(chain)] : []),
  ]);
  const outcomes = await Promise.allSettled(asked);
  const found = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const wallet: OtherHit = {
    kind: 'wallet',
    text,
    chain: null,
    href: buildWalletHref({ wallet: text }),
  };
  return targets.isWallet ? [...found, wallet] : found;
}

async function findAll(q: string, signal: AbortSignal): Promise<Found> {
  const isForTokens = q.length <= TOKEN_TEXT_MAX;
  const [tokens, others] = await Promise.allSettled([
    isForTokens
      ? api.searchTokens({ q, limit: LIMIT }, { signal }).then((reply) => reply.tokens)
      : [],
    findOthers(q, signal),
  ]);
  const named = others.status === 'fulfilled' ? others.value : [];
  // A token that is still looked up hides no wallet.
  if (tokens.status === 'rejected' && named.length === 0) throw tokens.reason;
  return { tokens: tokens.status === 'fulfilled' ? tokens.value : [], others: named };
}

function useSearch(text: string) {
  const q = useSettled(text.trim());
  return useResource<Found>({
    key: q === '' ? null : q,
    load: (signal) => findAll(q, signal),
  });
}

interface FoundRowProps<Hit> {
  readonly hit: Hit;
  readonly at: number;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
}

function OtherRow({ hit, at, isChosen, onOpen }: FoundRowProps<OtherHit>) {
  const { kind, text, chain } = hit;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the search field
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the search field
    <div id={`found-${at}`} role="option" aria-selected={isChosen} class="found" onClick={onOpen}>
      <span class="logo" aria-hidden="true">
        {texts.search.kinds[kind].slice(0, 1)}
      </span>
      <span class="found-name" title={text}>
        <strong>{texts.search.kinds[kind]}</strong>{' '}
        <span class="soft mono">{shortenAddress(text)}</span>
      </span>
      <span class="soft">{chain !== null && <ChainName chain={chain} />}</span>
    </div>
  );
}

function FoundRow({ hit: token, at, isChosen, onOpen }: FoundRowProps<SearchHit>) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the search field
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the search field
    <div id={`found-${at}`} role="option" aria-selected={isChosen} class="found" onClick={onOpen}>
      <ChainTokenLogo chain={token.chain} logoUrl={token.logoUrl} symbol={token.symbol} />
      <span class="found-name" title={token.name ?? ''}>
        <DangerBadges codes={token.warnings} max={1} />
        <strong>{token.symbol ?? '?'}</strong> <span class="soft">{token.name}</span>
        {token.verified.length > 0 && <span title={token.verified.join(', ')}> ✓</span>}
      </span>
      <span class="soft">{findChain(token.chain)?.name ?? token.chain}</span>
      <span class="number">{formatUsd(token.priceUsd)}</span>
      <span class="number soft">{formatCompactUsd(token.liquidityUsd)}</span>
    </div>
  );
}

export function SearchDialog({ onClose }: { onClose: () => void }) {
  const text = currentLocation.value.query.get('q') ?? '';
  const [chosen, setChosen] = useState(0);
  const { value, problem } = useSearch(text);
  const { tokens, others } = value ?? { tokens: [], others: [] };
  const hrefs = [...tokens.map(buildTokenHref), ...others.map(({ href }) => href)];
  const open = (href: string) => {
    onClose();
    navigate(href);
  };
  // The address names a search only while it is open.
  useEffect(() => () => setQuery({ q: null }), []);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && hrefs.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + hrefs.length) % hrefs.length);
    }
    const href = hrefs[chosen];
    if (event.key === 'Enter' && href !== undefined) open(href);
  };
  return (
    <ModalDialog label={texts.search.open} onClose={onClose} className="search">
      <input
        role="combobox"
        aria-label={texts.search.open}
        aria-expanded={hrefs.length > 0}
        aria-controls="found"
        {...(hrefs.length > 0 ? { 'aria-activedescendant': `found-${chosen}` } : {})}
        placeholder={texts.search.hint}
        maxLength={TEXT_MAX}
        value={text}
        onInput={(event) => {
          setQuery({ q: event.currentTarget.value });
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      {problem !== null && <ProblemNote problem={problem} />}
      {hrefs.length > 0 ? (
        <div id="found" role="listbox" aria-label={texts.search.results}>
          {tokens.map((hit, at) => (
            <FoundRow
              key={`${hit.chain}:${hit.mint}`}
              {...{ hit, at, isChosen: at === chosen, onOpen: () => open(buildTokenHref(hit)) }}
            />
          ))}
          {others.map((hit, index) => {
            const at = tokens.length + index;
            return (
              <OtherRow
                key={`${hit.kind}:${hit.chain}`}
                {...{ hit, at, isChosen: at === chosen, onOpen: () => open(hit.href) }}
              />
            );
          })}
        </div>
      ) : (
        <p class="soft" id="found">
          {value === null ? texts.search.start : texts.search.none}
        </p>
      )}
    </ModalDialog>
  );
}
