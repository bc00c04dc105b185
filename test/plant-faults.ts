// Values with one fault each, like answers of a buggy handler.

export const PLANTED = 'planted';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Replaces the value at a path. */
function replaceAt(value: unknown, path: readonly (string | number)[], planted: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return planted;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[step] = replaceAt(copy[step], rest, planted);
  return copy;
}

function* listPaths(
  value: Json,
  path: readonly (string | number)[] = [],
): Generator<{
  readonly path: readonly (string | number)[];
  readonly value: Json;
}> {
  yield { path, value };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value)) {
    yield* listPaths(one as Json, [...path, Array.isArray(value) ? Number(name) : name]);
  }
}

export interface Faulty {
  readonly path: string;
  readonly value: unknown;
}

/** One copy for each object in the value, with an undeclared field. */
export function plantUndeclared(value: unknown): Faulty[] {
  return [...listPaths(value as Json)]
    .filter(({ value: one }) => typeof one === 'object' && one !== null && !Array.isArray(one))
    .map(({ path, value: one }) => ({
      path: path.join('.'),
      value: replaceAt(value, path, { ...(one as object), [PLANTED]: PLANTED }),
    }));
}

/** One copy for each text, number, boolean or null in the value, with an object in its place. */
export function plantWrongTypes(value: unknown): Faulty[] {
  return [...listPaths(value as Json)]
    .filter(({ value: one }) => typeof one !== 'object' || one === null)
    .map(({ path }) => ({
      path: path.join('.'),
      value: replaceAt(value, path, { [PLANTED]: PLANTED }),
    }));
}
