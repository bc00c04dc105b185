// The chain that a command names with --chain.

import { CHAINS, type ChainSlug, findChain } from '../model/chain.ts';
import { refuseCommand } from './read-command.ts';

/** Null if an error was printed. */
export function readChain(
  form: Parameters<typeof refuseCommand>[0],
  text: string | undefined,
): ChainSlug | null {
  if (text === undefined) return refuseCommand(form, '--chain is missing');
  const known = Object.keys(CHAINS).join(', ');
  return findChain(text)?.slug ?? refuseCommand(form, `no chain "${text}"; known: ${known}`);
}
