// Secrets with versions, so that they can be rotated: `1:base64,2:base64`.

export interface VersionedSecret {
  readonly version: number;
  readonly secret: Uint8Array;
}

const BYTES_MIN = 32;
const VERSION_MAX = 1_000_000;

/** Sorted by version, newest first; an error text if it cannot be parsed. */
export function parseVersionedSecrets(text: string): readonly VersionedSecret[] | string {
  const secrets: VersionedSecret[] = [];
  for (const part of text.split(',').map((one) => one.trim())) {
    const match = /^(\d{1,7}):([A-Za-z0-9+/_-]+={0,2})$/.exec(part);
    if (!match) return 'must be versions and secrets in base64, such as 1:c2VjcmV0…,2:b3RoZXI…';
    const version = Number(match[1]);
    if (version < 1 || version > VERSION_MAX) return `has a version outside 1 to ${VERSION_MAX}`;
    if (secrets.some((one) => one.version === version)) return `has version ${version} twice`;
    const secret = Buffer.from(match[2] ?? '', 'base64');
    if (secret.length < BYTES_MIN) return `needs at least ${BYTES_MIN} bytes in version ${version}`;
    secrets.push({ version, secret });
  }
  return secrets.sort((a, b) => b.version - a.version);
}

export function toVersionedSecretText(one: VersionedSecret): string {
  return `${one.version}:${Buffer.from(one.secret).toString('base64')}`;
}
