// The rows of the list: the first page is read again every 15 seconds, more pages on demand.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { TokenListReply } from '../../api/contract-types.ts';
import { type ShownProblem, toProblem } from '../../api/shown-problem.ts';
import { useResource } from '../../api/use-resource.ts';
import { type WatchedToken, watchList } from '../../state/watch-list.ts';
import { buildListInput, type ListChoices } from './list-choices.ts';
import { type DatedTokenRow, mergeListPages } from './merge-list-pages.ts';

const REFRESH_MS = 15_000;
/** Each of these is asked for on its own; prices are live meanwhile. */
const WATCHED_REFRESH_MS = 60_000;

interface MorePages {
  readonly key: string;
  readonly pages: readonly TokenListReply[];
}

/** Each token of the watch list; those that are unknown or paused are left out. */
async function readWatched(
  watched: readonly WatchedToken[],
  signal: AbortSignal,
): Promise<TokenListReply> {
  const read = async (token: WatchedToken) => {
    const [reply, safety] = await Promise.all([
      api.getToken(token, { signal }),
      // Without its warnings it is still shown: its own page says more.
      api.getTokenSafety(token, { signal }).catch(() => null),
    ]);
    return { ...reply, warnings: safety?.warnings.map(({ code }) => code) ?? [] };
  };
  const outcomes = await Promise.allSettled(watched.map(read));
  const found = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [first] = outcomes;
  // A server that is away is no empty list.
  if (found.length === 0 && first?.status === 'rejected') throw first.reason;
  const asOf = Object.fromEntries(found.map((token) => [token.chain, token.asOf]));
  return { tokens: found, nextCursor: null, asOf };
}

export interface ShownTokens {
  /** Null until the first page is here. */
  readonly rows: readonly DatedTokenRow[] | null;
  readonly problem: ShownProblem | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  loadMore(): void;
  reload(): void;
}

export function useTokenList(choices: ListChoices): ShownTokens {
  const input = buildListInput(choices);
  const watched = choices.sort === 'watching' ? watchList.value : null;
  const key = JSON.stringify([input, watched]);
  const first = useResource<TokenListReply>({
    key,
    load: (signal) =>
      watched === null ? api.listTokens(input, { signal }) : readWatched(watched, signal),
    refreshMs: watched === null ? REFRESH_MS : WATCHED_REFRESH_MS,
  });
  const [more, setMore] = useState<MorePages>({ key, pages: [] });
  const [isLoadingMore, setLoading] = useState(false);
  const [moreProblem, setProblem] = useState<ShownProblem | null>(null);
  const abort = useRef<AbortController | null>(null);
  const pages = more.key === key ? more.pages : [];
  const cursor = (pages.at(-1) ?? first.value)?.nextCursor ?? null;

  useEffect(() => {
    setMore({ key, pages: [] });
    setProblem(null);
    setLoading(false);
    return () => abort.current?.abort();
  }, [key]);

  const loadMore = useCallback(() => {
    if (cursor === null || isLoadingMore) return;
    const own = new AbortController();
    abort.current = own;
    setLoading(true);
    setProblem(null);
    api
      .listTokens({ ...JSON.parse(key)[0], cursor }, { signal: own.signal })
      .then((page) =>
        setMore((old) => ({ key, pages: [...(old.key === key ? old.pages : []), page] })),
      )
      .catch((error: unknown) => {
        if (!own.signal.aborted) setProblem(toProblem(error));
      })
      .finally(() => setLoading(false));
  }, [key, cursor, isLoadingMore]);

  return {
    rows: first.value === null ? null : mergeListPages([first.value, ...pages]),
    problem: first.problem ?? moreProblem,
    hasMore: cursor !== null,
    isLoadingMore,
    loadMore,
    reload: first.reload,
  };
}
