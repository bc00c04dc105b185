// What went wrong, in words, and what happens next.

import type { ShownProblem } from '../api/shown-problem.ts';
import { nowMs } from '../clock-tick.ts';
import { formatDuration } from '../format/format-age.ts';
import { texts } from '../texts.ts';
import { describeProblem } from './describe-problem.ts';

export interface ProblemNoteProps {
  readonly problem: ShownProblem;
  readonly onRetry?: () => void;
}

export function ProblemNote({ problem, onRetry }: ProblemNoteProps) {
  const { retryAtMs, status } = problem;
  const isForOther = status === 400 || status === 404;
  return (
    <div class="note" role="alert">
      <p>{describeProblem(problem)}</p>
      {retryAtMs !== null && (
        <p class="soft">
          {texts.problem.retryIn(formatDuration(Math.max(1000, retryAtMs - nowMs.value)))}
        </p>
      )}
      {isForOther && <a href="/">{texts.problem.toTokens}</a>}
      {!isForOther && onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          {texts.problem.retry}
        </button>
      )}
    </div>
  );
}
