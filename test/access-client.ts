// A client of the access API: signs in, holds a session, manages keys.

import assert from 'node:assert/strict';
import type { TestWallet } from './wallets.ts';

export interface ClientAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { readonly code?: string };
}

export interface AccessClient {
  send(method: string, path: string, options?: SendOptions): Promise<ClientAnswer>;
  challenge(wallet: Pick<TestWallet, 'address' | 'chain'>): Promise<Challenge>;
  /** Signs in like a program and returns the token. */
  signIn(wallet: TestWallet): Promise<SignedIn>;
  /** Signs in like a browser on this page and returns the cookie. */
  /** Returns the cookie; the browser may have sent an older one. */
  signInByCookie(wallet: TestWallet, page: string, older?: string): Promise<string>;
  issueKey(token: string, name?: string): Promise<IssuedKey>;
}

export interface SendOptions {
  readonly body?: unknown;
  readonly bearer?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Challenge {
  readonly challengeId: string;
  readonly message: string;
  readonly expiresAt: number;
}

export interface SignedIn {
  readonly token: string;
  readonly walletId: string;
  readonly sessionId: string;
}

export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

export function createAccessClient(origin: string): AccessClient {
  async function send(
    method: string,
    path: string,
    options: SendOptions = {},
  ): Promise<ClientAnswer> {
    const { bearer, body } = options;
    const response = await fetch(`${origin}/v1${path}`, {
      method,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const parsed = isJson && text !== '' ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, body: parsed };
  }
  async function challenge({ address, chain }: Pick<TestWallet, 'address' | 'chain'>) {
    const answer = await send('POST', '/auth/challenge', { body: { address, chain } });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as unknown as Challenge;
  }
  async function signInByCookie(wallet: TestWallet, page: string, older?: string): Promise<string> {
    const { address, chain } = wallet;
    const headers = { origin: page, ...(older === undefined ? {} : { cookie: older }) };
    const opened = await send('POST', '/auth/challenge', { body: { address, chain }, headers });
    const { challengeId, message } = opened.body as unknown as Challenge;
    const signature = await wallet.sign(message);
    const body = { challengeId, signature, transport: 'cookie' };
    const answer = await send('POST', '/auth/verify', { body, headers });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  }
  return {
    send,
    challenge,
    signInByCookie,
    signIn: async (wallet) => {
      const { challengeId, message } = await challenge(wallet);
      const signature = await wallet.sign(message);
      const body = { challengeId, signature, transport: 'token' };
      const answer = await send('POST', '/auth/verify', { body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const signedIn = answer.body as unknown as {
        token: string;
        wallet: { id: string };
        session: { id: string };
      };
      const { token, wallet: owner, session } = signedIn;
      return { token, walletId: owner.id, sessionId: session.id };
    },
    issueKey: async (token, name = 'test') => {
      const answer = await send('POST', '/keys', { body: { name }, bearer: token });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body as unknown as IssuedKey;
    },
  };
}
