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

/** A server that does not answer is asked again after so long: it is restarting. */
const UNREACHABLE_RETRY_MS = 3000;

export function toProblem(error: unknown): ShownProblem {
  if (!(error instanceof MintwireError)) {
    return { code: 'BUG', status: 0, title: '', detail: String(error), retryAtMs: null };
  }
  const { code, status, title, detail } = error;
  const retryAtMs = status === 0 ? Date.now() + UNREACHABLE_RETRY_MS : error.retryAtMs;
  return { code, status, title, detail, retryAtMs };
}
