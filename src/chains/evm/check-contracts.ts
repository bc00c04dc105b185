// Checks what an operator's file says of a chain against the chain itself: there is code at each
// address, and it answers as a contract of its kind does. A wrong address would index nothing, or
// wrong data.

import type { ChainContracts, FactoryEntry } from '../../model/chain-contracts.ts';
import type { Address } from '../../model/ids.ts';
import type { RpcClient } from '../rpc/rpc-client.ts';
import { isRpcError } from '../rpc/rpc-error.ts';
import type { EvmDeployment } from './data/deployments/evm-deployment.ts';
import { evmAddress } from './data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  uintAt,
  uintWord,
} from './data/hex-data.ts';
import { ZERO_ADDRESS } from './data/zero-address.ts';
import { callContracts } from './rpc/multicall.ts';
import { readContractAccounts } from './rpc/read-contract-accounts.ts';
import { DECIMALS_SELECTOR, decodeText, SYMBOL_SELECTOR } from './tokens/read-token-metadata.ts';
import { FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR } from './venues/factory-pools.ts';
import { findV2Layout } from './venues/uniswap-v2/v2-layouts.ts';
import { FEE_TIERS, findV3Layout, type V3Layout } from './venues/uniswap-v3/v3-layouts.ts';
import { GET_SLOT0_SELECTOR } from './venues/uniswap-v4/uniswap-v4.ts';

export const ALL_PAIRS_LENGTH_SELECTOR = '0x574f2ba3';
export const TICK_SPACING_OF_FEE_SELECTOR = '0x22afcccb';
export const ROUTER_WRAPPED_SELECTOR = '0xad5c4648';
export const GET_AMOUNT_OUT_SELECTOR = '0x054d50d4';
export const QUOTER_WRAPPED_SELECTOR = '0x4aa4a4fc';
export const POOL_MANAGER_SELECTOR = '0xdc4c90d3';
export const DOMAIN_SEPARATOR_SELECTOR = '0x3644e515';
export const GET_BLOCK_NUMBER_SELECTOR = '0x42cbb15c';

/** One word, as a number, an address or bytes; null if the contract gave no such answer. */
type Word = string | null;

/** A contract that the file names, and what it must answer. */
interface Claim {
  readonly path: string;
  readonly address: Address;
  readonly asks: readonly string[];
  /** What is wrong with the answers; null if nothing is. */
  readonly judge: (answers: readonly (string | null)[]) => string | null;
}

function toWord(answer: string | null | undefined): Word {
  return answer != null && hasWords(answer, 1) ? answer : null;
}

function claim(
  path: string,
  text: string,
  asks: readonly string[] = [],
  judge: Claim['judge'] = () => null,
): Claim {
  return { path, address: evmAddress(text), asks, judge };
}

/** A getter that must give exactly this address. */
function judgeAddress(answer: Word, what: string, wanted: string): string | null {
  const found = answer === null ? 'nothing' : decodeAddressAt(answer, 0);
  return found === wanted ? null : `names the ${what} ${found}, not ${wanted}`;
}

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

function claimV3(entry: Extract<FactoryEntry, { kind: 'v3' }>, path: string): Claim {
  const tiers = entry.feeTiers ?? FEE_TIERS;
  const asks = tiers.map((fee) => encodeCallData(TICK_SPACING_OF_FEE_SELECTOR, uintWord(fee)));
  return claim(`${path}.factory`, entry.factory, asks, (answers) => {
    const words = answers.map(toWord);
    if (words.includes(null)) return 'is no V3 factory: it does not answer feeAmountTickSpacing()';
    const unknown = tiers.filter((_, index) => uintAt(words[index] ?? '0x0', 0) === 0n);
    if (entry.feeTiers === null) {
      return unknown.length < tiers.length ? null : 'knows none of the usual fees: name feeTiers';
    }
    return unknown.length === 0 ? null : `does not know the fees ${unknown.join(', ')}`;
  });
}

