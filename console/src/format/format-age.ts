// How long ago something was, and how long it takes still.

import { texts } from '../texts.ts';

const STEPS = [
  { seconds: 31_536_000, unit: 'year' },
  { seconds: 2_592_000, unit: 'month' },
  { seconds: 86_400, unit: 'day' },
  { seconds: 3600, unit: 'hour' },
  { seconds: 60, unit: 'minute' },
] as const;
const SECOND = { seconds: 1, unit: 'second' } as const;

/** `90_000` → `1m`: the largest unit alone. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const step = STEPS.find((each) => seconds >= each.seconds) ?? SECOND;
  return `${Math.floor(seconds / step.seconds)}${texts.units[step.unit]}`;
}

export function formatAge(timeMs: number | null, nowMs: number): string {
  return timeMs === null ? '–' : formatDuration(nowMs - timeMs);
}
