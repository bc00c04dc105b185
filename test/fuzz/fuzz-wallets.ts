// Wallets with real sessions, cookies and keys of the service, renewed as needed.

import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Json } from '../market-scene.ts';
import { createSolanaWallet, type TestWallet } from '../wallets.ts';
import type { Dice } from './dice.ts';
import type { FuzzAnswer } from './send-request.ts';

/** Sends a valid request from a new address; throws if it is rejected. */
export type AskService = (
  method: string,
  path: string,
  options: { readonly body?: Json; readonly headers?: Readonly<Record<string, string>> },
) => Promise<{ readonly headers: FuzzAnswer['headers']; readonly json: Json }>;

/** The service rejected the fuzzer's own request. */
export class AskRefused extends Error {
  override readonly name = 'AskRefused';
  readonly status: number;

  constructor(what: string, answer: FuzzAnswer) {
    super(`${what}: ${answer.status} ${answer.body.toString('utf8')}`);
    this.status = answer.status;
  }
}

export interface OpenChallenge {
  readonly challengeId: string;
  readonly message: string;
  readonly wallet: TestWallet;
}

type SecretKind = 'token' | 'cookie' | 'key';

const KEPT_DEAD_MAX = 40;
const OPEN_CHALLENGES_MAX = 50;

function createWallet(index: number): TestWallet {
  if (index % 4 === 3) return createSolanaWallet();
  const account = privateKeyToAccount(generatePrivateKey());
  return {
    address: account.address,
    chain: index % 2 === 0 ? 'devnet' : 'base',
    sign: (message) => account.signMessage({ message }),
  };
}

export class FuzzWallets {
  readonly #ask: AskService;
  readonly #page: string;
  readonly #wallets: TestWallet[];
  readonly #live = { token: new Set<string>(), cookie: new Set<string>(), key: new Set<string>() };
  readonly #dead = { token: new Set<string>(), cookie: new Set<string>(), key: new Set<string>() };
  readonly #challenges: OpenChallenge[] = [];
  #isRefilling = false;

  constructor(options: {
    readonly ask: AskService;
    readonly page: string;
    readonly count: number;
  }) {
    this.#ask = options.ask;
    this.#page = options.page;
    this.#wallets = Array.from({ length: options.count }, (_, index) => createWallet(index));
  }

  get addresses(): readonly string[] {
    return this.#wallets.map(({ address }) => address);
  }

  list(kind: SecretKind, state: 'live' | 'dead'): readonly string[] {
    return [...(state === 'live' ? this.#live : this.#dead)[kind]];
  }

  /** One session of each transport and a key for every wallet. */
  async begin(): Promise<void> {
    for (const wallet of this.#wallets) {
      await this.#signIn(wallet, 'token');
      await this.#signIn(wallet, 'cookie');
    }
    // A credential that has already ended.
    const [token = ''] = this.list('token', 'live');
    const headers = { authorization: `Bearer ${token}` };
    const { json } = await this.#ask('POST', '/keys', { body: { name: 'revoked' }, headers });
    await this.#ask('DELETE', `/keys?id=${json.id}`, { headers });
    this.#dead.key.add(json.key);
    await this.#ask('DELETE', '/auth/session', { headers });
    this.#bury('token', token);
  }

  async #signIn(wallet: TestWallet, transport: 'token' | 'cookie'): Promise<void> {
    const { address, chain } = wallet;
    const headers = { origin: this.#page };
    const opened = await this.#ask('POST', '/auth/challenge', {
      body: { address, chain },
      headers,
    });
    const { challengeId, message } = opened.json;
    const body = { challengeId, signature: await wallet.sign(message), transport };
    const answer = await this.#ask('POST', '/auth/verify', { body, headers });
    if (transport === 'cookie') {
      this.#live.cookie.add(String(answer.headers['set-cookie']?.[0]).split(';', 1)[0] ?? '');
      return;
    }
    const { token } = answer.json;
    this.#live.token.add(token);
    const bearer = { authorization: `Bearer ${token}` };
    const { json } = await this.#ask('GET', '/keys', { headers: bearer });
    if (json.active >= json.limit) return;
    const issued = await this.#ask('POST', '/keys', { body: { name: 'fuzz' }, headers: bearer });
    this.#live.key.add(issued.json.key);
  }

  #bury(kind: SecretKind, secret: string): void {
    if (!this.#live[kind].delete(secret)) return;
    const dead = this.#dead[kind];
    dead.add(secret);
    const [oldest] = dead;
    if (dead.size > KEPT_DEAD_MAX && oldest !== undefined) dead.delete(oldest);
  }

  /** A credential was rejected: it has ended, and is replaced. */
  noteRefusal(secret: string): void {
    for (const kind of ['token', 'cookie', 'key'] as const) this.#bury(kind, secret);
  }

  noteChallenge(challenge: { readonly challengeId: string; readonly message: string }): void {
    const wallet = this.#wallets.find(({ address }) => challenge.message.includes(address));
    if (wallet === undefined) return;
    this.#challenges.push({ ...challenge, wallet });
    if (this.#challenges.length > OPEN_CHALLENGES_MAX) this.#challenges.shift();
  }

  takeChallenge(dice: Dice): OpenChallenge | undefined {
    const index = dice.below(this.#challenges.length);
    // Most are used up, some are kept for a second signature.
    return dice.chance(0.8) ? this.#challenges.splice(index, 1)[0] : this.#challenges[index];
  }

  /** Signs in if too many sessions have ended. */
  async refill(): Promise<void> {
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    try {
      await this.#refill();
    } catch (error) {
      // Concurrent requests may end the new session, or use up its keys.
      if (!(error instanceof AskRefused && [401, 409, 429].includes(error.status))) throw error;
    } finally {
      this.#isRefilling = false;
    }
  }

  /** With new wallets: the earlier ones have used up their challenges and keys. */
  async #refill(): Promise<void> {
    const least = Math.ceil(this.#wallets.length / 2);
    for (const index of this.#wallets.keys()) {
      const isShort = this.#live.token.size < least || this.#live.key.size < least;
      if (!isShort && this.#live.cookie.size >= least) return;
      const wallet = createWallet(index);
      this.#wallets[index] = wallet;
      if (isShort) await this.#signIn(wallet, 'token');
      if (this.#live.cookie.size < least) await this.#signIn(wallet, 'cookie');
    }
  }
}
