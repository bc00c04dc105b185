// Which rows of a long table are near the screen; the others are not rendered.

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { computeRowWindow, type RowWindow } from './compute-row-window.ts';

interface RowWindowOptions {
  readonly body: RefObject<HTMLElement | null>;
  readonly count: number;
  readonly rowHeight: number;
}

export function useRowWindow({ body, count, rowHeight }: RowWindowOptions): RowWindow {
  const [found, setFound] = useState<RowWindow>({ from: 0, to: Math.min(count, 40), seen: 0 });
  useEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const next = computeRowWindow({ top, height: innerHeight, count, rowHeight });
      setFound((old) => (old.seen === next.seen && old.to === next.to ? old : next));
    };
    const onMove = () => {
      if (frame === 0) frame = requestAnimationFrame(measure);
    };
    measure();
    addEventListener('scroll', onMove, { passive: true });
    addEventListener('resize', onMove);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', onMove);
      removeEventListener('resize', onMove);
    };
  }, [body, count, rowHeight]);
  const { from, to, seen } = found;
  return { from: Math.min(from, count), to: Math.min(to, count), seen: Math.min(seen, count) };
}
