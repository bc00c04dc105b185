// Parses an HTTP reply into one outcome per call, or into one error for all.

import type { HttpReply } from './http-post.ts';
import type { NodeError, RpcDialect } from './rpc-dialect.ts';
import { isRpcError, RpcError } from './rpc-error.ts';

export type RpcOutcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RpcError };

/** The endpoint refuses a batch of this size, or any batch. */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused';
  /** Whether the endpoint says so; otherwise it may have failed for another reason. */
  readonly isSure: boolean;

  constructor(message: string) {
    super(message);
    this.isSure = SURE_BATCH_WORDING.test(message);
  }
}

interface ReplyContext extends Pick<RpcDialect, 'classifyError'> {
  readonly name: string;
  readonly firstId: number;
  /** Of each call, in order. */
  readonly methods: readonly string[];
  redact(text: string): string;
}

/** Codes and statuses with which nodes without batch support refuse a list. */
const NOT_UNDERSTOOD = [-32600, -32700, 400, 413];

const SURE_BATCH_WORDING = /\bbatch|array of requests|too many (?:calls|rpc)/i;
const BATCH_WORDING = /batch|array of requests|too many (?:calls|rpc)|invalid (?:json )?request/i;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without a usable body only the HTTP status can be classified. */
function buildStatusError(reply: HttpReply, context: ReplyContext): RpcError {
  const { name: endpoint } = context;
  const message = `${endpoint}: HTTP status ${reply.status}`;
  const details = { endpoint, retryAfterMs: reply.retryAfterMs };
  if (reply.status === 429) return new RpcError('rateLimited', message, details);
  if (reply.status === 200) {
    return new RpcError('invalidReply', `${endpoint}: reply is not JSON-RPC`, details);
  }
  if (reply.status === 413) return new RpcError('replyTooLarge', message, details);
  const denied = [401, 402, 403, 404, 405].includes(reply.status);
  // 408 and 504 are what a gateway says of a node that takes too long.
  return new RpcError(denied ? 'denied' : 'network', message, { ...details, ambiguous: !denied });
}

function parseNodeError(
  value: unknown,
  reply: HttpReply,
  context: ReplyContext & { readonly method: string | null },
): NodeError {
  const error = isObject(value) ? value : { message: String(value) };
  const { code, message, data } = error as Record<string, unknown>;
  return {
    code: typeof code === 'number' ? code : null,
    message: context.redact(typeof message === 'string' ? message : 'error without a message'),
    data: typeof data === 'string' ? data : null,
    method: context.method,
    endpoint: context.name,
    retryAfterMs: reply.retryAfterMs,
  };
}

function parseOutcome(
  item: unknown,
  reply: HttpReply,
  context: ReplyContext & { readonly method: string | null },
): RpcOutcome {
  if (isObject(item)) {
    if (item['error'] !== undefined && item['error'] !== null) {
      const nodeError = parseNodeError(item['error'], reply, context);
      const error =
        reply.status === 429
          ? new RpcError('rateLimited', `${context.name}: ${nodeError.message}`, nodeError)
          : context.classifyError(nodeError);
      return { ok: false, error };
    }
    if (item['result'] !== undefined) return { ok: true, result: item['result'] };
  }
  return { ok: false, error: buildStatusError(reply, context) };
}

function parseSingle(body: unknown, reply: HttpReply, context: ReplyContext): RpcOutcome {
  const item = Array.isArray(body) && body.length === 1 ? body[0] : body;
  const outcome = parseOutcome(item, reply, { ...context, method: context.methods[0] ?? null });
  if (outcome.ok && isObject(item) && item['id'] !== context.firstId) {
    const message = `${context.name}: reply to another request`;
    return { ok: false, error: new RpcError('invalidReply', message, { endpoint: context.name }) };
  }
  return outcome;
}

function parseBatch(body: unknown, reply: HttpReply, context: ReplyContext): RpcOutcome[] {
  if (!Array.isArray(body)) {
    const outcome = parseOutcome(body, reply, { ...context, method: null });
    if (!outcome.ok && isRpcError(outcome.error, 'rateLimited')) {
      // In either sense of a vague limit fewer calls are right.
      const { message, retryAfterMs } = outcome.error;
      throw new RpcError('rateLimited', message, { endpoint: context.name, retryAfterMs });
    }
    const error = outcome.ok ? buildStatusError(reply, context) : outcome.error;
    const refused =
      BATCH_WORDING.test(error.message) ||
      NOT_UNDERSTOOD.includes(error.code ?? 0) ||
      NOT_UNDERSTOOD.includes(reply.status);
    // Anything else, such as an internal error, says nothing about batches.
    throw refused ? new BatchRefused(error.message) : error;
  }
  const count = context.methods.length;
  const outcomes = new Array<RpcOutcome | undefined>(count).fill(undefined);
  for (const item of body) {
    const index = isObject(item) ? Number(item['id']) - context.firstId : Number.NaN;
    if (Number.isInteger(index) && index >= 0 && index < count) {
      const method = context.methods[index] ?? null;
      outcomes[index] = parseOutcome(item, reply, { ...context, method });
    } else if (isObject(item) && isObject(item['error'])) {
      const { message } = parseNodeError(item['error'], reply, { ...context, method: null });
      if (BATCH_WORDING.test(message)) throw new BatchRefused(message);
    }
  }
  return outcomes.map((outcome) => {
    if (outcome === undefined) {
      throw new RpcError('invalidReply', `${context.name}: batch reply is incomplete`, {
        endpoint: context.name,
      });
    }
    const refused = !outcome.ok && /\bbatch/i.test(outcome.error.message);
    if (refused) throw new BatchRefused(outcome.error.message);
    return outcome;
  });
}

/** Undefined if it is no JSON. */
function parseBody({ body }: HttpReply): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** One outcome per call; throws if the reply is an error as a whole. */
export function parseRpcReply(reply: HttpReply, context: ReplyContext): RpcOutcome[] {
  const body = parseBody(reply);
  return context.methods.length === 1
    ? [parseSingle(body, reply, context)]
    : parseBatch(body, reply, context);
}
