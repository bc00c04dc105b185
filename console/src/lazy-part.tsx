// A page or part whose module is loaded when it is first shown. While the server is away it says so
// in its place and tries again; it never reloads the page, which would leave the user with the
// browser's own error page.

import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { api } from './api/api-client.ts';
import { texts } from './texts.ts';

const RETRY_MS = 3000;
/** So long after the page came, its server is taken to be there. */
const FRESH_MS = 5000;

interface LoadedPart<Part> {
  /** Null until it is here. */
  readonly part: ReadonlySignal<{ readonly loaded: Part } | null>;
  readonly failure: ReadonlySignal<PartFailure | null>;
  /** Loads it, unless that was asked for already. */
  ask(): void;
}

interface PartFailure {
  /** The server answers but has no such file any more: it was updated, and this page was not. */
  readonly isOutdated: boolean;
  retry(): void;
}

async function assertServerThere(): Promise<void> {
  await api.getHealth({}, { retry: { countMax: 0 } });
}

export function createPartLoader<Part>(load: () => Promise<Part>): LoadedPart<Part> {
  const part = signal<{ readonly loaded: Part } | null>(null);
  const failure = signal<PartFailure | null>(null);
  let isAsked = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const retry = () => {
    clearTimeout(timer);
    void attempt();
  };
  const attempt = async () => {
    let isServerThere = false;
    try {
      // Browsers remember that a module failed: it is asked for only while the server is there.
      if (performance.now() > FRESH_MS) await assertServerThere();
      isServerThere = true;
      part.value = { loaded: await load() };
      failure.value = null;
    } catch {
      // Its first failure may have been that of a moment: only a second one is the file's.
      failure.value = { isOutdated: failure.peek() !== null && isServerThere, retry };
      timer = setTimeout(retry, RETRY_MS);
    }
  };
  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    void attempt();
  };
  return { part, failure, ask };
}

interface PartFailureNoteProps {
  readonly failure: PartFailure;
  /** Over the page, for a part without a place of its own. */
  readonly isOver?: boolean;
}

export function PartFailureNote({ failure, isOver }: PartFailureNoteProps) {
  const { isOutdated, retry } = failure;
  const { outdated, reload, partFailed, retry: again } = texts.problem;
  return (
    <div class={isOver === true ? 'note over-page' : 'note'} role="alert">
      <p>{isOutdated ? outdated : partFailed}</p>
      <button type="button" onClick={isOutdated ? () => location.reload() : retry}>
        {isOutdated ? reload : again}
      </button>
    </div>
  );
}

/** `space` is what is shown until then; a dialog leaves none. */
export function createLazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  space: ComponentChildren = <div class="page-space" />,
): ComponentType<Props> {
  const { part, failure, ask } = createPartLoader(load);
  return function LazyPart(props) {
    ask();
    if (part.value !== null) {
      const { loaded: Part } = part.value;
      return <Part {...props} />;
    }
    if (failure.value === null) return <>{space}</>;
    return <PartFailureNote failure={failure.value} isOver={space === null} />;
  };
}
