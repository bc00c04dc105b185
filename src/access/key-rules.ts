// The limits of a key: parsed when it is issued, ready to be checked when it is used.

import type { KeyRules } from '../contract/identity.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import { createAddressMatcher, parseCidr } from '../lib/ip-address.ts';
import type { Budget } from '../lib/limiter.ts';
import { KEY_SCOPES, type KeyLimits, type KeyScope } from '../model/key-limits.ts';

interface LimitsRequest {
  readonly scopes?: readonly KeyScope[] | undefined;
  readonly allowedIps?: readonly string[] | undefined;
  readonly perMinute?: number | undefined;
}

/** The cost of the most expensive request: with a smaller burst it could never be paid. */
const SHARE_BURST_MIN = 10;
/** Callers are told apart by the network that one customer has. */
const IPV6_BITS_MAX = 64;

function parseAllowedIp(text: string, index: number): string {
  const cidr = parseCidr(text);
  const path = `allowedIps.${index}`;
  if (cidr === null) {
    const message = 'must be an IP address or CIDR such as 203.0.113.0/24';
    throw buildInvalidInputError([{ path, message }]);
  }
  if (cidr.version === 6 && cidr.bits > IPV6_BITS_MAX) {
    const message = `must not be smaller than a /${IPV6_BITS_MAX}: IPv6 callers are told apart by that`;
    throw buildInvalidInputError([{ path, message }]);
  }
  return `${cidr.address}/${cidr.bits}`;
}

/** `perMinuteMax` is the wallet's own budget. */
export function parseKeyLimits(request: LimitsRequest, perMinuteMax: number): KeyLimits {
  const { scopes = KEY_SCOPES, allowedIps = [], perMinute = null } = request;
  if (perMinute !== null && perMinute > perMinuteMax) {
    const message = `must be at most ${perMinuteMax}, the budget of the wallet`;
    throw buildInvalidInputError([{ path: 'perMinute', message }]);
  }
  return {
    scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)),
    allowedIps: [...new Set(allowedIps.map(parseAllowedIp))],
    perMinute,
  };
}

/** A key's part of the wallet's budget, with the same share of the burst. */
export function buildShare(whole: Budget, perMinute: number): Budget {
  const part = Math.ceil((perMinute * whole.burst) / whole.perMinute);
  return { policy: 'key-share', perMinute, burst: Math.max(SHARE_BURST_MIN, part) };
}

/** Null for a key without limits, so that most requests have nothing to check. */
export function buildKeyRules(limits: KeyLimits): KeyRules | null {
  const { scopes, allowedIps, perMinute } = limits;
  const isOpen = KEY_SCOPES.every((scope) => scopes.includes(scope));
  if (isOpen && allowedIps.length === 0 && perMinute === null) return null;
  const isAllowed = allowedIps.length === 0 ? () => true : createAddressMatcher(allowedIps);
  return {
    scopes: new Set(scopes),
    // A group of IPv6 is written as its network.
    isAllowedFrom: (addressGroup) => isAllowed(addressGroup.split('/', 1)[0] ?? addressGroup),
    perMinute,
  };
}
