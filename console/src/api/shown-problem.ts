// What went wrong with a request, as a page shows it.

import { MintwireError } from '../../../sdk/src/mintwire-error.ts';

export interface ShownProblem {
  /** Of the API's catalogue or the SDK; `BUG` if something else was thrown. */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** When asking again may help, in Unix milliseconds; null if it does not help. */
  readonly retryAtMs: number | null;
}

/** A server that does not answer, or fails, is asked again after so long: it is restarting. */
const AWAY_RETRY_MS = 3000;

export function toProblem(error: unknown): ShownProblem {
  if (!(error instanceof MintwireError)) {
    return { code: 'BUG', status: 0, title: '', detail: String(error), retryAtMs: null };
  }
  const { code, status, title, detail } = error;
  const isAway = status === 0 || status >= 500;
  const retryAtMs = error.retryAtMs ?? (isAway ? Date.now() + AWAY_RETRY_MS : null);
  return { code, status, title, detail, retryAtMs };
}
