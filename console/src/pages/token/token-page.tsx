// A token: head, chart, and tabs with trades, holders, pools, safety and traders.

import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { SafetyReply, TokenReply } from '../../api/contract-types.ts';
import type { ShownProblem } from '../../api/shown-problem.ts';
import { useResource } from '../../api/use-resource.ts';
import { currentLocation, setQuery } from '../../current-location.ts';
import { formatUsd } from '../../format/format-price.ts';
import { createLazyPart } from '../../lazy-part.tsx';
import { ChoiceGroup } from '../../parts/choice-fields.tsx';
import { ProblemNote, type ProblemNoteProps } from '../../parts/problem-note.tsx';
import { setTitle } from '../../set-title.ts';
import { texts } from '../../texts.ts';
import { ChartPanel } from './chart-panel.tsx';
import type { DetailsTabProps } from './details-tab.tsx';
import type { SwapPanelProps } from './swap/swap-panel.tsx';
import {
  buildKlineInput,
  parseTokenChoices,
  TOKEN_TABS,
  type TokenChoices,
} from './token-choices.ts';
import { TokenFeed } from './token-feed.ts';
import { pickTokenFigures } from './token-figures.ts';
import { CoverageNote, TokenHeader } from './token-header.tsx';

/** Windows, pools and coverage; prices are live. */
const REFRESH_MS = 30_000;

/** As in style.css: the form has a column of its own, and is open. */
const HAS_ROOM = matchMedia('(min-width: 1101px)');

const loadDetails = async () => (await import('./details-tab.tsx')).DetailsTab;

const DetailsTab = createLazyPart<DetailsTabProps>(loadDetails);

const loadSwapPanel = async () => (await import('./swap/swap-panel.tsx')).SwapPanel;

const SwapPanel = createLazyPart<SwapPanelProps>(
  loadSwapPanel,
  <div class="swap-space" aria-busy="true" />,
);

// Asked for at once: what is there when it is shown does not move what is read.
void Promise.allSettled([loadDetails(), loadSwapPanel()]);

interface LoadedProps {
  readonly token: TokenReply;
  readonly feed: TokenFeed;
  readonly choices: TokenChoices;
}

/** A feed for these candles, from the first render that needs it to the last. */
function useFeed(choices: TokenChoices, isFound: boolean): TokenFeed | null {
  const [feed, setFeed] = useState<TokenFeed | null>(null);
  const key = JSON.stringify(buildKlineInput(choices));
  // The key stands for the choices.
  useEffect(() => {
    if (!isFound) return undefined;
    const own = new TokenFeed(choices);
    own.open();
    setFeed(own);
    // Until the next one is there, its figures stay on the screen.
    return () => own.close();
  }, [key, isFound]);
  return feed?.isOf(choices) === true ? feed : null;
}

function TokenTabs({ token, feed, choices }: LoadedProps) {
  const { tabs } = texts.token;
  return (
    <section class="tabs" aria-label={tabs.label}>
      <ChoiceGroup
        label={tabs.label}
        choices={TOKEN_TABS.map((value) => ({ value, text: tabs[value] }))}
        chosen={choices.tab}
        onChoose={(tab) => setQuery({ tab: tab === 'trades' ? null : tab })}
      />
      <DetailsTab
        {...{ feed, choices }}
        pools={token.pools}
        decimals={token.decimals}
        priceUsd={pickTokenFigures({ token, feed }).priceUsd}
      />
    </section>
  );
}

/** What is measured of its safety, for the badges; the tab says it in full. */
function useWarnings({ chain, mint }: TokenChoices): readonly string[] {
  const { value } = useResource<SafetyReply>({
    key: `${chain}:${mint}`,
    load: (signal) => api.getTokenSafety({ chain, mint }, { signal }),
    refreshMs: REFRESH_MS,
  });
  return value?.warnings.map(({ code }) => code) ?? NO_WARNINGS;
}

