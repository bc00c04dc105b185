// A model of challenges and sessions that two nodes must follow.

import assert from 'node:assert/strict';
import type { SessionTransport } from '../../src/model/access-record.ts';
import { fc } from '../fast-check.ts';
import type { TestWallet } from '../wallets.ts';
import { type AccessNodes, readCode } from './access-nodes.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const FELT_AFTER_MS = 1000;

interface ChallengeState {
  readonly wallet: number;
  readonly expiresAtMs: number;
  used: boolean;
}

interface SessionState {
  readonly wallet: number;
  readonly transport: SessionTransport;
  readonly endsAtMs: number;
  lastUsedAtMs: number;
  ended: { readonly atMs: number; readonly node: number } | null;
}

export interface SessionModel {
  nowMs: number;
  readonly challenges: ChallengeState[];
  readonly sessions: SessionState[];
}

export interface SessionWorld {
  readonly nodes: AccessNodes;
  readonly wallets: readonly TestWallet[];
  readonly challenges: { readonly id: string; readonly message: string }[];
  readonly sessions: { readonly id: string; readonly token: string }[];
}

type SessionCommand = fc.AsyncCommand<SessionModel, SessionWorld>;

function isOpen(challenge: ChallengeState, nowMs: number): boolean {
  const { used, expiresAtMs } = challenge;
  return !used && nowMs < expiresAtMs;
}

function isLive(session: SessionState, nowMs: number): boolean {
  if (session.ended !== null) return false;
  return nowMs < Math.min(session.endsAtMs, session.lastUsedAtMs + DAY_MS);
}

class Open implements SessionCommand {
  readonly wallet: number;

  constructor(wallet: number) {
    this.wallet = wallet;
  }

  check = (model: Readonly<SessionModel>) =>
    model.challenges.filter((one) => isOpen(one, model.nowMs)).length < 20;

  async run(model: SessionModel, world: SessionWorld): Promise<void> {
    const { nodes, wallets, challenges } = world;
    const { address, chain } = wallets[this.wallet]!;
    const context = nodes.buildContext({ kind: 'anonymous', key: 'x' });
    const answer = (await nodes
      .at(this.wallet)
      .handlers.createChallenge({ address, chain }, context)) as {
      challengeId: string;
      message: string;
    };
    challenges.push({ id: answer.challengeId, message: answer.message });
    const expiresAtMs = model.nowMs + 5 * MINUTE_MS;
    model.challenges.push({ wallet: this.wallet, expiresAtMs, used: false });
  }

  toString = () => `Open(${this.wallet})`;
}

class Verify implements SessionCommand {
  readonly index: number;
  readonly signer: number;
  readonly transport: SessionTransport;

  constructor(index: number, signer: number, transport: SessionTransport) {
    this.index = index;
    this.signer = signer;
    this.transport = transport;
  }

  check = (model: Readonly<SessionModel>) => model.challenges.length > 0;

  async run(model: SessionModel, { nodes, wallets, challenges, sessions }: SessionWorld) {
    const at = this.index % model.challenges.length;
    const state = model.challenges[at]!;
    const { id, message } = challenges[at]!;
    const signature = await wallets[this.signer]!.sign(message);
    const input = { challengeId: id, signature, transport: this.transport };
    const context = nodes.buildContext({ kind: 'anonymous', key: 'x' });
    const { verifyChallenge } = nodes.at(this.index).handlers;
    const answer = await Promise.resolve(verifyChallenge(input, context)).catch(readCode);
    if (model.nowMs >= state.expiresAtMs) return assert.equal(answer, 'CHALLENGE_EXPIRED');
    if (this.signer !== state.wallet) return assert.equal(answer, 'INVALID_SIGNATURE');
    if (state.used) return assert.equal(answer, 'CHALLENGE_EXPIRED');
    state.used = true;
    const framed = answer as {
      body?: { session: { id: string } };
      session: { token?: string; id?: string };
      token?: string;
    };
    sessions.push({
      id: framed.body?.session.id ?? framed.session.id ?? '',
      token: framed.token ?? framed.session.token ?? '',
    });
    model.sessions.push({
      wallet: state.wallet,
      transport: this.transport,
      endsAtMs: model.nowMs + 30 * DAY_MS,
      lastUsedAtMs: model.nowMs,
      ended: null,
    });
  }

