// A request's body and headers → messages of one protocol revision, or an error.

import { isUtf8 } from 'node:buffer';
import { toShownText } from '../lib/clean-text.ts';
import { findDuplicateKey } from '../lib/find-duplicate-key.ts';
import {
  BATCH_REVISION,
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  HANDSHAKE_REVISIONS,
  isObject,
  type McpMessage,
  McpRpcError,
  PROTOCOL_VERSION_KEY,
  type Revision,
  type RpcId,
  STATELESS_REVISION,
} from './protocol.ts';

interface McpHeaders {
  readonly version: string | null;
  readonly method: string | null;
  readonly name: string | null;
}

type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

function readField(fields: HeaderFields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value.trim() : null;
}

function readHeaders(fields: HeaderFields): McpHeaders {
  return {
    version: readField(fields, 'mcp-protocol-version'),
    method: readField(fields, 'mcp-method'),
    name: readField(fields, 'mcp-name'),
  };
}

// The headers that repeat parts of a message, and the check that they agree with it.

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
function assertHeadersAgree(message: McpMessage, headers: McpHeaders, claim: string | null): void {
  if (claim !== null && headers.version !== null && headers.version !== claim) {
    throw buildMismatchError(message, 'MCP-Protocol-Version is not the version in _meta');
  }
  if (headers.method !== null && headers.method !== message.method) {
    throw buildMismatchError(message, 'Mcp-Method is not the method of the body');
  }
}

