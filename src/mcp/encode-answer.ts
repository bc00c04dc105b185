// Results and errors as JSON-RPC text. Parts that are already JSON are concatenated, not parsed.

import type { Static, TSchema } from 'typebox';
import { createSerializer } from '../contract/create-serializer.ts';
import { mcpErrorSchema } from '../contract/operations/call-mcp.ts';
import {
  mcpResultSchemas,
  statelessMembersSchema,
} from '../contract/schemas/mcp-result-schemas.ts';
import { toolErrorSchema } from '../contract/schemas/problem-schema.ts';
import type { ToolError } from './protocol.ts';
import {
  type McpMessage,
  type McpRpcError,
  type Revision,
  type RpcId,
  SERVER_INFO_KEY,
  STATELESS_REVISION,
} from './protocol.ts';

/** How long and by whom a result may be cached, in the stateless revision. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

/** The members of a result object, without its braces; bytes if they are cached. */
export interface ResultText {
  readonly members: string | Buffer;
  readonly cache?: CacheHint;
}

type EncodeResult = (message: McpMessage, revision: Revision, result: ResultText) => EncodedText;

/** A string, or bytes in pieces if a large part is cached. */
export type EncodedText = string | readonly Buffer[];

/** The members of an object, written by the contract's serialiser. */
export function createMembersEncoder<Schema extends TSchema>(
  schema: Schema,
): (value: Static<Schema>) => string {
  const serialize = createSerializer(schema);
  return (value) => serialize(value).slice(1, -1);
}

export type ServerInfo = Static<typeof mcpResultSchemas.initialize>['serverInfo'];

function join(start: string, members: string | Buffer, end: string): EncodedText {
  if (typeof members === 'string') return `${start}${members}${end}`;
  return [Buffer.from(start), members, Buffer.from(end)];
}

/** In the stateless revision every result says that it is complete, and names the server. */
export function createEncodeResult(serverInfo: ServerInfo): EncodeResult {
  const encode = createMembersEncoder(statelessMembersSchema);
  const shared = { resultType: 'complete', _meta: { [SERVER_INFO_KEY]: serverInfo } } as const;
  const uncached = encode(shared);
  return (message, revision, { members, cache }) => {
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{`;
    if (revision !== STATELESS_REVISION) return join(start, members, '}}');
    const end = cache
      ? encode({ ttlMs: cache.ttlMs, cacheScope: cache.scope, ...shared })
      : uncached;
    return join(start, members, `${members.length === 0 ? '' : ','}${end}}}`);
  };
}

const serializeError = createSerializer(mcpErrorSchema);
const serializeToolError = createSerializer(toolErrorSchema);
const encodeToolErrorResult = createMembersEncoder(mcpResultSchemas.toolError);

export function encodeError(id: RpcId | null, error: McpRpcError): string {
  const { code, message, data } = error;
  const rpcError = { code, message, ...(data === undefined ? {} : { data }) };
  return serializeError({ jsonrpc: '2.0', id, error: rpcError });
}

/** A tool's answer: as structured content, and again as text for older clients. */
export function encodeToolMembers(json: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
}

/** Without structured content, which must match the tool's output schema. */
export function encodeToolError(error: ToolError): ResultText {
  const text = serializeToolError(error);
  return { members: encodeToolErrorResult({ content: [{ type: 'text', text }], isError: true }) };
}
