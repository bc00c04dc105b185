// A model of keys (issue, use, expire, revoke) that two nodes must follow.

import assert from 'node:assert/strict';
import type { SessionIdentity } from '../../src/contract/identity.ts';
import { fc } from '../fast-check.ts';
import { type AccessNodes, readCode } from './access-nodes.ts';

const DAY_MS = 86_400_000;
/** How long a revocation may take to reach the other node. */
const FELT_AFTER_MS = 1000;

interface KeyState {
  readonly wallet: number;
  readonly expiresAtMs: number;
  revoked: { readonly atMs: number; readonly node: number } | null;
  uses: number;
}

export interface KeyModel {
  nowMs: number;
  readonly keys: KeyState[];
}

export interface KeyWorld {
  readonly nodes: AccessNodes;
  readonly wallets: readonly SessionIdentity[];
  readonly keys: { readonly id: string; readonly token: string }[];
}

type KeyCommand = fc.AsyncCommand<KeyModel, KeyWorld>;

function isActive(key: KeyState, nowMs: number): boolean {
  return key.revoked === null && nowMs < key.expiresAtMs;
}

function countActive(model: KeyModel, wallet: number): number {
  return model.keys.filter((key) => key.wallet === wallet && isActive(key, model.nowMs)).length;
}

class Issue implements KeyCommand {
  readonly wallet: number;
  readonly days: number | null;

  constructor(wallet: number, days: number | null) {
    this.wallet = wallet;
    this.days = days;
  }

  check = () => true;

  async run(model: KeyModel, { nodes, wallets, keys }: KeyWorld): Promise<void> {
    const context = nodes.buildContext(wallets[this.wallet]!);
    const input = { name: 'model', ...(this.days === null ? {} : { expiresInDays: this.days }) };
    const { createKey } = nodes.at(this.wallet).handlers;
    const answer = await Promise.resolve(createKey(input, context)).catch(readCode);
    if (countActive(model, this.wallet) >= 10) {
      assert.equal(answer, 'KEY_LIMIT_REACHED');
      return;
    }
    const { id, key } = answer as { id: string; key: string };
    keys.push({ id, token: key });
    const expiresAtMs = this.days === null ? Infinity : model.nowMs + this.days * DAY_MS;
    model.keys.push({ wallet: this.wallet, expiresAtMs, revoked: null, uses: 0 });
  }

  toString = () => `Issue(${this.wallet}, ${this.days})`;
}

class Use implements KeyCommand {
  readonly index: number;
  readonly node: number;

  constructor(index: number, node: number) {
    this.index = index;
    this.node = node;
  }

  check = (model: Readonly<KeyModel>) => model.keys.length > 0;

  async run(model: KeyModel, world: KeyWorld): Promise<void> {
    const at = this.index % model.keys.length;
    const state = model.keys[at]!;
    const { token, id } = world.keys[at]!;
    const used = await world.nodes.use(this.node, { bearer: token });
    const { revoked } = state;
    const unfelt =
      revoked !== null &&
      revoked.node !== this.node &&
      model.nowMs - revoked.atMs < FELT_AFTER_MS &&
      model.nowMs < state.expiresAtMs;
    if (typeof used === 'string') {
      assert.equal(used, 'INVALID_API_KEY');
      assert.ok(!isActive(state, model.nowMs), 'a key that works was refused');
      return;
    }
    assert.ok(isActive(state, model.nowMs) || unfelt, 'a key that ended was accepted');
    assert.ok(used.kind === 'key' && used.keyId === id);
    assert.equal(used.key, world.wallets[state.wallet]!.wallet.id);
    state.uses += 1;
  }

  toString = () => `Use(${this.index}, node ${this.node})`;
}

class Revoke implements KeyCommand {
  readonly index: number;
  readonly wallet: number;
  readonly node: number;

  constructor(index: number, wallet: number, node: number) {
    this.index = index;
    this.wallet = wallet;
    this.node = node;
  }

  check = (model: Readonly<KeyModel>) => model.keys.length > 0;

  async run(model: KeyModel, { nodes, wallets, keys }: KeyWorld): Promise<void> {
    const at = this.index % model.keys.length;
    const state = model.keys[at]!;
    const context = nodes.buildContext(wallets[this.wallet]!);
    const { revokeKey } = nodes.at(this.node).handlers;
    const answer = await Promise.resolve(revokeKey({ id: keys[at]!.id }, context)).catch(readCode);
    if (state.wallet !== this.wallet) assert.equal(answer, 'KEY_NOT_FOUND');
    else if (state.revoked !== null) assert.equal(answer, 'KEY_ALREADY_REVOKED');
    else {
      assert.equal((answer as { status: string }).status, 'revoked');
      state.revoked = { atMs: model.nowMs, node: this.node };
    }
  }

  toString = () => `Revoke(${this.index}, by ${this.wallet}, node ${this.node})`;
}

class List implements KeyCommand {
  readonly wallet: number;

  constructor(wallet: number) {
    this.wallet = wallet;
  }

  check = () => true;

  async run(model: KeyModel, { nodes, wallets, keys }: KeyWorld): Promise<void> {
    await nodes.settle();
    const context = nodes.buildContext(wallets[this.wallet]!);
    const { getKeys } = nodes.at(0).handlers;
    const answer = (await getKeys({ limit: 100 }, context)) as {
      active: number;
      keys: { id: string; status: string; requests24h: number }[];
    };
    assert.equal(answer.active, countActive(model, this.wallet));
    const listed = new Map(answer.keys.map((key) => [key.id, key]));
    const own = model.keys.filter((key) => key.wallet === this.wallet);
    assert.equal(listed.size, own.length);
    for (const [at, state] of model.keys.entries()) {
      if (state.wallet !== this.wallet) continue;
      const key = listed.get(keys[at]!.id)!;
      const ended = state.revoked === null ? 'expired' : 'revoked';
      assert.equal(key.status, isActive(state, model.nowMs) ? 'active' : ended);
      assert.ok(key.requests24h <= state.uses);
      assert.ok(!JSON.stringify(key).includes(keys[at]!.token));
    }
  }

  toString = () => `List(${this.wallet})`;
}

class Advance implements KeyCommand {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  check = () => true;

  async run(model: KeyModel, { nodes }: KeyWorld): Promise<void> {
    await nodes.advance(this.ms);
    model.nowMs += this.ms;
  }

  toString = () => `Advance(${this.ms} ms)`;
}

const wallet = fc.nat(1);
const node = fc.nat(1);
const index = fc.nat(30);

export const keyCommands = fc.commands<KeyModel, KeyWorld, false>(
  [
    fc.tuple(wallet, fc.option(fc.integer({ min: 1, max: 2 }))).map(([w, d]) => new Issue(w, d)),
    fc.tuple(index, node).map(([i, n]) => new Use(i, n)),
    fc.tuple(index, node).map(([i, n]) => new Use(i, n)),
    fc.tuple(index, wallet, node).map(([i, w, n]) => new Revoke(i, w, n)),
    wallet.map((w) => new List(w)),
    fc.constantFrom(1, 300, 700, 1000, 3_600_000, DAY_MS - 1, DAY_MS).map((ms) => new Advance(ms)),
  ] as fc.Arbitrary<KeyCommand>[],
  { maxCommands: 80, size: 'max' },
);
