// An answer of the API inside a component: loaded, refreshed while visible, retried when allowed.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ShownProblem, toProblem } from './shown-problem.ts';

export interface LoadedResource<Answer> {
  /** The last answer for this key; kept while it is refreshed. */
  readonly value: Answer | null;
  readonly problem: ShownProblem | null;
  reload(): void;
}

interface ResourceState<Answer> {
  readonly key: string | null;
  readonly value: Answer | null;
  readonly problem: ShownProblem | null;
}

interface ResourceOptions<Answer> {
  /** What the answer depends on; null loads nothing. */
  readonly key: string | null;
  readonly load: (signal: AbortSignal) => Promise<Answer>;
  readonly refreshMs?: number;
}

export function useResource<Answer>(options: ResourceOptions<Answer>): LoadedResource<Answer> {
  const { key, refreshMs } = options;
  const load = useRef(options.load);
  load.current = options.load;
  const [state, setState] = useState<ResourceState<Answer>>({ key, value: null, problem: null });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);

  // A new round loads the same key again.
  useEffect(() => {
    if (key === null) return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reloadLater = (waitMs: number) => {
      timer = setTimeout(() => {
        if (!document.hidden) reload();
        else document.addEventListener('visibilitychange', reload, { once: true });
      }, waitMs);
    };
    load.current(abort.signal).then(
      (value) => {
        setState({ key, value, problem: null });
        if (refreshMs !== undefined) reloadLater(refreshMs);
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const problem = toProblem(error);
        setState((old) => ({ key, value: old.key === key ? old.value : null, problem }));
        const { retryAtMs } = problem;
        if (retryAtMs !== null) reloadLater(Math.max(1000, retryAtMs - Date.now()));
      },
    );
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', reload);
    };
  }, [key, round, refreshMs, reload]);

  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : null,
    problem: isCurrent ? state.problem : null,
    reload,
  };
}
