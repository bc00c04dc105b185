// An age that ticks, with the exact time as its title.

import { nowMs } from '../clock-tick.ts';
import { formatAge } from '../format/format-age.ts';

export function AgeText({ timeMs }: { timeMs: number | null }) {
  if (timeMs === null) return <span class="soft">–</span>;
  const iso = new Date(timeMs).toISOString();
  return (
    <time dateTime={iso} title={iso}>
      {formatAge(timeMs, nowMs.value)}
    </time>
  );
}
