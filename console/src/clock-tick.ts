// The time, once a second, for ages and countdowns; it stands still while the page is hidden.

import { signal } from '@preact/signals';

export const nowMs = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) nowMs.value = Date.now();
  }, 1000);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) nowMs.value = Date.now();
  });
}
