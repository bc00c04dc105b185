// `mintwire init`: writes a commented settings file from five answers, asked for or given as flags.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ConfigError, loadConfig, SETTINGS, SETTINGS_FILE } from '../config.ts';
import { BUILT_IN_CHAINS, isEmbedded, toSettingSuffix } from '../model/chain.ts';
import { readCommand } from './read-command.ts';

const text = { type: 'string' } as const;

const FORM = {
  name: 'npx mintwire init',
  help: `usage: npx mintwire init [--chain <chain>] [--rpc <urls>] [--scope <scope>]
                         [--history <block>] [--store <store>] [--file <file>]

Writes ${SETTINGS_FILE}, a settings file with comments, which every command reads from the folder it
is called in. On a terminal it asks for what is not given; elsewhere the default counts.

  --chain <chain>    the chain to follow; devnet (the default) is the embedded ones alone
  --rpc <urls>       endpoints of its nodes, comma-separated
  --scope <scope>    all (the default), liquid, or the tokens to watch, comma-separated
  --history <block>  the first block to index, or head (the default)
  --store <store>    sqlite (the default), or the URL of a PostgreSQL database
  --file <file>      another name for the file
`,
  flags: { chain: text, rpc: text, scope: text, history: text, store: text, file: text },
} as const;

type Values = Readonly<Record<string, string>>;

interface Question {
  readonly flag: Exclude<keyof typeof FORM.flags, 'file'>;
  readonly text: string;
  /** Null if there is none to guess. */
  readonly fallback: string | null;
  /** The settings that an answer means, for the chain that is asked about. */
  readonly read: (answer: string, chain: string) => Values;
}

const CHAINS: readonly string[] = Object.values(BUILT_IN_CHAINS)
  .map(({ slug }) => slug)
  .filter((slug) => !isEmbedded(slug));

const CHAIN_QUESTION = {
  flag: 'chain',
  text: `Which chain? devnet for the embedded ones alone, or one of\n${CHAINS.join(', ')}`,
  fallback: 'devnet',
} as const;

const NODE_QUESTIONS: readonly Question[] = [
  {
    flag: 'rpc',
    text: 'The endpoints of your nodes or provider? URLs with commas between them',
    fallback: null,
    read: (answer, chain) => ({ [`RPC_${chain}`]: answer }),
  },
  {
    flag: 'scope',
    text: 'Which tokens? all, liquid (with a pool worth something), or addresses with commas',
    fallback: 'all',
    read: (answer, chain): Values =>
      ['all', 'liquid'].includes(answer)
        ? { [`SCOPE_${chain}`]: answer }
        : { [`SCOPE_${chain}`]: 'watch', [`WATCH_${chain}`]: answer },
  },
  {
    flag: 'history',
    text: 'From which block on? head, or a number (`npx mintwire plan` says what it costs)',
    fallback: 'head',
    read: (answer, chain): Values =>
      answer === 'head' ? {} : { [`START_BLOCK_${chain}`]: answer },
  },
];

const STORE_QUESTION: Question = {
  flag: 'store',
  text: 'Where is it stored? sqlite, or postgres://user:password@host/database',
  fallback: 'sqlite',
  read: (answer): Values =>
    answer === 'sqlite'
      ? {}
      : { DATABASE_URL: answer, KEY_PEPPER: `1:${randomBytes(32).toString('base64')}` },
};

/** What is often wanted next; these are comments in the file. */
const OTHERS = ['DATA_DIR', 'HOST', 'PORT', 'PUBLIC_ORIGIN', 'RETAIN_TRADES_DAYS'] as const;

