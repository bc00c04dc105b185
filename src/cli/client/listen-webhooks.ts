// `mintwire webhooks listen --to <url>`: deliveries on a machine that no server can reach. The
// events of a stream are sent to a local program, signed as those of webhooks are.

import { createHmac, randomBytes } from 'node:crypto';
import { toTerminalLine } from '../../telemetry/terminal-text.ts';
import { readCommand, refuseCommand } from '../read-command.ts';
import { followEvents, type ServerEvent } from './follow-events.ts';
import { READ_FLAGS, READ_HELP, runRead } from './run-read.ts';

const FORM = {
  name: 'npx mintwire webhooks',
  help: `usage: npx mintwire webhooks listen --to <url> --chain <chain> [--mint <address>[,…]]
                                     [--events <name>[,…]] [--count <count>]

Forwards events to a program on this machine, as a webhook would send them, and prints what it
answered. The secret to verify them with is printed first, and is new in every run. Without --mint
they are the news of the chain, by default your alerts (MINTWIRE_KEY needs the scope webhooks); with
--mint the trades of those tokens. An event is sent once, whatever the program answers. It ends with
Ctrl-C, or after so many events.

${READ_HELP}`,
  flags: {
    to: { type: 'string' },
    chain: { type: 'string' },
    mint: { type: 'string' },
    events: { type: 'string' },
    count: { type: 'string' },
    ...READ_FLAGS,
  },
  args: ['listen'],
} as const;

const SECRET_BYTES = 32;
const TIMEOUT_MS = 15_000;
/** Parts of a stream that no webhook has. */
const LEFT_OUT: ReadonlySet<string> = new Set(['snapshot', 'kline', 'chain', 'coverage', 'token']);

function sign(secret: Buffer, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`);
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature.digest('base64')}`,
  };
}

/** What the program answered, for a person. */
async function deliver(to: string, headers: Record<string, string>, body: string): Promise<string> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
    const response = await fetch(to, init);
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message || cause.name : 'no answer';
  }
}

function createForward(to: string, secret: Buffer) {
  let cursor: string | null = null;
  return async ({ event, id, data }: ServerEvent): Promise<void> => {
    cursor = id ?? cursor;
    if (LEFT_OUT.has(event) || cursor === null) return;
    const type = event === 'revert' ? 'reverted' : event;
    const { timestamp: timeMs } = data as { readonly timestamp?: number };
    const timestamp = new Date(timeMs ?? Date.now()).toISOString();
    const body = JSON.stringify({
      ...{ type: 'events', timestamp, webhookId: 'listen', cursor },
      data: { events: [{ id: cursor, type, data }] },
    });
    const answer = await deliver(to, sign(secret, cursor, body), body);
    console.log(toTerminalLine(`${timestamp} ${type} ${cursor}: ${answer}`));
  };
}

export async function listenWebhooks(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  const { values, args } = command;
  const { to = '', chain, mint = '*' } = values;
  const fault =
    args[0] !== 'listen'
      ? `no command "${args[0]}" here; it takes listen`
      : !URL.canParse(to) || !/^https?:/.test(to)
        ? '--to must be the URL of your program, such as http://localhost:3000'
        : chain === undefined
          ? '--chain is required'
          : null;
  const eventsMax = values.count === undefined ? Number.POSITIVE_INFINITY : Number(values.count);
  if (fault !== null || !(eventsMax >= 1)) {
    refuseCommand(FORM, fault ?? '--count must be a number of events');
    return;
  }
  const events = values.events ?? (mint === '*' ? 'alert' : 'trade');
  const secret = randomBytes(SECRET_BYTES);
  await runRead(values, async ({ client }) => {
    console.log(`Signing with whsec_${secret.toString('base64')}`);
    const query = { ...(chain === undefined ? {} : { chain }), mint, events };
    await followEvents({ client, query, eventsMax, onEvent: createForward(to, secret) });
  });
}
