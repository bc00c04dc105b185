// Results and errors as JSON-RPC text. Texts that are JSON already are put together, not parsed.

import { createSerializer } from '../contract/create-serializer.ts';
import { mcpErrorSchema } from '../contract/operations/call-mcp.ts';
import { toolErrorSchema } from '../contract/schemas/problem.ts';
import {
  type McpMessage,
  type Revision,
  type RpcError,
  type RpcId,
  SERVER_INFO_KEY,
  STATELESS_REVISION,
} from './protocol.ts';
import type { ToolError } from './tool-error.ts';

/** How long and by whom a result may be kept, as the stateless revision tells it. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

/** The members of a result object, without its braces; bytes where they were made before. */
export interface ResultText {
  readonly members: string | Buffer;
  readonly cache?: CacheHint;
}

type EncodeResult = (message: McpMessage, revision: Revision, result: ResultText) => EncodedText;

/** Text, or bytes in pieces where a large one of them was made before. */
export type EncodedText = string | readonly Buffer[];

export function toMembers(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(value).slice(1, -1);
}

function join(start: string, members: string | Buffer, end: string): EncodedText {
  if (typeof members === 'string') return `${start}${members}${end}`;
  return [Buffer.from(start), members, Buffer.from(end)];
}

/** The stateless revision has every result say that it is whole, and who made it. */
export function createEncodeResult(serverInfo: Readonly<Record<string, unknown>>): EncodeResult {
  const end = `"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_KEY]: serverInfo })}`;
  return (message, revision, { members, cache }) => {
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{`;
    if (revision !== STATELESS_REVISION) return join(start, members, '}}');
    const hint = cache ? `"ttlMs":${cache.ttlMs},"cacheScope":"${cache.scope}",` : '';
    return join(start, members, `${members.length === 0 ? '' : ','}${hint}${end}}}`);
  };
}

const serializeError = createSerializer(mcpErrorSchema);
const serializeToolError = createSerializer(toolErrorSchema);

export function encodeError(id: RpcId | null, error: RpcError): string {
  const { code, message, data } = error;
  const told = { code, message, ...(data === undefined ? {} : { data }) };
  return serializeError({ jsonrpc: '2.0', id, error: told });
}

/** A tool's answer: as data, and once more as text for clients that know nothing else. */
export function toToolMembers(json: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
}

/** Without structured content: that has the form of the tool's answers, which an error has not. */
export function toToolErrorResult(error: ToolError): ResultText {
  const content = [{ type: 'text', text: serializeToolError(error) }];
  return { members: toMembers({ content, isError: true }) };
}
