// Search from anywhere: type, choose with the arrows, open with Enter.

import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/api-client.ts';
import type { SearchReply } from '../api/contract-types.ts';
import { useResource } from '../api/use-resource.ts';
import { currentLocation, navigate, setQuery } from '../current-location.ts';
import { formatCompactUsd } from '../format/format-amount.ts';
import { formatUsd } from '../format/format-price.ts';
import { buildTokenHref } from '../routes.ts';
import { findChain } from '../state/chains.ts';
import { texts } from '../texts.ts';
import { DangerBadges } from './danger-badges.tsx';
import { ModalDialog } from './modal-dialog.tsx';
import { ProblemNote } from './problem-note.tsx';
import { TokenLogo } from './token-logo.tsx';

const DEBOUNCE_MS = 300;
const LIMIT = 12;
const TEXT_MAX = 64;

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

function useSearch(text: string) {
  const q = useSettled(text.trim());
  return useResource<SearchReply>({
    key: q === '' ? null : q,
    load: (signal) => api.searchTokens({ q, limit: LIMIT }, { signal }),
  });
}

interface FoundRowProps {
  readonly token: SearchHit;
  readonly at: number;
  readonly isChosen: boolean;
  readonly onOpen: (token: SearchHit) => void;
}

function FoundRow({ token, at, isChosen, onOpen }: FoundRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the search field
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the search field
    <div
      id={`found-${at}`}
      role="option"
      aria-selected={isChosen}
      class="found"
      onClick={() => onOpen(token)}
    >
      <TokenLogo logoUrl={token.logoUrl} symbol={token.symbol} />
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
  const found = value?.tokens ?? [];
  const open = (token: SearchHit) => {
    onClose();
    navigate(buildTokenHref(token));
  };
  // The address names a search only while it is open.
  useEffect(() => () => setQuery({ q: null }), []);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + found.length) % found.length);
    }
    const token = found[chosen];
    if (event.key === 'Enter' && token !== undefined) open(token);
  };
  return (
    <ModalDialog label={texts.search.open} onClose={onClose} className="search">
      <input
        role="combobox"
        aria-label={texts.search.open}
        aria-expanded={found.length > 0}
        aria-controls="found"
        {...(found.length > 0 ? { 'aria-activedescendant': `found-${chosen}` } : {})}
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
      {found.length > 0 ? (
        <div id="found" role="listbox" aria-label={texts.search.results}>
          {found.map((token, at) => (
            <FoundRow
              key={`${token.chain}:${token.mint}`}
              token={token}
              at={at}
              isChosen={at === chosen}
              onOpen={open}
            />
          ))}
        </div>
      ) : (
        <p class="soft" id="found">
          {value === null ? texts.search.start : texts.search.none}
        </p>
      )}
    </ModalDialog>
  );
}
