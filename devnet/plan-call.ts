// Decides for each RPC call who answers it: the node, the archive, or the devnet itself.

import { answerFromArchive, findLogs } from './archive-answers.ts';
import type { ArchiveKeeper } from './archive-keeper.ts';
import type { BlockArchive } from './block-archive.ts';
import type { BlockClock } from './block-clock.ts';
import { toHexQuantity } from './block-writer.ts';
import type { ChangeGate } from './change-gate.ts';
import { DevnetRpcError, type JsonRpc } from './json-rpc.ts';
import type { NodeMemory } from './node-memory.ts';
import type { NodeRoller } from './node-roller.ts';
import { isSetting } from './node-settings.ts';
import { planPast } from './past-node.ts';
import { isAllowed, MINES_MANY, REWRITES, SETS_INTERVAL } from './rpc-methods.ts';

export interface FrontParts {
  readonly rpc: JsonRpc;
  readonly gate: ChangeGate;
  readonly archive: BlockArchive;
  readonly keeper: ArchiveKeeper;
  readonly clock: BlockClock;
  readonly memory: NodeMemory;
  readonly roller: Pick<NodeRoller, 'past' | 'afterBlocks' | 'beforeRollback' | 'forgetPast'>;
}

export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const INTERNAL_ERROR = -32_603;
const METHOD_NOT_FOUND = -32_601;
const INVALID_REQUEST = -32_600;
const PARSE_ERROR = -32_700;

function parseCall(value: unknown): Call | null {
  if (typeof value !== 'object' || value === null) return null;
  const { id = null, method, params = [] } = value as Record<string, unknown>;
  return typeof method === 'string' && Array.isArray(params) ? { id, method, params } : null;
}

export type ParsedCalls =
  | { readonly kind: 'calls'; readonly calls: readonly Call[]; readonly isBatch: boolean }
  | { readonly kind: 'not JSON' | 'not calls'; readonly failure: unknown };

export function parseCalls(text: string): ParsedCalls {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'not JSON', failure: buildFailure(PARSE_ERROR, 'Parse error') };
  }
  const list = Array.isArray(value) ? value.map(parseCall) : [parseCall(value)];
  const calls = list.filter((call) => call !== null);
  if (calls.length === list.length && calls.length > 0) {
    return { kind: 'calls', calls, isBatch: Array.isArray(value) };
  }
  return { kind: 'not calls', failure: buildFailure(INVALID_REQUEST, 'Invalid request') };
}

export function buildFailure(code: number, message: string) {
  return { jsonrpc: '2.0', id: null, error: { code, message } };
}

export function buildInternalFailure(message: string) {
  return buildFailure(INTERNAL_ERROR, message);
}

/** What the node is asked for a call, or what is done here instead. */
type Plan = { readonly kind: 'node' } | { readonly kind: 'own'; run(): Promise<unknown> };

const LEFT_TO_NODE: Plan = { kind: 'node' };

/** Mines in pieces between which the archive catches up, so that no transaction is lost. */
async function mineMany(parts: FrontParts, call: Call): Promise<unknown> {
  const { rpc, keeper, roller } = parts;
  const [count = 1, ...rest] = call.params;
  const atOnce = keeper.blocksAtOnceMax;
  let left = Number(count);
  while (left > atOnce) {
    await rpc.call(call.method, toHexQuantity(atOnce), ...rest);
    left -= atOnce;
    await keeper.keepUp();
    await roller.afterBlocks();
  }
  return rpc.call(call.method, Number.isFinite(left) ? toHexQuantity(left) : count, ...rest);
}

async function runRewrite(parts: FrontParts, call: Call): Promise<unknown> {
  const { rpc, memory, roller } = parts;
  const { method, params } = call;
  if (MINES_MANY.has(method)) return mineMany(parts, call);
  if (memory.snapshots.handles(method)) return memory.snapshots.run(rpc, call);
  if (/_(reorg|rollback)$/.test(method)) await roller.beforeRollback(Number(params[0] ?? 1));
  if (/_(reset|loadState)$/.test(method)) await roller.forgetPast();
  return rpc.call(method, ...params);
}

function rewrite(parts: FrontParts, call: Call): Promise<unknown> {
  const { keeper, clock, roller } = parts;
  return clock.exclusively(async () => {
    await keeper.keepUp();
    const answer = await runRewrite(parts, call);
    await keeper.follow();
    await roller.afterBlocks();
    return answer;
  });
}

async function setIntervalMining({ rpc, clock }: FrontParts, call: Call): Promise<null> {
  const seconds = Number(call.params[0]);
  // The node's own interval mining is always off: the clock mines instead.
  await rpc.call('evm_setIntervalMining', 0);
  await clock.setInterval(Number.isFinite(seconds) ? seconds * 1_000 : 0);
  return null;
}

async function setUp({ rpc, memory }: FrontParts, call: Call): Promise<unknown> {
  const answer = await rpc.call(call.method, ...call.params);
  memory.settings.note(call);
  return answer;
}

