// Puts a token on the watch list of this browser, or takes it off.

import { isWatched, toggleWatched, type WatchedToken } from '../state/watch-list.ts';
import { texts } from '../texts.ts';

export function WatchButton({ token }: { token: WatchedToken }) {
  const isOn = isWatched(token);
  const label = isOn ? texts.watch.remove : texts.watch.add;
  return (
    <button
      type="button"
      class="quiet watch"
      aria-pressed={isOn}
      aria-label={label}
      title={label}
      onClick={() => toggleWatched(token)}
    >
      <span aria-hidden="true">{isOn ? '★' : '☆'}</span>
    </button>
  );
}
