// The caller's address: the socket's peer, or what trusted proxies report.

import { isIP } from 'node:net';
import { createAddressMatcher, toAddressGroup, toPlainAddress } from '../lib/ip-address.ts';

const FORWARDED_HOPS_MAX = 20;

interface AddressedRequest {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The caller's address group; a forged header from an untrusted peer has no effect. */
export type ReadAddressGroup = (request: AddressedRequest) => string;

/** Some proxies add the port of the caller: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const [, address] = /^(\d+(?:\.\d+){3}):\d{1,5}$/.exec(hop) ?? [];
  const [, bracketed] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(hop) ?? [];
  return address ?? bracketed ?? hop;
}

export function createAddressReader(trustedProxies: readonly string[]): ReadAddressGroup {
  const isTrusted = createAddressMatcher(trustedProxies);
  // A connection's peer never changes, so its group is computed once.
  const groupBySocket = new WeakMap<object, string>();
  function peerGroup(request: AddressedRequest): string {
    let group = groupBySocket.get(request.socket);
    if (group === undefined) {
      group = toAddressGroup(request.socket.remoteAddress ?? '');
      groupBySocket.set(request.socket, group);
    }
    return group;
  }
  if (trustedProxies.length === 0) return peerGroup;
  return (request) => {
    const forwarded = request.headers['x-forwarded-for'];
    const peer = request.socket.remoteAddress ?? '';
    if (forwarded === undefined || !isTrusted(peer)) return peerGroup(request);
    const hops = String(forwarded).split(',').slice(-FORWARDED_HOPS_MAX).reverse();
    let client = peer;
    // Each proxy appends the address that called it: walk back while that was a trusted proxy.
    for (const hop of hops) {
      const address = toPlainAddress(withoutPort(hop.trim()));
      if (isIP(address) === 0) break;
      client = address;
      if (!isTrusted(address)) break;
    }
    return toAddressGroup(client);
  };
}
