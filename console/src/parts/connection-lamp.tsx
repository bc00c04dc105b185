// How live the page is: a lamp in the bar, and a banner once its figures may be wrong.

import { connection, lastHeardMs } from '../api/event-stream.ts';
import { nowMs } from '../clock-tick.ts';
import { formatDuration } from '../format/format-age.ts';
import { texts } from '../texts.ts';

/** A short loss is repaired before anybody needs to know. */
const STALE_AFTER_MS = 5000;

function describeConnection(): string {
  const state = connection.value;
  if (state.kind === 'live') {
    return texts.connection.heard(formatDuration(Math.max(0, nowMs.value - lastHeardMs.value)));
  }
  if (state.kind !== 'waiting') return texts.connection[state.kind];
  return texts.connection.waiting(formatDuration(Math.max(0, state.retryAtMs - nowMs.value)));
}

export function ConnectionLamp() {
  const { kind } = connection.value;
  return (
    <span class={`lamp lamp-${kind}`} title={describeConnection()}>
      <span class="dot" aria-hidden="true" />
      <span class="lamp-text">{texts.connection[kind === 'waiting' ? 'connecting' : kind]}</span>
    </span>
  );
}

export function StaleBanner() {
  const state = connection.value;
  if (!('sinceMs' in state) || nowMs.value - state.sinceMs < STALE_AFTER_MS) return null;
  const age = formatDuration(nowMs.value - (lastHeardMs.value || state.sinceMs));
  return (
    <p class="stale" role="status">
      {texts.connection.stale(age)} {describeConnection()}.
    </p>
  );
}
