// The chain that a command names, built in or from the operator's file.

import { type Config, loadProcessConfig } from '../config.ts';
import type { ChainSlug } from '../model/chain.ts';
import { refuseCommand } from './read-command.ts';
import { describeStartProblem } from './serve.ts';

/** The settings; null if an error was printed. */
export function readSettings(): Config | null {
  try {
    return loadProcessConfig();
  } catch (error) {
    console.error(`mintwire: ${describeStartProblem(error, null)}`);
    process.exitCode = 1;
    return null;
  }
}

/** Null if an error was printed. */
export function readChain(
  form: Parameters<typeof refuseCommand>[0],
  text: string | undefined,
): ChainSlug | null {
  if (text === undefined) return refuseCommand(form, '--chain is missing');
  const chains = readSettings()?.knownChains;
  if (chains === undefined) return null;
  const known = chains.slugs.join(', ');
  return chains.find(text)?.slug ?? refuseCommand(form, `no chain "${text}"; known: ${known}`);
}
