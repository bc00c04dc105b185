// Where a webhook may be sent: to the public internet, or an operator's own network if that is
// allowed. The address that was checked is the one that is connected to: a name that resolves anew
// for the connection could lead elsewhere (DNS rebinding).

import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createAddressMatcher, isPublicAddress } from '../lib/ip-address.ts';

/** A target that nothing is sent to. Its message is shown to the owner. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError';
}

const isPrivate = createAddressMatcher([
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7'],
]);

/** Instance metadata of a cloud provider, in a private range. */
const isMetadata = createAddressMatcher(['fd00:ec2::/32']);

/** Never link-local, where cloud providers have the credentials of a machine. */
function isAllowedAddress(address: string, allowsPrivate: boolean): boolean {
  if (isPublicAddress(address)) return true;
  return allowsPrivate && isPrivate(address) && !isMetadata(address);
}

const PUBLIC_PORTS: readonly string[] = ['', '443', '8443'];

/** Why a URL cannot be a target, as far as it shows that itself; null if it does not. */
export function findTargetFault(text: string, allowsPrivate: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'must be a URL';
  if (url.username !== '' || url.password !== '') return 'must not have a user or password';
  const isHttp = url.protocol === 'http:' && allowsPrivate;
  if (url.protocol !== 'https:' && !isHttp) return 'must begin with https://';
  const host = toHost(url);
  if (isIP(host) !== 0) {
    if (!allowsPrivate) return 'must have the name of a host, not an address';
    return isAllowedAddress(host, true) ? null : 'must not have such an address';
  }
  if (allowsPrivate) return null;
  if (!host.includes('.') || /(^|\.)localhost\.?$/.test(host)) return 'must be a public host';
  return PUBLIC_PORTS.includes(url.port) ? null : 'must have the port 443 or 8443';
}

/** Without the brackets of IPv6. */
export function toHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Every address of the host must be allowed. The connection uses no others than these. */
export function createTargetLookup(
  allowsPrivate: boolean,
  resolve: typeof lookup = lookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const isAllowed = found.every(({ address }) => isAllowedAddress(address, allowsPrivate));
      if (found.length === 0 || !isAllowed) {
        return callback(new TargetRefusedError(`${hostname} is not a public host`), '');
      }
      if (options.all) return callback(null, found);
      const [first] = found;
      callback(null, first?.address ?? '', first?.family);
    });
  };
}

/** Why the addresses of the host are refused; null if they are not, or cannot be looked up now. */
export function findHostFault(text: string, lookUp: LookupFunction): Promise<string | null> {
  const host = toHost(new URL(text));
  if (isIP(host) !== 0) return Promise.resolve(null);
  return new Promise((resolve) => {
    lookUp(host, { all: true }, (error) => {
      resolve(error instanceof TargetRefusedError ? 'must be a public host' : null);
    });
  });
}
