// A callback for an abort signal that may be aborted already.

const NOTHING = () => {};

/**
 * Calls back when the signal is aborted, at once if it already is; never without a signal. The
 * result ends that: a signal that outlives the wait would keep all that the callback can reach.
 */
export function onceAborted(signal: AbortSignal | undefined, callBack: () => void): () => void {
  if (signal === undefined) return NOTHING;
  if (signal.aborted) {
    callBack();
    return NOTHING;
  }
  signal.addEventListener('abort', callBack, { once: true });
  return () => signal.removeEventListener('abort', callBack);
}
