// A problem in words: ours by its code, otherwise those that the server sent.

import type { ShownProblem } from '../api/shown-problem.ts';
import { texts } from '../texts.ts';

export function describeProblem({ code, detail, title }: ShownProblem): string {
  return texts.problem.byCode[code] ?? (detail || title || texts.problem.other);
}
