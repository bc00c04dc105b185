// What modules of the console need of a browser, for tests without one: a page that may be hidden,
// and requests relative to an origin.

import type { TestContext } from 'node:test';

interface FakePage {
  /** How many answers the page has read to their end. */
  readonly readCount: number;
  /** As if the user went to another tab, or came back. */
  setHidden(isHidden: boolean): void;
}

export function openFakePage(t: TestContext, origin: string): FakePage {
  const page = Object.assign(new EventTarget(), { hidden: false });
  const realFetch = globalThis.fetch;
  Reflect.set(globalThis, 'document', page);
  let readCount = 0;
  globalThis.fetch = async (input, init) => {
    const response = await realFetch(new URL(String(input), origin), init);
    const readJson = response.json.bind(response);
    response.json = () =>
      readJson().finally(() => {
        readCount += 1;
      });
    return response;
  };
  t.after(() => {
    Reflect.deleteProperty(globalThis, 'document');
    globalThis.fetch = realFetch;
  });
  return {
    get readCount() {
      return readCount;
    },
    setHidden: (isHidden) => {
      page.hidden = isHidden;
      page.dispatchEvent(new Event('visibilitychange'));
    },
  };
}
