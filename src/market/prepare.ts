// What follows from an input alone, worked out once: a transport hands the same object in again
// when the same query comes again.

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