/** Every request must repeat its version, method and name; notifications need not. */
function assertHeadersPresent(message: McpMessage, headers: McpHeaders): void {
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

export const BATCH_MESSAGES_MAX = 20;

export interface McpInput {
  readonly revision: Revision;
  readonly messages: readonly McpMessage[];
  readonly isBatch: boolean;
}

function parseJson(body: Buffer): unknown {
  let value: unknown;
  // A byte order mark stays in the text and makes it invalid JSON.
  const text = isUtf8(body) ? body.toString('utf8') : '';
  try {
    value = JSON.parse(text);
  } catch {
    throw new McpRpcError('parseError', 'Parse error: the body must be valid JSON in UTF-8');
  }
  const twice = findDuplicateKey(text);
  if (twice === null) return value;
  const message = `Invalid request: ${toShownText(twice)} must be given once`;
  throw new McpRpcError('invalidRequest', message);
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

/** A response from the client: accepted and ignored, since this server sends no requests. */
const DROPPED: McpMessage = { id: null, method: '', params: {} };

function parseMessage(value: unknown): McpMessage {
  if (!isObject(value)) {
    throw new McpRpcError('invalidRequest', 'Invalid request: a message must be a JSON object');
  }
  const { jsonrpc, id, method, params = {} } = value;
  const about = { id: isId(id) ? id : null };
  if (jsonrpc !== '2.0') {
    throw new McpRpcError('invalidRequest', 'Invalid request: jsonrpc must be "2.0"', about);
  }
  if (method === undefined && isId(id) && ('result' in value || 'error' in value)) return DROPPED;
  if (typeof method !== 'string') {
    throw new McpRpcError('invalidRequest', 'Invalid request: method must be a string', about);
  }
  if ('id' in value && !isId(id)) {
    throw new McpRpcError('invalidRequest', 'Invalid request: id must be a string or a number');
  }
  if (!isObject(params)) {
    throw new McpRpcError('invalidParams', 'Invalid params: params must be an object', about);
  }
  return { id: about.id, method, params };
}

/** The revision in the message itself; undefined if only the headers have it. */
function readClaim(message: McpMessage): unknown {
  const meta = message.params['_meta'];
  return isObject(meta) ? meta[PROTOCOL_VERSION_KEY] : undefined;
}

function assertSupported(requested: string, id: RpcId | null, supported: readonly string[]): void {
  if (supported.includes(requested)) return;
  throw new McpRpcError('unsupportedVersion', `Unsupported protocol version: ${requested}`, {
    id,
    data: { supported, requested },
  });
}

/** The `_meta` keys that the stateless revision requires in every request. */
function assertMeta(message: McpMessage): void {
  const meta = message.params['_meta'];
  const { id } = message;
  const about = (data: Readonly<Record<string, unknown>>) => ({ id, data });
  if (!isObject(meta)) {
    const problem = 'Invalid params: _meta is required in every request of this revision';
    throw new McpRpcError('invalidParams', problem, about({ missing: ['_meta'] }));
  }
  const required = [PROTOCOL_VERSION_KEY, CLIENT_CAPABILITIES_KEY];
  const missing = required.filter((key) => !(key in meta));
  if (missing.length > 0) {
    const problem = `Invalid params: _meta lacks ${missing.join(' and ')}`;
    throw new McpRpcError('invalidParams', problem, about({ missing }));
  }
  const info = meta[CLIENT_INFO_KEY];
  const faults = [
    typeof meta[PROTOCOL_VERSION_KEY] === 'string' ? null : PROTOCOL_VERSION_KEY,
    isObject(meta[CLIENT_CAPABILITIES_KEY]) ? null : CLIENT_CAPABILITIES_KEY,
    info === undefined || (isObject(info) && typeof info['name'] === 'string')
      ? null
      : CLIENT_INFO_KEY,
  ].filter((key) => key !== null);
  if (faults.length === 0) return;
  const problem = `Invalid params: _meta has a malformed ${faults.join(' and ')}`;
  throw new McpRpcError('invalidParams', problem, about({ malformed: faults }));
}

function parseStateless(message: McpMessage, headers: McpHeaders): McpInput {
  if (message.id !== null) assertMeta(message);
  const claim = readClaim(message);
  assertHeadersAgree(message, headers, typeof claim === 'string' ? claim : null);
  const requested = typeof claim === 'string' ? claim : STATELESS_REVISION;
  assertSupported(requested, message.id, [STATELESS_REVISION]);
  assertHeadersPresent(message, headers);
  return { revision: STATELESS_REVISION, messages: [message], isBatch: false };
}

function readHandshakeRevision(headers: McpHeaders, id: RpcId | null): Revision {
  const named = headers.version;
  if (named === null) return BATCH_REVISION;
  assertSupported(named, id, HANDSHAKE_REVISIONS);
  return named as Revision;
}

function parseBatch(values: readonly unknown[], headers: McpHeaders): McpInput {
  const revision = readHandshakeRevision(headers, null);
  if (revision !== BATCH_REVISION) {
    const problem = `Invalid request: revision ${revision} has no batches; send one message a request`;
    throw new McpRpcError('invalidRequest', problem);
  }
  if (values.length === 0) throw new McpRpcError('invalidRequest', 'Invalid request: empty batch');
  if (values.length > BATCH_MESSAGES_MAX) {
    const problem = `Invalid request: a batch may hold ${BATCH_MESSAGES_MAX} messages`;
    throw new McpRpcError('invalidRequest', problem);
  }
  const messages = values.map(parseMessage);
  for (const message of messages) {
    if (readClaim(message) !== undefined) {
      const problem = `Invalid request: revision ${STATELESS_REVISION} has no batches`;
      throw new McpRpcError('invalidRequest', problem);
    }
    if (message.method === 'initialize') {
      throw new McpRpcError('invalidRequest', 'Invalid request: initialize must not be in a batch');
    }
  }
  return { revision, messages, isBatch: true };
}

export function parseMessages(
  body: Buffer,
  fields: Readonly<Record<string, string | string[] | undefined>>,
): McpInput {
  const headers = readHeaders(fields);
  const value = parseJson(body);
  if (Array.isArray(value)) return parseBatch(value, headers);
  const message = parseMessage(value);
  if (message === DROPPED) return { revision: BATCH_REVISION, messages: [message], isBatch: false };
  const isStateless = headers.version === STATELESS_REVISION || readClaim(message) !== undefined;
  if (isStateless) return parseStateless(message, headers);
  return {
    revision: readHandshakeRevision(headers, message.id),
    messages: [message],
    isBatch: false,
  };
}
