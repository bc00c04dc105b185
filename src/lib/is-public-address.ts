// Whether an IP address belongs to the public internet, for requests to places that others name.

import { isIP } from 'node:net';
import { createAddressMatcher, toPlainAddress } from './ip-address.ts';

/** From IANA's registries of special-purpose addresses. */
const isSpecial = createAddressMatcher([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]);

/** All other IPv6 networks are special, or stand for IPv4 addresses. */
const isGlobalIpv6 = createAddressMatcher(['2000::/3']);

export function isPublicAddress(address: string): boolean {
  const plain = toPlainAddress(address);
  const version = isIP(plain);
  if (version === 0 || isSpecial(plain)) return false;
  return version === 4 || isGlobalIpv6(plain);
}
