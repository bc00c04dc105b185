// The parts of the Model Context Protocol that a stateless HTTP server needs.

import type { Static } from 'typebox';
import type { Operation } from '../contract/operation.ts';
import type { toolErrorSchema } from '../contract/schemas/problem-schema.ts';
import type { AppError } from '../errors/app-error.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../errors/catalogue.ts';

// Errors for a model: what happened, and what to do about it with the available tools.

export type ToolError = Static<typeof toolErrorSchema>;

type ToToolError = (error: AppError, requestId: string) => ToolError;

/** The catalogue names routes; if a route has a tool, the tool is named instead. */
export function createToolErrorBuilder(operations: readonly Operation[]): ToToolError {
  const tools = operations.flatMap(({ mcp, method, path }) =>
    mcp === null ? [] : [[`${method} /v1${path}`, mcp.tool] as const],
  );
  const writeHelp = (code: ErrorCode): string => {
    const text = tools.reduce<string>(
      (help, [route, tool]) => help.replaceAll(`\`${route}\``, `the tool \`${tool}\``),
      ERROR_CATALOGUE[code].help,
    );
    return text.slice(0, 1).toUpperCase() + text.slice(1);
  };
  return (error, requestId) => ({
    code: error.code,
    message: error.message,
    whatToDo: writeHelp(error.code),
    ...(error.errors === undefined ? {} : { errors: [...error.errors] }),
    ...(error.retryAfterSeconds === undefined
      ? {}
      : { retryAfterSeconds: error.retryAfterSeconds }),
    requestId,
  });
}

/** The revision without a handshake: every request names its client and revision. */
export const STATELESS_REVISION = '2026-07-28';

/** The revisions that begin with `initialize`, newest first. */
export const HANDSHAKE_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

type HandshakeRevision = (typeof HANDSHAKE_REVISIONS)[number];
export type Revision = typeof STATELESS_REVISION | HandshakeRevision;

/** The only one with batches; also the default for a request without a version. */
export const BATCH_REVISION: Revision = '2025-03-26';

export const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';
export const CLIENT_CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Our own code, in the range that JSON-RPC reserves for servers: the budget is used up. */
  rateLimited: -32000,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

export type RpcId = string | number;

interface RpcErrorOptions {
  readonly data?: Readonly<Record<string, unknown>>;
  /** The HTTP status of a single request; 200 by default. */
  readonly status?: number;
  /** The id of the request, if it could be parsed. */
  readonly id?: RpcId | null;
}

/** A protocol error, as opposed to a tool result with `isError`. */
export class McpRpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly status: number;
  readonly id: RpcId | null;

  constructor(kind: keyof typeof RPC_CODES, message: string, options: RpcErrorOptions = {}) {
    super(message);
    this.code = RPC_CODES[kind];
    this.data = options.data;
    this.status = options.status ?? 200;
    this.id = options.id ?? null;
  }
}

export interface McpMessage {
  /** Null for notifications and for responses from the client. */
  readonly id: RpcId | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
