// Caches what depends on an input alone: a transport passes the same object again for a repeated
// query.

export function createPrepare<Input extends object, Prepared>(
  prepare: (input: Input) => Prepared,
): (input: Input) => Prepared {
  const prepared = new WeakMap<Input, Prepared>();
  return (input) => {
    const known = prepared.get(input);
    if (known !== undefined) return known;
    const made = prepare(input);
    prepared.set(input, made);
    return made;
  };
}
