// How long ago something was, and how long it takes still.

const STEPS = [
  { seconds: 31_536_000, unit: 'y' },
  { seconds: 2_592_000, unit: 'mo' },
  { seconds: 86_400, unit: 'd' },
  { seconds: 3600, unit: 'h' },
  { seconds: 60, unit: 'm' },
  { seconds: 1, unit: 's' },
] as const;

/** `90_000` → `1m`: the largest unit alone. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const step = STEPS.find((each) => seconds >= each.seconds);
  return step === undefined ? '0s' : `${Math.floor(seconds / step.seconds)}${step.unit}`;
}

export function formatAge(timeMs: number | null, nowMs: number): string {
  return timeMs === null ? '–' : formatDuration(nowMs - timeMs);
}
