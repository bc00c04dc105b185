// Why a transaction failed, in words: the program's own, the name of its error, or the chain's.

import { cleanText } from '../../../lib/clean-text.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../data/solana-ids.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';

/** How programs of Anchor, and others, tell why they fail. */
const REASONS: readonly RegExp[] = [/Error Message: ([^.]+)/, /Program log: Error: (.+)/];
/** The innermost program that fails is the first to be logged. */
const FAILED = /^Program (\w+) failed: (?:custom program error: 0x([0-9a-f]+)|(.+))$/;

const TOKEN_ERRORS: Readonly<Record<number, string>> = {
  1: 'insufficient funds',
  3: 'the account is of another mint',
  4: 'the account has another owner',
  17: 'the account is frozen',
};

/** Errors of programs that may log only a number. */
const NAMED: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  [SYSTEM_PROGRAM]: { 1: 'not enough SOL' },
  [TOKEN_PROGRAM]: TOKEN_ERRORS,
  [TOKEN_2022_PROGRAM]: TOKEN_ERRORS,
};

/** Of an error in JSON: how its innermost part is named. */
function nameError(err: unknown): string {
  if (typeof err === 'string') return err;
  const [name, detail] = Object.entries(Object(err) as object)[0] ?? [];
  if (name === undefined) return 'the transaction failed';
  if (name !== 'InstructionError' || !Array.isArray(detail)) return name;
  const inner: unknown = detail[1];
  if (typeof inner === 'string') return inner;
  const code = (inner as { readonly Custom?: unknown } | null)?.Custom;
  return code === undefined ? name : `custom program error ${String(code)}`;
}

/** The words are the chain's: cleaned, not trusted. */
export function explainFailure(err: unknown, logs: readonly unknown[] | null | undefined): string {
  const lines = (logs ?? []).filter((line) => typeof line === 'string');
  for (const reason of REASONS) {
    const found = lines.findLast((line) => reason.test(line));
    const words = cleanText(reason.exec(found ?? '')?.[1] ?? '');
    if (words) return words;
  }
  for (const line of lines) {
    const [, program = '', code, text = ''] = FAILED.exec(line) ?? [];
    if (program === '') continue;
    const number = Number.parseInt(code ?? '', 16);
    const words =
      code === undefined
        ? text
        : (VENUES_BY_PROGRAM.get(program)?.errors ?? NAMED[program])?.[number];
    return cleanText(words ?? `custom program error ${number}`) ?? nameError(err);
  }
  return cleanText(nameError(err)) ?? 'the transaction failed';
}
