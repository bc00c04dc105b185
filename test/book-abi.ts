// How the stand-ins of Liquidity Book are called (test/contracts/liquidity-book.sol).

import { type Hex, parseAbi } from 'viem';

const FEE = 'struct Fee { uint16 a; uint16 b; uint16 c; uint16 d; uint24 e; uint16 f; uint24 g; }';

export const BOOK_FACTORY_ABI = parseAbi([
  FEE,
  'struct Information { uint16 binStep; address pair; bool byOwner; bool isIgnored; }',
  'function createLBPair(address x, address y, uint24 id, uint16 step, Fee fee)',
  'function getLBPairInformation(address a, address b, uint256 step) view returns (Information)',
]);
export const BOOK_PAIR_ABI = parseAbi([
  FEE,
  'function deposit(uint256[] ids, bytes32[] amounts)',
  'function withdraw(uint256[] ids, bytes32[] amounts)',
  'function forceDecay()',
  'function setParameters(Fee fee)',
  'function setHooks(bytes32 hooks)',
]);
export const BOOK_ROUTER_ABI = parseAbi(['constructor(address factory, address coin)']);

/** As contracts take them: base factor, filter, decay, reduction, control, share, maximum. */
export function toBookFee(parameters: readonly number[]) {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = parameters;
  return { a, b, c, d, e, f, g };
}

/** X in the low half, Y in the high one. */
export function packBin({ x, y }: { readonly x: bigint; readonly y: bigint }): Hex {
  return `0x${((y << 128n) + x).toString(16).padStart(64, '0')}`;
}
