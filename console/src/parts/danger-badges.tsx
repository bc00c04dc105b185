// What a buyer must see of a token: a badge for each danger, the gravest first.

import { texts } from '../texts.ts';

/** Codes of warnings in the order of their weight; others are no dangers. */
const DANGERS = Object.keys(texts.dangers) as (keyof typeof texts.dangers)[];

/** Those after which a buyer is likely to lose all of it. */
const GRAVE: ReadonlySet<string> = new Set(['UNSELLABLE', 'LOOKALIKE', 'PERMANENT_DELEGATE']);

interface DangerBadgesProps {
  readonly codes: readonly string[];
  /** The most that are shown; a row has little room. */
  readonly max?: number;
}

export function DangerBadges({ codes, max = DANGERS.length }: DangerBadgesProps) {
  return (
    <>
      {DANGERS.filter((danger) => codes.includes(danger))
        .slice(0, max)
        .map((danger) => (
          <span key={danger} class={GRAVE.has(danger) ? 'badge grave' : 'badge'}>
            {texts.dangers[danger]}
          </span>
        ))}
    </>
  );
}
