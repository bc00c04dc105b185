// Something the user asked the server to do: busy until it is done, with what went wrong.

import { useState } from 'preact/hooks';
import { type ShownProblem, toProblem } from '../../api/shown-problem.ts';

export function useAction() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ShownProblem | null>(null);
  const run = async (action: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    try {
      await action();
    } catch (error) {
      // The user asks again: nothing does by itself.
      setProblem({ ...toProblem(error), retryAtMs: null });
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run };
}
