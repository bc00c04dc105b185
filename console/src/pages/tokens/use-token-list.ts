// The rows of the list: the first page is read again every 15 seconds, more pages on demand.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { TokenListReply } from '../../api/contract-types.ts';
import { type ShownProblem, toProblem } from '../../api/shown-problem.ts';
import { useResource } from '../../api/use-resource.ts';
import { buildListInput, type ListChoices } from './list-choices.ts';
import { type DatedTokenRow, mergeListPages } from './merge-list-pages.ts';

const REFRESH_MS = 15_000;

interface MorePages {
  readonly key: string;
  readonly pages: readonly TokenListReply[];
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
  const key = JSON.stringify(input);
  const first = useResource<TokenListReply>({
    key,
    load: (signal) => api.listTokens(input, { signal }),
    refreshMs: REFRESH_MS,
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
      .listTokens({ ...JSON.parse(key), cursor }, { signal: own.signal })
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
