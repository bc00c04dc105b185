// The list of tokens: orders, filters, and the table. Every choice is in the URL.

import { useEffect, useRef } from 'preact/hooks';
import { currentLocation, setQuery } from '../../current-location.ts';
import { formatCompactUsd } from '../../format/format-amount.ts';
import { CheckField, ChoiceGroup, SelectField } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { chains } from '../../state/chains.ts';
import { texts } from '../../texts.ts';
import {
  LIQUIDITY_STEPS,
  LIST_TABS,
  LIST_WINDOWS,
  type ListChoices,
  type ListSort,
  parseListChoices,
} from './list-choices.ts';
import { TokenTable } from './token-table.tsx';
import { type ShownTokens, useTokenList } from './use-token-list.ts';

function ListFilters({ choices }: { choices: ListChoices }) {
  const chainOptions = [
    ['', texts.tokens.allChains] as const,
    ...chains.value.map(({ slug, name }) => [slug, name] as const),
  ];
  const liquidityOptions = [
    ['', texts.tokens.anyLiquidity] as const,
    ...LIQUIDITY_STEPS.map(
      (step) => [step, texts.tokens.liquidityFrom(formatCompactUsd(step))] as const,
    ),
  ];
  return (
    <div class="bar">
      <ChoiceGroup
        label={texts.tokens.sortLabel}
        choices={LIST_TABS.map((value) => ({ value, text: texts.sorts[value] }))}
        chosen={choices.sort}
        onChoose={(sort) => setQuery({ sort })}
      />
      <ChoiceGroup
        label={texts.tokens.windowLabel}
        choices={LIST_WINDOWS.map((value) => ({ value, text: value }))}
        chosen={choices.window}
        onChoose={(window) => setQuery({ window })}
      />
      <SelectField
        label={texts.tokens.chainLabel}
        value={choices.chain ?? ''}
        options={chainOptions}
        isFixed
        onChange={(chain) => setQuery({ chain })}
      />
      <SelectField
        label={texts.tokens.liquidityLabel}
        value={choices.minLiquidityUsd ?? ''}
        options={liquidityOptions}
        onChange={(liquidity) => setQuery({ liquidity })}
      />
      <CheckField
        label={texts.tokens.verifiedOnly}
        isOn={choices.isVerified}
        onChange={(isOn) => setQuery({ verified: isOn ? 'true' : null })}
      />
    </div>
  );
}

/** Loads the next page when the end of the list comes near; the button does the same. */
function MoreButton({ list }: { list: ShownTokens }) {
  const button = useRef<HTMLButtonElement>(null);
  const { loadMore } = list;
  // After a problem only the user asks again: the button stays in view and would ask for ever.
  const isAutomatic = list.problem === null;
  useEffect(() => {
    const node = button.current;
    if (node === null || !isAutomatic) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) loadMore();
      },
      { rootMargin: '600px' },
    );
    observer.observe(node);
    return () => observer.disconnect();
  }, [loadMore, isAutomatic]);
  if (!list.hasMore) return null;
  return (
    <button ref={button} type="button" class="more" onClick={loadMore}>
      {list.isLoadingMore ? texts.tokens.loadingMore : texts.tokens.more}
    </button>
  );
}

const EMPTY_TEXTS: Readonly<Partial<Record<ListSort, string>>> = {
  launches: texts.tokens.noLaunches,
  watching: texts.tokens.noWatched,
};

function EmptyList({ sort }: { sort: ListSort }) {
  const clear = () => setQuery({ chain: null, liquidity: null, verified: null });
  return (
    <div class="note">
      <p>{EMPTY_TEXTS[sort] ?? texts.tokens.empty}</p>
      <button type="button" onClick={clear}>
        {texts.tokens.clear}
      </button>
    </div>
  );
}

export function TokensPage() {
  const choices = parseListChoices(currentLocation.value.query);
  const list = useTokenList(choices);
  const isEmpty = list.rows !== null && list.rows.length === 0;
  return (
    <div class="page">
      <h1 class="hidden">{texts.tokens.title}</h1>
      <ListFilters choices={choices} />
      {list.problem !== null && <ProblemNote problem={list.problem} onRetry={list.reload} />}
      {isEmpty ? <EmptyList sort={choices.sort} /> : <TokenTable list={list} choices={choices} />}
      <MoreButton list={list} />
    </div>
  );
}
