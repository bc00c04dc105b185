// Runs each operation's documented example, with the values that only a running service has.

import assert from 'node:assert/strict';
import { splitExample } from '../src/contract/docs-page.ts';
import { hasBody, isOwned, type Operation } from '../src/contract/operation.ts';
import { type DocsScene, READER } from './docs-scene.ts';
import { createEvmWallet } from './wallets.ts';

interface Request {
  readonly input: Readonly<Record<string, unknown>>;
  readonly token?: string;
}

async function createWebhook({ client, token, env }: DocsScene): Promise<Request> {
  const body = {
    ...{ url: 'https://example.com/hook', events: ['trade'] },
    tokens: [{ chain: 'devnet', mint: env['MINT'] }],
  };
  const created = await client.send('POST', '/webhooks', { body, bearer: token });
  return { input: { id: created.body['webhookId'] }, token };
}

async function createAlert({ client, token, env }: DocsScene): Promise<Request> {
  const body = { chain: 'devnet', mint: env['MINT'], when: { priceUsd: { above: '1.5' } } };
  const created = await client.send('POST', '/alerts', { body, bearer: token });
  return { input: { id: created.body['alertId'] }, token };
}

/** Ids, signatures and sessions are used up, so each example gets its own. */
const REAL: Readonly<
  Record<string, (scene: DocsScene, input: Request['input']) => Promise<Request>>
> = {
  verifyChallenge: async ({ client }, input) => {
    const { challengeId, message } = await client.challenge(READER);
    return { input: { ...input, challengeId, signature: await READER.sign(message) } };
  },
  revokeKey: async ({ client, token }) => {
    const { id } = await client.issueKey(token, 'prices backend');
    return { input: { id }, token };
  },
  getAlerts: async (scene, input) => ({ ...(await createAlert(scene)), input }),
  deleteAlert: createAlert,
  createWebhook: async ({ env, token }, input) => ({
    input: { ...input, tokens: [{ chain: 'devnet', mint: env['MINT'] }] },
    token,
  }),
  getWebhook: createWebhook,
  updateWebhook: async (scene, input) => {
    const { id } = (await createWebhook(scene)).input;
    return { input: { ...input, id }, token: scene.token };
  },
  deleteWebhook: createWebhook,
  rotateWebhook: createWebhook,
  testWebhook: createWebhook,
  getWebhookDeliveries: async (scene, input) => {
    const made = await createWebhook(scene);
    await scene.client.send('POST', `/webhooks/${made.input['id']}/test`, {
      ...{ body: {}, bearer: scene.token },
    });
    return { ...made, input: { ...input, ...made.input } };
  },
  replayWebhook: async (scene, input) => {
    const made = await createWebhook(scene);
    return { ...made, input: { ...input, ...made.input } };
  },
  endSession: async ({ client }, input) => ({
    input,
    token: (await client.signIn(READER)).token,
  }),
  endAllSessions: async ({ client }, input) => ({
    input,
    token: (await client.signIn(createEvmWallet())).token,
  }),
  getTrade: async ({ env }) => ({ input: { id: `devnet:${env['TX_HASH']}:0` } }),
  getTradeStatus: async ({ env }, input) => ({ input: { ...input, txHash: env['TX_HASH'] } }),
};

function toQuery(input: Request['input']): string {
  const pairs = Object.entries(input).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Reads a stream until the event of the example arrives. */
async function readEvent(response: Response, name: string): Promise<unknown> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(reader);
  let text = '';
  try {
    for (;;) {
      const event = new RegExp(`event: ${name}\\n(?:id: .*\\n)?data: (.*)\\n`).exec(text)?.[1];
      if (event !== undefined) return { [name]: JSON.parse(event) };
      const { value, done } = await reader.read();
      assert.ok(!done, `the stream ended without ${name}: ${text}`);
      text += value;
    }
  } finally {
    await reader.cancel();
  }
}

/** The real response to an operation's example. */
export async function askExample(operation: Operation, scene: DocsScene): Promise<unknown> {
  const { access, example, id, method, mediaType } = operation;
  const session = isOwned({ access }) ? { token: scene.token } : {};
  const real = REAL[id];
  const made = real ? await real(scene, example.input) : { input: example.input };
  const { input, token }: Request = { ...session, ...made };
  const { path, rest } = splitExample({ path: operation.path, example: { input, answer: null } });
  const isPost = hasBody(operation);
  const response = await fetch(`${scene.origin}/v1${path}${isPost ? '' : toQuery(rest)}`, {
    method,
    headers: {
      ...(isPost ? { 'content-type': 'application/json' } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(isPost ? { body: JSON.stringify(rest) } : {}),
    signal: AbortSignal.timeout(30_000),
  });
  if (mediaType === 'text/event-stream') {
    const [name = ''] = Object.keys(example.answer as object);
    return readEvent(response, name);
  }
  const text = await response.text();
  assert.equal(response.status, operation.status, text.slice(0, 500));
  return mediaType === 'application/json' ? JSON.parse(text) : text;
}