  toString = () => `Verify(${this.index}, signed by ${this.signer}, ${this.transport})`;
}

class UseSession implements SessionCommand {
  readonly index: number;
  readonly transport: SessionTransport;
  readonly node: number;

  constructor(index: number, transport: SessionTransport, node: number) {
    this.index = index;
    this.transport = transport;
    this.node = node;
  }

  check = (model: Readonly<SessionModel>) => model.sessions.length > 0;

  async run(model: SessionModel, { nodes, sessions }: SessionWorld): Promise<void> {
    const at = this.index % model.sessions.length;
    const state = model.sessions[at]!;
    const { id, token } = sessions[at]!;
    const shown = this.transport === 'cookie' ? { cookie: token } : { bearer: token };
    const used = await nodes.use(this.node, shown);
    const live = isLive(state, model.nowMs) && state.transport === this.transport;
    if (typeof used === 'string' || used.kind === 'anonymous') {
      if (typeof used === 'string') assert.equal(used, 'INVALID_SESSION');
      assert.ok(!live, 'a session that works was refused');
      return;
    }
    assert.ok(used.kind === 'session' && used.sessionId === id);
    assert.equal(state.transport, this.transport, 'a session came the other way');
    const { ended } = state;
    const unfelt =
      ended !== null && ended.node !== this.node && model.nowMs - ended.atMs < FELT_AFTER_MS;
    assert.ok(live || unfelt, 'a session that ended was accepted');
    if (live) state.lastUsedAtMs = model.nowMs;
  }

  toString = () => `UseSession(${this.index}, ${this.transport}, node ${this.node})`;
}

class End implements SessionCommand {
  readonly index: number;
  readonly everywhere: boolean;
  readonly node: number;

  constructor(index: number, everywhere: boolean, node: number) {
    this.index = index;
    this.everywhere = everywhere;
    this.node = node;
  }

  check = (model: Readonly<SessionModel>) => model.sessions.length > 0;

  async run(model: SessionModel, { nodes, sessions }: SessionWorld): Promise<void> {
    const at = this.index % model.sessions.length;
    const state = model.sessions[at]!;
    const { token } = sessions[at]!;
    const shown = state.transport === 'cookie' ? { cookie: token } : { bearer: token };
    if (!isLive(state, model.nowMs)) return;
    const identity = await nodes.use(this.node, shown);
    assert.ok(typeof identity !== 'string' && identity.kind === 'session');
    const { endSession, endAllSessions } = nodes.at(this.node).handlers;
    await (this.everywhere ? endAllSessions : endSession)({}, nodes.buildContext(identity));
    for (const one of this.everywhere ? model.sessions : [state]) {
      if (one.wallet !== state.wallet || one.ended !== null) continue;
      one.ended = { atMs: model.nowMs, node: this.node };
    }
  }

  toString = () => `End(${this.index}${this.everywhere ? ', everywhere' : ''}, node ${this.node})`;
}

class Advance implements SessionCommand {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  check = () => true;

  async run(model: SessionModel, { nodes }: SessionWorld): Promise<void> {
    await nodes.advance(this.ms);
    model.nowMs += this.ms;
  }

  toString = () => `Advance(${this.ms} ms)`;
}

const two = fc.nat(1);
const index = fc.nat(30);
const transport = fc.constantFrom<SessionTransport>('cookie', 'token');
const TIMES_MS = [1, 700, 1000, 2 * MINUTE_MS, 5 * MINUTE_MS, DAY_MS - 1, DAY_MS, 29 * DAY_MS];

export const sessionCommands = fc.commands<SessionModel, SessionWorld, false>(
  [
    two.map((w) => new Open(w)),
    fc.tuple(index, two, transport).map(([i, s, t]) => new Verify(i, s, t)),
    fc.tuple(index, two, transport).map(([i, s, t]) => new Verify(i, s, t)),
    fc.tuple(index, transport, two).map(([i, t, n]) => new UseSession(i, t, n)),
    fc.tuple(index, transport, two).map(([i, t, n]) => new UseSession(i, t, n)),
    fc.tuple(index, fc.boolean(), two).map(([i, e, n]) => new End(i, e, n)),
    fc.constantFrom(...TIMES_MS).map((ms) => new Advance(ms)),
  ] as fc.Arbitrary<SessionCommand>[],
  { maxCommands: 80, size: 'max' },
);
