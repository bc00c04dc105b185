// Signatures of deliveries: Standard Webhooks 1.0.0
// (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md).

import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { Peppers } from '../access/peppers.ts';
import type { WebhookRecord } from '../model/webhook.ts';

/** The standard allows 24 to 64. */
const SECRET_BYTES = 32;
/** The last bytes of an ed25519 key in SPKI are the key itself. */
const PUBLIC_KEY_BYTES = 32;

export const ROTATION_MS = 24 * 3_600_000;

interface KeyPair {
  /** `whsec_…` */
  readonly secret: string;
  /** PKCS 8, in base64. */
  readonly privateKey: string;
}

/** As they are sealed in the store. */
interface Secrets {
  readonly current: KeyPair;
  readonly previous: KeyPair | null;
}

type SealedSecrets = Pick<WebhookRecord, 'secrets' | 'publicKey'> & { readonly secret: string };

function createPair(): KeyPair & { readonly publicKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return {
    secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    publicKey: `whpk_${spki.subarray(-PUBLIC_KEY_BYTES).toString('base64')}`,
  };
}

/** New keys; those of `before` go on signing beside them. Throws if they cannot be opened. */
export function createSecrets(peppers: Peppers, before: string | null): SealedSecrets {
  const { secret, privateKey, publicKey } = createPair();
  const secrets: Secrets = {
    current: { secret, privateKey },
    previous: before === null ? null : openSecrets(peppers, before).current,
  };
  return { secret, publicKey, secrets: peppers.seal('webhook', JSON.stringify(secrets)) };
}

function openSecrets(peppers: Peppers, sealed: string): Secrets {
  const text = peppers.unseal('webhook', sealed);
  if (text === null)
    throw new Error('the keys of a webhook cannot be decrypted: its pepper is gone');
  return JSON.parse(text) as Secrets;
}

interface SigningKeys {
  readonly secret: Buffer;
  readonly privateKey: KeyObject;
}

function toKeys({ secret, privateKey }: KeyPair): SigningKeys {
  const der = Buffer.from(privateKey, 'base64');
  return {
    secret: Buffer.from(secret.slice('whsec_'.length), 'base64'),
    privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
  };
}

export class WebhookSigner {
  readonly #current: SigningKeys;
  readonly #previous: SigningKeys | null;
  readonly #previousUntilMs: number;

  constructor(peppers: Peppers, record: Pick<WebhookRecord, 'secrets' | 'rotatedUntilMs'>) {
    const { current, previous } = openSecrets(peppers, record.secrets);
    this.#current = toKeys(current);
    this.#previous = previous === null ? null : toKeys(previous);
    this.#previousUntilMs = record.rotatedUntilMs ?? 0;
  }

  /** The headers of an attempt at this time. */
  sign(id: string, body: string, nowMs: number): Readonly<Record<string, string>> {
    const timestamp = String(Math.floor(nowMs / 1000));
    const text = Buffer.from(`${id}.${timestamp}.${body}`);
    const keys = [this.#current];
    if (this.#previous !== null && nowMs < this.#previousUntilMs) keys.push(this.#previous);
    const signatures = keys.flatMap(({ secret, privateKey }) => [
      `v1,${createHmac('sha256', secret).update(text).digest('base64')}`,
      `v1a,${sign(null, text, privateKey).toString('base64')}`,
    ]);
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    };
  }
}
