// A figure that flashes when it changes; never under `prefers-reduced-motion` (style.css).

import { useEffect, useRef } from 'preact/hooks';

interface LiveTextProps {
  readonly text: string;
  /** What is compared: up or down. */
  readonly value: string | null;
  readonly title?: string;
}

export function LiveText({ text, value, title }: LiveTextProps) {
  const element = useRef<HTMLSpanElement>(null);
  const last = useRef(value);
  useEffect(() => {
    const before = last.current;
    last.current = value;
    const node = element.current;
    if (node === null || before === null || value === null || before === value) return;
    node.classList.remove('flash-up', 'flash-down');
    // Reading the layout ends the old animation, so that the same class starts a new one.
    void node.offsetWidth;
    node.classList.add(Number(value) >= Number(before) ? 'flash-up' : 'flash-down');
  }, [value]);
  return (
    <span ref={element} title={title ?? value ?? ''}>
      {text}
    </span>
  );
}
