// IP addresses for the limiter and the proxy rules: parsing, grouping, matching.

import { BlockList, isIP, isIPv4 } from 'node:net';

const IPV4_MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** IPv4 in plain form, even if a dual-stack socket shows it as `::ffff:a.b.c.d`. */
export function toPlainAddress(address: string): string {
  return IPV4_MAPPED.exec(address)?.[1] ?? address;
}

/**
 * What one customer of a network typically has: an IPv4 address, or an IPv6 /64. Equal networks
 * give equal strings.
 */
export function toAddressGroup(address: string): string {
  const plain = toPlainAddress(address);
  if (isIPv4(plain)) return plain;
  const withoutZone = plain.split('%', 1)[0] ?? plain;
  if (isIP(withoutZone) !== 6) return 'unknown';
  const [head = '', tail] = withoutZone.toLowerCase().split('::', 2);
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // A trailing dotted quad stands for two groups; it is outside the /64 in any case.
  const rightLength = right.length + (right.at(-1)?.includes('.') ? 1 : 0);
  const groups = [...left];
  if (tail !== undefined) {
    for (let i = left.length + rightLength; i < 8; i += 1) groups.push('0');
    groups.push(...right);
  }
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}

/** A parsed `address` or `address/bits`; null if the text is neither. */
export function parseCidr(text: string): { address: string; bits: number; version: 4 | 6 } | null {
  const [address = '', bitsText, ...rest] = text.split('/');
  const version = isIP(address);
  if (rest.length > 0 || (version !== 4 && version !== 6)) return null;
  const bitsMax = version === 4 ? 32 : 128;
  if (bitsText === undefined) return { address, bits: bitsMax, version };
  if (!/^\d{1,3}$/.test(bitsText)) return null;
  const bits = Number(bitsText);
  return bits <= bitsMax ? { address, bits, version } : null;
}

/** A membership test over CIDRs, which must be valid. */
export function createAddressMatcher(cidrs: readonly string[]): (address: string) => boolean {
  if (cidrs.length === 0) return () => false;
  const list = new BlockList();
  for (const text of cidrs) {
    const cidr = parseCidr(text);
    if (!cidr) throw new Error(`not a CIDR: ${text}`);
    list.addSubnet(cidr.address, cidr.bits, cidr.version === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    const plain = toPlainAddress(address);
    const version = isIP(plain);
    return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  };
}

// Whether an IP address belongs to the public internet, for requests to places that others name.

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
