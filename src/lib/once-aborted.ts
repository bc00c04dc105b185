// A callback for an abort signal that may be aborted already.

/** Calls back when the signal is aborted, at once if it already is; never without a signal. */
export function onceAborted(signal: AbortSignal | undefined, callBack: () => void): void {
  if (signal?.aborted === true) callBack();
  else signal?.addEventListener('abort', callBack, { once: true });
}
