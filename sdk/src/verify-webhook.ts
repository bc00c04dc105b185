// Checks that a webhook comes from the server that it claims, by Standard Webhooks 1.0.0, and reads
// its events. In browsers, workers and Node, with the Web Crypto that they have.

import type { StreamEvents } from './contract.gen.ts';

type Sent = Required<StreamEvents>;
/** The events of a stream that webhooks have under the same name. */
type SameName = 'trade' | 'price' | 'holders' | 'pool' | 'launch' | 'graduation';

type EventOf<Type extends string, Data> = {
  /** The same in every attempt; a stream resumes from it, too. */
  readonly id: string;
  readonly type: Type;
  readonly data: Data;
};

export type WebhookEvent =
  | { [Name in SameName]: EventOf<Name, Sent[Name]> }[SameName]
  | EventOf<'alert', Sent['alert']>
  | EventOf<'alert.reverted', Sent['alert.reverted']>
  | EventOf<'reverted', Sent['revert']>
  | EventOf<'reset', { readonly chain: string; readonly reason: string }>;

export interface WebhookMessage {
  readonly type: 'events' | 'test';
  /** When it happened, in ISO 8601. */
  readonly timestamp: string;
  readonly webhookId: string;
  /** Where a stream goes on after this message; null in a test. */
  readonly cursor: string | null;
  readonly data: { readonly events: readonly WebhookEvent[] };
}

export type WebhookFault = 'MISSING_HEADERS' | 'TOO_OLD' | 'TOO_NEW' | 'WRONG_SIGNATURE';

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.code = code;
  }
}

export interface WebhookRequest {
  /** As it came: not parsed and written again, which changes its bytes. */
  readonly body: string | Uint8Array;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface VerifyOptions {
  /** How far its time may be from ours, both ways; 300 by default. */
  readonly toleranceSeconds?: number;
  readonly nowMs?: number;
}

const TOLERANCE_SECONDS = 300;
const SECRET = 'whsec_';
const PUBLIC_KEY = 'whpk_';

function readHeader({ headers }: WebhookRequest, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof found === 'string' && found !== '') return found;
  throw new WebhookError('MISSING_HEADERS', `the request has no header ${name}`);
}

/** Null for what is no base64: signatures are anybody's text. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function decodeKey(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(text);
  if (bytes === null) throw new TypeError('a key of a webhook is base64 after its prefix');
  return bytes;
}

function join(start: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [head, rest] = [
    encoder.encode(start),
    typeof body === 'string' ? encoder.encode(body) : body,
  ];
  const bytes = new Uint8Array(head.length + rest.length);
  bytes.set(head);
  bytes.set(rest, head.length);
  return bytes;
}

/** The secret checks `v1` signatures, the public key `v1a`. */
async function isSigned(
  key: string,
  signatures: readonly string[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const isPublic = key.startsWith(PUBLIC_KEY);
  const bytes = decodeKey(key.slice(isPublic ? PUBLIC_KEY.length : SECRET.length));
  const algorithm = isPublic ? { name: 'Ed25519' } : { name: 'HMAC', hash: 'SHA-256' };
  const imported = await subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  const start = isPublic ? 'v1a,' : 'v1,';
  for (const text of signatures) {
    const signature = text.startsWith(start) ? decodeBase64(text.slice(start.length)) : null;
    // `verify` takes the same time wherever a signature differs.
    if (signature !== null && (await subtle.verify(algorithm.name, imported, signature, signed))) {
      return true;
    }
  }
  return false;
}

/**
 * The message of a delivery, checked: throws a `WebhookError` if it is not signed with one of the
 * keys (`whsec_…` or `whpk_…`; while they are rotated both are given), or is too old or new.
 */
export async function verifyWebhook(
  request: WebhookRequest,
  keys: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = readHeader(request, 'webhook-id');
  const timestamp = readHeader(request, 'webhook-timestamp');
  const signatures = readHeader(request, 'webhook-signature').split(' ');
  const { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() } = options;
  const ageSeconds = nowMs / 1000 - Number(timestamp);
  if (!/^\d{1,15}$/.test(timestamp) || ageSeconds > toleranceSeconds) {
    throw new WebhookError('TOO_OLD', 'the request was signed too long ago');
  }
  if (ageSeconds < -toleranceSeconds) {
    throw new WebhookError('TOO_NEW', 'the request was signed in the future: check the clocks');
  }
  const { body } = request;
  const signed = join(`${id}.${timestamp}.`, body);
  for (const key of typeof keys === 'string' ? [keys] : keys) {
    if (await isSigned(key, signatures, signed)) {
      return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
    }
  }
  throw new WebhookError('WRONG_SIGNATURE', 'no signature of the request is by one of the keys');
}
