// What modules of the console need of a browser, for tests without one: a page that may be hidden,
// and requests relative to an origin.

import type { TestContext } from 'node:test';

interface FakePage {
  /** As if the user went to another tab, or came back. */
  setHidden(isHidden: boolean): void;
}

export function openFakePage(t: TestContext, origin: string): FakePage {
  const page = Object.assign(new EventTarget(), { hidden: false });
  const realFetch = globalThis.fetch;
  Reflect.set(globalThis, 'document', page);
  globalThis.fetch = (input, init) => realFetch(new URL(String(input), origin), init);
  t.after(() => {
    Reflect.deleteProperty(globalThis, 'document');
    globalThis.fetch = realFetch;
  });
  return {
    setHidden: (isHidden) => {
      page.hidden = isHidden;
      page.dispatchEvent(new Event('visibilitychange'));
    },
  };
}