/** Null if the archive has none of the blocks. */
function planLogs({ rpc, archive }: FrontParts, filter: unknown): Plan | null {
  const found = findLogs(archive, filter);
  if (found === null) return null;
  const { logs, restFilter } = found;
  return {
    kind: 'own',
    run: async () =>
      restFilter === null ? logs : [...logs, ...(await rpc.call<[]>('eth_getLogs', restFilter))],
  };
}

/** As a node answers what it does not have: what mines by itself would be a second hand here. */
async function refuse(method: string): Promise<never> {
  const message = `the devnet does not take ${method}; it mines by itself, see evm_mine and evm_setIntervalMining`;
  throw new DevnetRpcError(method, { code: METHOD_NOT_FOUND, message });
}

/** Null if the call is not about a filter that was made here. */
function planFilter(parts: FrontParts, call: Call): Plan | null {
  const { rpc, memory } = parts;
  if (memory.filters.handles(call.method)) {
    return { kind: 'own', run: () => memory.filters.run(rpc, call) };
  }
  if (call.method !== 'eth_getFilterLogs') return null;
  const filter = memory.filters.findLogFilter(call.params[0]);
  if (filter === undefined) return null;
  return planLogs(parts, filter) ?? { kind: 'own', run: () => rpc.call('eth_getLogs', filter) };
}

function plan(parts: FrontParts, call: Call): Plan {
  const { method, params } = call;
  const { rpc, archive, clock, roller } = parts;
  if (!isAllowed(method)) return { kind: 'own', run: () => refuse(method) };
  if (method === 'eth_getLogs') return planLogs(parts, params[0]) ?? LEFT_TO_NODE;
  if (REWRITES.has(method)) return { kind: 'own', run: () => rewrite(parts, call) };
  if (SETS_INTERVAL.has(method)) return { kind: 'own', run: () => setIntervalMining(parts, call) };
  if (isSetting(method)) return { kind: 'own', run: () => setUp(parts, call) };
  if (method === 'anvil_getIntervalMining') {
    return { kind: 'own', run: async () => clock.intervalMs / 1_000 || null };
  }
  const ofFilter = planFilter(parts, call);
  if (ofFilter !== null) return ofFilter;
  const ofPast = roller.past === null ? null : planPast(roller.past, rpc, call);
  if (ofPast !== null) return { kind: 'own', run: ofPast };
  const archived = answerFromArchive(archive, call);
  return archived === undefined ? LEFT_TO_NODE : { kind: 'own', run: async () => archived };
}

async function buildReply(id: unknown, run: () => Promise<unknown>): Promise<unknown> {
  try {
    return { jsonrpc: '2.0', id, result: await run() };
  } catch (error) {
    const failure =
      error instanceof DevnetRpcError
        ? error.failure
        : { code: INTERNAL_ERROR, message: String(error) };
    return { jsonrpc: '2.0', id, error: failure };
  }
}

/** In pieces, because each may add a block per call if the node mines at once. */
async function askNode(parts: FrontParts, calls: readonly Call[]): Promise<Map<Call, unknown>> {
  const replies = new Map<Call, unknown>();
  const atOnce = parts.keeper.blocksAtOnceMax;
  for (let at = 0; at < calls.length; at += atOnce) {
    const piece = calls.slice(at, at + atOnce);
    if (at > 0) await parts.keeper.keepUp();
    const nodeReplies = await parts.rpc.ask(piece);
    for (const [index, call] of piece.entries()) {
      replies.set(call, { ...nodeReplies[index], jsonrpc: '2.0', id: call.id });
    }
  }
  return replies;
}

/** What a connection handles itself; undefined for any other call. */
export type OwnCalls = (call: Call) => (() => Promise<unknown>) | undefined;

interface PlannedCall {
  readonly call: Call;
  readonly plan: Plan;
}

export function planCalls(
  parts: FrontParts,
  calls: readonly Call[],
  ownCalls: OwnCalls = () => undefined,
): readonly PlannedCall[] {
  return calls.map((call) => {
    const run = ownCalls(call);
    return { call, plan: run === undefined ? plan(parts, call) : { kind: 'own', run } };
  });
}

/** Whether the request can be forwarded unchanged. */
export function isLeftToNode(parts: FrontParts, planned: readonly PlannedCall[]): boolean {
  return (
    planned.length <= parts.keeper.blocksAtOnceMax &&
    planned.every((one) => one.plan.kind === 'node')
  );
}

export async function answerCalls(
  parts: FrontParts,
  planned: readonly PlannedCall[],
): Promise<unknown[]> {
  const left = planned.flatMap((one) => (one.plan.kind === 'node' ? [one.call] : []));
  const [nodeReplies, ...answers] = await Promise.all([
    askNode(parts, left),
    ...planned.map(({ call, plan }) =>
      plan.kind === 'own' ? buildReply(call.id, () => plan.run()) : null,
    ),
  ]);
  return planned.map((one, index) => answers[index] ?? nodeReplies.get(one.call));
}
