// Checks what an operator's file says of a chain against the chain itself: there is code at each
// address, and it answers as a contract of its kind does. A wrong address would index nothing, or
// wrong data.

import type { ChainContracts } from '../../model/chain-contracts.ts';
import type { RpcClient } from '../rpc/rpc-client.ts';
import { isRpcError } from '../rpc/rpc-error.ts';
import type { EvmDeployment } from './data/deployments/evm-deployment.ts';
import { decodeAddressAt, uintAt } from './data/hex-data.ts';
import { callContracts } from './rpc/multicall.ts';
import { readContractAccounts } from './rpc/read-contract-accounts.ts';
import { DECIMALS_SELECTOR, decodeText, SYMBOL_SELECTOR } from './tokens/read-token-metadata.ts';
import { FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR } from './venues/factory-pools.ts';
import { type Claim, claim, toWord } from './venues/file-entries.ts';
import { findFirst, listFactories, VENUE_PROTOCOLS } from './venues/registry.ts';

export const DOMAIN_SEPARATOR_SELECTOR = '0x3644e515';
export const GET_BLOCK_NUMBER_SELECTOR = '0x42cbb15c';

function claimToken(path: string, text: string, decimals: number | null): Claim {
  return claim(path, text, [DECIMALS_SELECTOR, SYMBOL_SELECTOR], ([places, symbol]) => {
    const word = toWord(places);
    if (word === null || uintAt(word, 0) > 36n) return 'is no token: it does not answer decimals()';
    if (decodeText(symbol ?? null) === null) return 'is no token: it does not answer symbol()';
    const found = Number(uintAt(word, 0));
    if (decimals === null || found === decimals) return null;
    return `has ${found} decimals, the native coin ${decimals}`;
  });
}

/** An anchor prices the native coin, so it must be a pool of it against a stable asset. */
function claimAnchor(path: string, text: string, deployment: EvmDeployment): Claim {
  const asks = [FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR];
  const forks = listFactories(deployment).filter((fork) => fork.isSearched !== false);
  const factories = forks.map((fork) => fork.factory);
  return claim(path, text, asks, (answers) => {
    const words = answers.map(toWord);
    if (words.includes(null)) return 'is no pool: it does not name its factory and tokens';
    const [factory, ...tokens] = words.map((word) => decodeAddressAt(word ?? '0x', 0));
    if (factory === undefined || !factories.includes(factory)) {
      return `is a pool of the factory ${factory}, which is not known`;
    }
    const other = tokens.find((token) => token !== deployment.wrapped);
    const isAnchor = tokens.includes(deployment.wrapped) && other !== undefined;
    if (isAnchor && deployment.stables.includes(other)) return null;
    return 'is not a pool of the wrapped coin against one of the stables';
  });
}

/** An id of 32 bytes is no contract: the protocol whose pools have such ids knows whom to ask. */
function claimAnchorId(path: string, id: string, deployment: EvmDeployment): Claim | null {
  return findFirst(
    VENUE_PROTOCOLS,
    ({ entries }) => entries?.claimAnchor?.(id, path, deployment) ?? null,
  );
}

function listClaims(contracts: ChainContracts, deployment: EvmDeployment): Claim[] {
  const path = `chains.${deployment.chain}`;
  const { wrapped } = deployment;
  const claims: Claim[] = [
    ...contracts.factories.flatMap((entry, index) => {
      const place = { path: `${path}.factories.${index}`, wrapped };
      return VENUE_PROTOCOLS.flatMap(({ entries }) => entries?.listClaims(entry, place) ?? []);
    }),
    ...contracts.stables.map((text, index) => claimToken(`${path}.stables.${index}`, text, null)),
    ...contracts.anchorPools.flatMap((text, index) => {
      const place = `${path}.anchorPools.${index}`;
      return isPoolContract(text)
        ? claimAnchor(place, text, deployment)
        : (claimAnchorId(place, text, deployment) ?? []);
    }),
  ];
  if (contracts.kind === 'added') return claims;
  const { universalRouter, permit2, multicall3, native } = contracts;
  claims.push(claimToken(`${path}.wrapped`, contracts.wrapped, native.decimals));
  if (universalRouter !== null) {
    claims.push(claim(`${path}.universalRouter.address`, universalRouter.address));
  }
  const answers = (what: string, name: string): Claim['judge'] => {
    return ([one]) => (toWord(one) === null ? `is no ${what}: it does not answer ${name}()` : null);
  };
  if (permit2 !== null) {
    const judge = answers('Permit2', 'DOMAIN_SEPARATOR');
    claims.push(claim(`${path}.permit2`, permit2, [DOMAIN_SEPARATOR_SELECTOR], judge));
  }
  if (multicall3 !== null) {
    const judge = answers('Multicall3', 'getBlockNumber');
    claims.push(claim(`${path}.multicall3`, multicall3, [GET_BLOCK_NUMBER_SELECTOR], judge));
  }
  return claims;
}

function isPoolContract(text: string): boolean {
  return text.length === 42;
}

interface CheckParts {
  readonly client: RpcClient;
  /** With the built-in contracts of the chain, if there are any. */
  readonly deployment: EvmDeployment;
  readonly signal: AbortSignal;
}

async function checkClaims(claims: readonly Claim[], parts: CheckParts): Promise<string[]> {
  const { client, signal } = parts;
  const addresses = [...new Set(claims.map(({ address }) => address))];
  const hasCode = await readContractAccounts(client, addresses, signal);
  const asked = claims.filter(({ address }) => hasCode.get(address) === true);
  // One by one: the file's Multicall3 is checked here, too.
  const options = { client, multicall3: null, block: null, signal };
  const answers = await callContracts(
    asked.flatMap(({ address: to, asks }) => asks.map((data) => ({ to, data }))),
    options,
  );
  let next = 0;
  return claims.flatMap((one) => {
    const { path, address } = one;
    if (!asked.includes(one)) return [`${path}: there is no contract at ${address}`];
    const own = answers.slice(next, next + one.asks.length);
    next += one.asks.length;
    const problem = one.judge(own);
    return problem === null ? [] : [`${path}: ${address} ${problem}`];
  });
}

/** Every problem, with its path in the file. Fails if no endpoint answers. */
export async function checkContracts(
  contracts: ChainContracts,
  parts: CheckParts,
): Promise<readonly string[]> {
  const { client, deployment } = parts;
  const path = `chains.${deployment.chain}`;
  const problems = contracts.anchorPools.flatMap((text, index) => {
    const place = `${path}.anchorPools.${index}`;
    if (isPoolContract(text) || claimAnchorId(place, text, deployment) !== null) return [];
    return [`${place}: is the id of a pool in a shared contract, and the chain has no such entry`];
  });
  try {
    return [...problems, ...(await checkClaims(listClaims(contracts, deployment), parts))];
  } catch (error) {
    if (!isRpcError(error, 'wrongChain')) throw error;
    const reasons = client.endpoints.flatMap((one) => one.describeStatus().lastError ?? []);
    return [`${path}.chainId: ${[error.message, ...reasons].join('; ')}`];
  }
}
