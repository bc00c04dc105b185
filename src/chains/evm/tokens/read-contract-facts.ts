// What a token's bytecode and its `owner()` show: no source and no explorer is asked.

import type { ContractFacts } from '../../../model/contract-facts.ts';
import type { Address } from '../../../model/ids.ts';
import type { RpcOutcome } from '../../rpc/parse-rpc-reply.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { decodeAddressAt } from '../data/hex-data.ts';

/** `owner()` of Ownable, `getOwner()` of BEP-20. */
const OWNER_SELECTORS = ['0x8da5cb5b', '0x893d20e8'] as const;

/** Compiled code compares a call's first four bytes with these, pushed by PUSH4 (0x63). */
const MINT_PUSHES = [
  '6340c10f19', // mint(address,uint256)
  '63a0712d68', // mint(uint256)
  '6394d008ef', // mint(address,uint256,bytes)
  '63449a52f8', // mintTo(address,uint256)
  '63cc872b66', // issue(uint256)
] as const;

/** Where proxies store the address of their code: ERC-1967, its beacons, ERC-1822, ZeppelinOS. */
const PROXY_SLOTS = [
  '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
  'a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
  'c5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
  '7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
] as const;

/** A minimal proxy (ERC-1167). */
const MINIMAL_PROXY = /^0x363d3d373d3d3d363d73[0-9a-f]{40}5af43d82803e903d91602b57fd5bf3/;

const ADDRESS_WORD = /^0x0{24}[0-9a-f]{40}$/;

/** Whether the code has these bytes, at a whole byte. */
function hasBytes(code: string, bytes: string): boolean {
  for (let at = code.indexOf(bytes); at >= 0; at = code.indexOf(bytes, at + 1)) {
    if (at % 2 === 0) return true;
  }
  return false;
}

function decodeOwner(outcomes: readonly RpcOutcome[]): Address | null {
  for (const outcome of outcomes) {
    // A contract without the function reverts, or answers with nothing.
    const reply = outcome.ok ? String(outcome.result).toLowerCase() : '';
    if (ADDRESS_WORD.test(reply)) return decodeAddressAt(reply, 0);
  }
  return null;
}

/** Null if there is no code at the address. */
export async function readContractFacts(
  client: RpcClient,
  token: Address,
  signal: AbortSignal,
): Promise<ContractFacts | null> {
  const calls = [
    { method: 'eth_getCode', params: [token, 'latest'] } as const,
    ...OWNER_SELECTORS.map((data) => {
      return { method: 'eth_call', params: [{ to: token, data }, 'latest'] } as const;
    }),
  ];
  return client.at(
    async (endpoint) => {
      const [codeOutcome, ...owners] = await endpoint.batch(calls, { signal });
      const code = String(endpoint.unwrap(codeOutcome)).toLowerCase();
      if (code.length <= 2) return null;
      const isProxy = MINIMAL_PROXY.test(code) || PROXY_SLOTS.some((slot) => hasBytes(code, slot));
      const isMintable = isProxy ? null : MINT_PUSHES.some((push) => hasBytes(code, push));
      return { kind: 'contract', owner: decodeOwner(owners), isMintable, isProxy };
    },
    { signal },
  );
}
