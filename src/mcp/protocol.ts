// What the Model Context Protocol says, as far as a stateless server over HTTP needs it.

/** The revision without a handshake: every request says who asks and in which revision. */
export const STATELESS_REVISION = '2026-07-28';

/** The revisions that begin with `initialize`, the newest first. */
export const HANDSHAKE_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

type HandshakeRevision = (typeof HANDSHAKE_REVISIONS)[number];
export type Revision = typeof STATELESS_REVISION | HandshakeRevision;

/** The only one with batches; also the one that a request without a version is taken for. */
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
  /** Of our own, within the range that JSON-RPC leaves to servers: the budget is used up. */
  rateLimited: -32000,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

export type RpcId = string | number;

interface RpcErrorOptions {
  readonly data?: Readonly<Record<string, unknown>>;
  /** The HTTP status where it answers a request of its own; 200 unless told. */
  readonly status?: number;
  /** The request that it answers, where that could be read. */
  readonly id?: RpcId | null;
}

/** Something that the protocol answers with an error of its own, not with a tool's result. */
export class RpcError extends Error {
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
  /** Null for notifications, and for answers to questions that we never ask. */
  readonly id: RpcId | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