const NO_WARNINGS: readonly string[] = [];

function LoadedToken(props: LoadedProps) {
  const { token, feed, choices } = props;
  const { priceUsd } = pickTokenFigures(props);
  const symbol = token.symbol ?? texts.token.unnamed;
  useEffect(() => {
    setTitle(`${formatUsd(priceUsd)} ${symbol}`);
  }, [priceUsd, symbol]);
  const warnings = useWarnings(choices);
  const reverted = feed.revertedTrades.value;
  const isTradable = token.pools.some(({ tradable }) => tradable);
  const [isSwapOpen, setSwapOpen] = useState(HAS_ROOM.matches);
  useEffect(() => {
    // It is not closed again: what was entered, or is being signed, stays.
    const follow = () => setSwapOpen((isOpen) => isOpen || HAS_ROOM.matches);
    HAS_ROOM.addEventListener('change', follow);
    return () => HAS_ROOM.removeEventListener('change', follow);
  }, []);
  return (
    <>
      <TokenHeader token={token} feed={feed} warnings={warnings} />
      {reverted > 0 && (
        <p class="note" role="status">
          {texts.token.revert(reverted)}
        </p>
      )}
      <div class={isTradable ? 'chart-and-swap' : ''}>
        <ChartPanel feed={feed} choices={choices} pools={token.pools} />
        {isTradable && (
          <details
            class="swap-box"
            open={isSwapOpen}
            onToggle={(event) => setSwapOpen(event.currentTarget.open)}
          >
            <summary>{texts.swap.title}</summary>
            {isSwapOpen && <SwapPanel token={token} feed={feed} warnings={warnings} />}
          </details>
        )}
      </div>
      <CoverageNote token={token} feed={feed} />
      <TokenTabs {...props} />
    </>
  );
}

const buildProblem = (code: string, detail = ''): ShownProblem => {
  return { status: 404, code, title: '', detail, retryAtMs: null };
};

const PAUSED = buildProblem('TOKEN_PAUSED');
const UNNAMED = buildProblem('NO_TOKEN', texts.problem.noToken);

interface NoTokenProps extends ProblemNoteProps {
  /** What the address of the page names. */
  readonly named?: Pick<TokenChoices, 'chain' | 'mint'>;
}

/** In place of the token: why, and what to do. */
function NoToken({ named, ...props }: NoTokenProps) {
  useEffect(() => {
    setTitle(texts.problem.noTokenTitle);
  }, []);
  return (
    <>
      <h1>{texts.problem.noTokenTitle}</h1>
      {named !== undefined && (
        <p class="soft mono break">
          {named.chain} {named.mint}
        </p>
      )}
      <ProblemNote {...props} />
    </>
  );
}

function KnownToken({ choices }: { choices: TokenChoices }) {
  const { chain, mint } = choices;
  const { value, problem, reload } = useResource<TokenReply>({
    key: `${chain}:${mint}`,
    load: (signal) => api.getToken({ chain, mint }, { signal }),
    refreshMs: REFRESH_MS,
  });
  const feed = useFeed(choices, value !== null);
  if (feed?.isPaused.value === true) return <NoToken problem={PAUSED} named={choices} />;
  if (value === null || feed === null) {
    if (problem !== null) return <NoToken problem={problem} onRetry={reload} named={choices} />;
    return (
      <div class="token-space" aria-busy="true">
        <span class="bone" />
        <span class="bone" />
        <span class="bone" />
      </div>
    );
  }
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      <LoadedToken token={value} feed={feed} choices={choices} />
    </>
  );
}

export function TokenPage() {
  const choices = parseTokenChoices(currentLocation.value.query);
  if (choices === null) {
    return (
      <div class="page">
        <NoToken problem={UNNAMED} />
      </div>
    );
  }
  return (
    <div class="page">
      <KnownToken choices={choices} />
    </div>
  );
}
