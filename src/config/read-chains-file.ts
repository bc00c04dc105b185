// Reads the file that `CHAINS_FILE` names.

import { readFileSync } from 'node:fs';
import { type FileChain, parseChainsFile } from './parse-chains-file.ts';

/** Nothing after a problem, which is added to `problems`. */
export function readChainsFile(path: string, problems: string[]): readonly FileChain[] {
  let json: string;
  try {
    json = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    problems.push(`CHAINS_FILE cannot be read: ${code} (it is "${path}")`);
    return [];
  }
  const found: string[] = [];
  const chains = parseChainsFile(json, found);
  problems.push(...found.map((problem) => `CHAINS_FILE ${path}: ${problem}`));
  return found.length > 0 ? [] : chains;
}
