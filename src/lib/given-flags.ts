// The flags of V8 that an operator has given to the process.

/** V8 takes underscores as hyphens, and `no` before a name. */
export function isFlagGiven(name: string): boolean {
  const { env, execArgv } = process;
  const given = [env['NODE_OPTIONS'] ?? '', ...execArgv].join(' ').replaceAll('_', '-');
  return new RegExp(`--(?:no-?)?${name}(?![\\w-])`).test(given);
}
