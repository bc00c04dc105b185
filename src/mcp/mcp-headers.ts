// The headers that repeat parts of a message, and the check that they agree with it.

import { type McpMessage, McpRpcError } from './protocol.ts';

export interface McpHeaders {
  readonly version: string | null;
  readonly method: string | null;
  readonly name: string | null;
}

type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

function readField(fields: HeaderFields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value.trim() : null;
}

export function readHeaders(fields: HeaderFields): McpHeaders {
  return {
    version: readField(fields, 'mcp-protocol-version'),
    method: readField(fields, 'mcp-method'),
    name: readField(fields, 'mcp-name'),
  };
}

/** Which parameter the `Mcp-Name` header repeats. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Non-ASCII names are sent as Base64 between marks; null if that is malformed. */
function decodeName(text: string): string | null {
  if (!text.startsWith('=?base64?')) return text;
  const encoded = ENCODED.exec(text)?.[1];
  if (encoded === undefined || encoded.length % 4 !== 0) return null;
  try {
    return decoder.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return null;
  }
}

function buildMismatchError(message: McpMessage, disagreement: string): McpRpcError {
  return new McpRpcError('headerMismatch', `Headers and body disagree: ${disagreement}`, {
    id: message.id,
  });
}

/** A proxy that routes by headers must see what the server sees, so both have to agree. */
export function assertHeadersAgree(
  message: McpMessage,
  headers: McpHeaders,
  claim: string | null,
): void {
  if (claim !== null && headers.version !== null && headers.version !== claim) {
    throw buildMismatchError(message, 'MCP-Protocol-Version is not the version in _meta');
  }
  if (headers.method !== null && headers.method !== message.method) {
    throw buildMismatchError(message, 'Mcp-Method is not the method of the body');
  }
}

/** Every request must repeat its version, method and name; notifications need not. */
export function assertHeadersPresent(message: McpMessage, headers: McpHeaders): void {
  if (message.id === null) return;
  if (headers.version === null)
    throw buildMismatchError(message, 'MCP-Protocol-Version is missing');
  if (headers.method === null) throw buildMismatchError(message, 'Mcp-Method is missing');
  const source = Object.hasOwn(NAMED_BY, message.method) ? NAMED_BY[message.method] : undefined;
  const named = source === undefined ? undefined : message.params[source];
  if (typeof named !== 'string') return;
  if (headers.name === null) throw buildMismatchError(message, 'Mcp-Name is missing');
  if (decodeName(headers.name) !== named) {
    throw buildMismatchError(message, `Mcp-Name is not params.${source}`);
  }
}