/** A factory of another layout finds the pool of two tokens, or none, in its own way. */
function claimLike(
  entry: Exclude<FactoryEntry, { kind: 'v4' }>,
  layout: string,
  path: string,
): Claim {
  const { lookupSelector, keys } =
    entry.kind === 'v2' ? findV2Layout(entry) : listV3Keys(findV3Layout(entry));
  const tokens = [addressWord(ZERO_ADDRESS), addressWord(ZERO_ADDRESS)];
  const ask = encodeCallData(lookupSelector, ...tokens, ...keys.slice(0, 1));
  return claim(`${path}.factory`, entry.factory, [ask], ([answer]) =>
    toWord(answer) === null ? `is no factory of the layout ${layout}: it finds no pools` : null,
  );
}

/** Routers of Solidly's layout take the factory with each hop. */
function claimLikeRouter(entry: Exclude<FactoryEntry, { kind: 'v4' }>, path: string): Claim[] {
  if (!entry.router) return [];
  const place = `${path}.router`;
  if (entry.layout === 'solidly') return [claim(place, entry.router)];
  return [
    claim(place, entry.router, [FACTORY_SELECTOR], ([factory]) =>
      judgeAddress(toWord(factory), 'factory', entry.factory),
    ),
  ];
}

function listV3Keys({ lookupSelector, listKeys, encodeKey }: V3Layout) {
  return { lookupSelector, keys: listKeys({}).flatMap(encodeKey) };
}

type More = Pick<Claim, 'asks' | 'judge'>;
const NO_MORE: More = { asks: [], judge: () => null };

const PIPS = 1_000_000n;
/** What a router is asked: large, so that a fee of one pip shows. */
const ASKED = { amountIn: 10n ** 24n, reserve: 10n ** 30n };

/** What a pair with such reserves pays at this fee, as routers round it. */
function computeAmountOut(feePips: number): bigint {
  const { amountIn, reserve } = ASKED;
  const charged = amountIn * (PIPS - BigInt(feePips));
  return (charged * reserve) / (reserve * PIPS + charged);
}

function estimateFee(amountOut: bigint): bigint {
  const { amountIn, reserve } = ASKED;
  if (amountOut >= reserve) return 0n;
  const charged = (amountOut * reserve) / (reserve - amountOut);
  return PIPS - (charged * PIPS + amountIn / 2n) / amountIn;
}

/** A V2 fork's own router tells what its pairs charge. */
function askFee(feePips: number): More {
  const words = [ASKED.amountIn, ASKED.reserve, ASKED.reserve].map(uintWord);
  return {
    asks: [encodeCallData(GET_AMOUNT_OUT_SELECTOR, ...words)],
    judge: ([answer]) => {
      const word = toWord(answer);
      if (word === null) return 'does not tell its fee by getAmountOut(): leave the router out';
      const paid = uintAt(word, 0);
      if (paid === computeAmountOut(feePips)) return null;
      return `charges about ${estimateFee(paid)} pips, not ${feePips}: correct feePips`;
    },
  };
}

