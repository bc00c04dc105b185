// A page or part whose module is loaded when it is first shown.

import { signal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';

/** `space` is what is shown until then; a dialog leaves none. */
export function createLazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  space: ComponentChildren = <div class="page-space" />,
): ComponentType<Props> {
  const loaded = signal<{ readonly Part: ComponentType<Props> } | null>(null);
  let isAsked = false;
  return function LazyPart(props) {
    if (!isAsked) {
      isAsked = true;
      void load().then(
        (Part) => {
          loaded.value = { Part };
        },
        // After an update of the server the old file is gone: the page is read again, whole.
        () => location.reload(),
      );
    }
    if (loaded.value === null) return <>{space}</>;
    const { Part } = loaded.value;
    return <Part {...props} />;
  };
}
