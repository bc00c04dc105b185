// The text of the browser's tab.

import { texts } from './texts.ts';

export function setTitle(text: string): void {
  document.title = `${text} · ${texts.product}`;
}