function listFactoryClaims(entry: FactoryEntry, path: string, wrapped: Address): Claim[] {
  if (entry.kind === 'v4') {
    const parts = ['positionManager', 'stateView', 'quoter'] as const;
    return [
      claim(`${path}.poolManager`, entry.poolManager),
      ...parts.map((part) =>
        claim(`${path}.${part}`, entry[part], [POOL_MANAGER_SELECTOR], ([manager]) =>
          judgeAddress(toWord(manager), 'pool manager', entry.poolManager),
        ),
      ),
    ];
  }
  if (entry.layout !== undefined) {
    return [claimLike(entry, entry.layout, path), ...claimLikeRouter(entry, path)];
  }
  const periphery = (
    name: 'router' | 'quoter',
    { text, wrappedAsk, more = NO_MORE }: { text: string | null; wrappedAsk: string; more?: More },
  ) => {
    if (text === null) return [];
    const asks = [FACTORY_SELECTOR, wrappedAsk, ...more.asks];
    return [
      claim(`${path}.${name}`, text, asks, ([factory, coin, ...rest]) => {
        const problem = judgeAddress(toWord(factory), 'factory', entry.factory);
        return problem ?? judgeAddress(toWord(coin), 'wrapped coin', wrapped) ?? more.judge(rest);
      }),
    ];
  };
  if (entry.kind === 'v3') {
    return [
      claimV3(entry, path),
      ...periphery('quoter', { text: entry.quoter, wrappedAsk: QUOTER_WRAPPED_SELECTOR }),
      ...periphery('router', { text: entry.router ?? null, wrappedAsk: QUOTER_WRAPPED_SELECTOR }),
    ];
  }
  const factory = claim(
    `${path}.factory`,
    entry.factory,
    [ALL_PAIRS_LENGTH_SELECTOR],
    ([pairs]) => {
      return toWord(pairs) === null
        ? 'is no V2 factory: it does not answer allPairsLength()'
        : null;
    },
  );
  const router = { text: entry.router, wrappedAsk: ROUTER_WRAPPED_SELECTOR };
  return [factory, ...periphery('router', { ...router, more: askFee(entry.feePips) })];
}

/** An anchor prices the native coin, so it must be a pool of it against a stable asset. */
function claimAnchor(path: string, text: string, deployment: EvmDeployment): Claim {
  const asks = [FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR];
  const forks = [...deployment.v2, ...deployment.v3].filter((fork) => fork.isSearched !== false);
  const factories = forks.map((fork) => fork.factory);
  return claim(path, text, asks, (answers) => {
    const words = answers.map(toWord);
    if (words.includes(null)) return 'is no V2 or V3 pool: it does not name its factory and tokens';
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

/** Its id does not tell its tokens: only that there is such a pool can be checked. */
function claimV4Anchor(path: string, id: string, { v4 }: EvmDeployment): Claim[] {
  if (v4 === null) return [];
  const ask = encodeCallData(GET_SLOT0_SELECTOR, id.slice(2));
  return [
    claim(path, v4.stateView, [ask], ([slot]) => {
      const isThere = slot != null && hasWords(slot, 4) && uintAt(slot, 0) > 0n;
      return isThere ? null : `knows no pool ${id}`;
    }),
  ];
}

function listClaims(contracts: ChainContracts, deployment: EvmDeployment): Claim[] {
  const path = `chains.${deployment.chain}`;
  const { wrapped } = deployment;
  const claims: Claim[] = [
    ...contracts.factories.flatMap((entry, index) =>
      listFactoryClaims(entry, `${path}.factories.${index}`, wrapped),
    ),
    ...contracts.stables.map((text, index) => claimToken(`${path}.stables.${index}`, text, null)),
    ...contracts.anchorPools.flatMap((text, index) =>
      isPoolContract(text)
        ? [claimAnchor(`${path}.anchorPools.${index}`, text, deployment)]
        : claimV4Anchor(`${path}.anchorPools.${index}`, text, deployment),
    ),
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

/** The id of a V4 pool has no contract of its own. */
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
  const isV4Anchor = contracts.anchorPools.findIndex((text) => !isPoolContract(text));
  const problems =
    isV4Anchor >= 0 && deployment.v4 === null
      ? [`${path}.anchorPools.${isV4Anchor}: is a V4 pool, but the chain has no V4 entry`]
      : [];
  try {
    return [...problems, ...(await checkClaims(listClaims(contracts, deployment), parts))];
  } catch (error) {
    if (!isRpcError(error, 'wrongChain')) throw error;
    const reasons = client.endpoints.flatMap((one) => one.describeStatus().lastError ?? []);
    return [`${path}.chainId: ${[error.message, ...reasons].join('; ')}`];
  }
}
