// A command that asks a server: tables on a terminal, the server's JSON in a pipe.

import { toTerminalText } from '../../telemetry/terminal-text.ts';
import { readSettings } from '../with-store.ts';
import { ServerClient, ServerError } from './server-client.ts';

/** The flags of every such command. */
export const READ_FLAGS = {
  server: { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const READ_HELP = `  --server <url>  the server to ask; MINTWIRE_SERVER without it
  --json          print JSON, as in a pipe

MINTWIRE_KEY is the API key to use, if any.
`;

interface ReadValues {
  readonly server?: string;
  readonly json?: boolean;
}

/** What a command prints with. */
export interface ReadRun {
  readonly client: ServerClient;
  /** Whether a person reads what is printed. */
  readonly isForPerson: boolean;
  /** The width of the terminal. */
  readonly width: number;
  /** Prints JSON, or the text for a person. */
  print(answer: unknown, describe: () => string): void;
}

const WIDTH_DEFAULT = 80;

/** The key for the server that is asked: the one it was set for, and no other gets to see it. */
export function pickKey(
  set: { readonly server: string; readonly key: string | null },
  asked: string | undefined,
): string | undefined {
  const isOwn = asked === undefined || URL.parse(asked)?.origin === URL.parse(set.server)?.origin;
  return isOwn ? (set.key ?? undefined) : undefined;
}

/** Prints the server's errors; the exit code is then 1. */
export async function runRead(
  values: ReadValues,
  work: (reading: ReadRun) => Promise<void>,
): Promise<void> {
  const config = readSettings();
  if (config === null) return;
  const isForPerson = process.stdout.isTTY === true && values.json !== true;
  const { server } = config.client;
  const key = pickKey(config.client, values.server);
  try {
    await work({
      client: new ServerClient({ server: values.server ?? server, key }),
      isForPerson,
      width: process.stdout.columns ?? WIDTH_DEFAULT,
      print: (answer, describe) =>
        console.log(isForPerson ? describe() : JSON.stringify(answer, null, 2)),
    });
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    console.error(`mintwire: ${toTerminalText(error.message)}`);
    process.exitCode = 1;
  }
}
