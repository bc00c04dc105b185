// Parses a command line strictly. Unknown flags and arguments are errors that list the known ones,
// and every command has --help.

import { type ParseArgsConfig, parseArgs } from 'node:util';

type Flags = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

type Values<F extends Flags> = {
  readonly [Name in keyof F]?: F[Name]['type'] extends 'string' ? string : boolean;
};

interface CommandForm<F extends Flags> {
  /** As typed, such as `npx mintwire verify`. */
  readonly name: string;
  /** Printed for --help: how to call it and what it does. */
  readonly help: string;
  readonly flags: F;
  /** Names of the arguments, in order; all are required. None by default. */
  readonly args?: readonly string[];
  /** Whether any number of arguments is allowed instead. */
  readonly takesAnyArgs?: boolean;
}

type ParsedCommand<F extends Flags> =
  | { readonly kind: 'run'; readonly values: Values<F>; readonly args: readonly string[] }
  | { readonly kind: 'help' }
  | { readonly kind: 'fault'; readonly message: string };

function describeFault(error: Error & { code?: string }, known: readonly string[]): string {
  const flag = /'(-[^' ]*)/.exec(error.message)?.[1] ?? '';
  const list = known.map((name) => `--${name}`).join(', ');
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `no flag ${flag}; known: ${list}`;
  const takesNone = error.message.includes('does not take an argument');
  return takesNone ? `${flag} takes no value` : `${flag} needs a value`;
}

function findArgsFault<F extends Flags>(form: CommandForm<F>, given: readonly string[]) {
  if (form.takesAnyArgs) return null;
  const names = form.args ?? [];
  const wanted = names.length === 0 ? 'no arguments' : names.map((name) => `<${name}>`).join(' ');
  const extra = given[names.length];
  if (extra !== undefined) return `no argument "${extra}" here; it takes ${wanted}`;
  return given.length < names.length ? `<${names[given.length]}> is missing` : null;
}

function parseCommand<F extends Flags>(
  typed: readonly string[],
  form: CommandForm<F>,
): ParsedCommand<F> {
  const flags: Flags = { ...form.flags, help: { type: 'boolean' } };
  try {
    const options = flags as ParseArgsConfig['options'] & object;
    const { values, positionals } = parseArgs({
      args: [...typed],
      options,
      allowPositionals: true,
    });
    if (values['help'] === true) return { kind: 'help' };
    const message = findArgsFault(form, positionals);
    if (message !== null) return { kind: 'fault', message };
    return { kind: 'run', values: values as Values<F>, args: positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { kind: 'fault', message: describeFault(error, Object.keys(flags)) };
  }
}

/** Prints what is wrong with the command line and sets the exit code of a usage error. */
export function refuseCommand(form: CommandForm<Flags>, message: string): null {
  console.error(`${form.name}: ${message}\n\n${form.help}`);
  process.exitCode = 2;
  return null;
}

/** Null if there is nothing to run: help or an error was printed. */
export function readCommand<F extends Flags>(
  typed: readonly string[],
  form: CommandForm<F>,
): Extract<ParsedCommand<F>, { kind: 'run' }> | null {
  const parsed = parseCommand(typed, form);
  if (parsed.kind === 'run') return parsed;
  if (parsed.kind === 'fault') return refuseCommand(form, parsed.message);
  console.log(form.help);
  return null;
}
