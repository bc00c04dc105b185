// Dark or light: as the system has it, until the user chooses.

import { signal } from '@preact/signals';

type Theme = 'dark' | 'light';

const systemIsLight = matchMedia('(prefers-color-scheme: light)');

function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  if (theme === 'dark' || theme === 'light') return theme;
  return systemIsLight.matches ? 'light' : 'dark';
}

export const theme = signal<Theme>(readTheme());

systemIsLight.addEventListener('change', () => {
  theme.value = readTheme();
});

/** Colours of up and down for who cannot tell red from green; empty for the usual ones. */
export const palette = signal(document.documentElement.dataset['palette'] ?? '');

export function togglePalette(): void {
  const next = palette.value === '' ? 'blue-orange' : '';
  document.documentElement.dataset['palette'] = next;
  localStorage.setItem('palette', next);
  palette.value = next;
}

export function toggleTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark';
  // First the document: who follows the signal reads the colours from it.
  document.documentElement.dataset['theme'] = next;
  localStorage.setItem('theme', next);
  theme.value = next;
}