function findProblems(values: Values): readonly string[] {
  const unquotable = Object.entries(values).find(([, value]) => /['\p{Cc}]/u.test(value));
  if (unquotable) return [`${unquotable[0]} must not have quotes or control characters in it`];
  try {
    loadConfig(values);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

type Asked = (question: Omit<Question, 'read'>) => Promise<string | null>;

/** The settings of all answers; null if one of them was refused and nobody can be asked again. */
async function askAll(
  ask: Asked,
  canAskAgain: (flag: Question['flag']) => boolean,
): Promise<{ readonly values: Values; readonly chain: string } | null> {
  /** The first answer without problems, which are printed. */
  const settle = async (
    question: Omit<Question, 'read'>,
    check: (answer: string) => readonly string[],
  ): Promise<string | null> => {
    do {
      const answer = await ask(question);
      const problems = answer === null ? [`--${question.flag} is missing`] : check(answer);
      if (problems.length === 0) return answer;
      for (const problem of problems) console.error(`npx mintwire init: ${problem}`);
    } while (canAskAgain(question.flag));
    return null;
  };
  const slug = await settle(CHAIN_QUESTION, (answer) =>
    ['devnet', ...CHAINS].includes(answer)
      ? []
      : [`no chain "${answer}"; known: devnet, ${CHAINS.join(', ')}`],
  );
  if (slug === null) return null;
  const isReal = slug !== CHAIN_QUESTION.fallback;
  const chain = toSettingSuffix(slug as Parameters<typeof toSettingSuffix>[0]);
  let values: Values = {};
  for (const question of [...(isReal ? NODE_QUESTIONS : []), STORE_QUESTION]) {
    const add = (answer: string) => ({ ...values, ...question.read(answer, chain) });
    const answer = await settle(question, (given) => findProblems(add(given)));
    if (answer === null) return null;
    values = add(answer);
  }
  return { values, chain };
}

/** As comments of at most 100 columns. */
function toComment(why: string): string {
  return why.replace(/(.{1,98})(?: |$)/g, '# $1\n').trimEnd();
}

function buildFile(values: Values, others: readonly string[]): string {
  const parts = [
    '# Settings of Mintwire, read from the folder in which it is started. Variables of the\n# environment come first. docs/configuration.md has every setting.',
  ];
  for (const { name, why } of SETTINGS) {
    const value = values[name];
    if (value !== undefined) parts.push(`${toComment(why)}\n${name}='${value}'`);
  }
  for (const { name, why, example } of SETTINGS) {
    const isOffered = others.includes(name) && values[name] === undefined;
    if (isOffered) parts.push(`${toComment(why)}\n# ${name}='${example}'`);
  }
  return `${parts.join('\n\n')}\n`;
}

/** Whether the file is there now. */
function write(file: string, content: string): boolean {
  try {
    // It may have passwords and keys of providers.
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? `${file} is there already; move it, or use --file` : message;
    console.error(`npx mintwire init: ${why}`);
    return false;
  }
}

export async function init(typed: readonly string[]): Promise<void> {
  const parsed = readCommand(typed, FORM);
  if (parsed === null) return;
  const { file = SETTINGS_FILE, ...given } = parsed.values;
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const lines = isTerminal
    ? createInterface({ input: process.stdin, output: process.stdout })
    : null;
  // By Ctrl-C or Ctrl-D nothing is written.
  process.exitCode = 1;
  const answers = await askAll(
    async ({ flag, text: question, fallback }) => {
      const hint = fallback === null ? '' : ` [${fallback}]`;
      const answer = given[flag] ?? (await lines?.question(`${question}${hint}\n> `)) ?? '';
      return answer.trim() || fallback;
    },
    (flag) => lines !== null && given[flag] === undefined,
  ).finally(() => lines?.close());
  if (answers === null) {
    process.exitCode = 2;
    return;
  }
  const { values, chain } = answers;
  const others = [...OTHERS, `HISTORY_${chain}`, `RPC_CREDITS_PER_DAY_${chain}`];
  if (!write(file, buildFile(values, others))) return;
  process.exitCode = 0;
  console.log(`${file} is written; only you can read it.`);
  if (file !== SETTINGS_FILE) console.log(`It is read once its name is ${SETTINGS_FILE}.`);
  console.log('Next: `npx mintwire doctor` looks at what it says, `npx mintwire serve` starts.');
}
