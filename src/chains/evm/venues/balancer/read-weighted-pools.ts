// What the contracts say of pools of Balancer V2: the vault knows their tokens and balances, a
// factory whether they are weighted, the pool its weights, fee and whether it is paused.

import { joinFlags } from '../../../../amm/unchecked-flag.ts';
import { FEE_PER_PIP } from '../../../../amm/weighted/weighted-pool.ts';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { PoolDescription, StateOf } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { toPoolContract } from '../../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWordAt,
  hasWords,
  uintAt,
} from '../../data/hex-data.ts';
import type { CallContracts } from '../../rpc/multicall.ts';
import { DECIMALS_SELECTOR } from '../../tokens/read-token-metadata.ts';
import { describeUnpriced } from '../unpriced-pools.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import {
  GET_PAUSED_STATE_SELECTOR,
  GET_POOL_ID_SELECTOR,
  GET_POOL_TOKENS_SELECTOR,
  GET_SWAP_FEE_SELECTOR,
  GET_WEIGHTS_SELECTOR,
  IS_POOL_FROM_FACTORY_SELECTOR,
} from './balancer-selectors.ts';
import type { BalancerVault } from './vault-contracts.ts';
import { buildRowId, listTokenPairs, parseRowId } from './vault-rows.ts';

interface VaultContext {
  readonly deployment: EvmDeployment;
  readonly callContracts: CallContracts;
}

interface NamedPool {
  readonly contract: Address;
  readonly poolWord: string;
}

const ADDRESS_LENGTH = 42;
const DECIMALS_MAX = 18n;

function findVault({ balancer = [] }: EvmDeployment): BalancerVault | undefined {
  return balancer.find(({ version }) => version === 2);
}

/** The first of the lists in an answer of `count` lists; null if it is none. */
function readWords(answer: string | null | undefined, head: number): bigint[] | null {
  if (answer == null || !hasWordAt(answer, head)) return null;
  const at = Number(uintAt(answer, head) / 32n);
  if (!hasWordAt(answer, at)) return null;
  const count = Number(uintAt(answer, at));
  if (count === 0 || !hasWordAt(answer, at + count)) return null;
  return Array.from({ length: count }, (_, index) => uintAt(answer, at + 1 + index));
}

/** Tokens and balances of a pool, as its vault has them. */
function readPoolTokens(answer: string | null | undefined) {
  const [words, balances] = [readWords(answer, 0), readWords(answer, 1)];
  if (answer == null || words === null || balances?.length !== words.length) return null;
  const at = Number(uintAt(answer, 0) / 32n) + 1;
  return { tokens: words.map((_, index) => decodeAddressAt(answer, at + index)), balances };
}

/** Pools that were named by their contract alone tell their word, which begins with it. */
async function namePools(ids: readonly PoolId[], { callContracts }: VaultContext) {
  const named = new Map<Address, NamedPool>();
  const bare: Address[] = [];
  for (const id of ids) {
    const row = parseRowId(id);
    if (row !== null) named.set(row.contract, row);
    else if (id.length === ADDRESS_LENGTH) bare.push(toPoolContract(id));
  }
  const unnamed = bare.filter((contract) => !named.has(contract));
  const words = await callContracts(unnamed.map((to) => ({ to, data: GET_POOL_ID_SELECTOR })));
  unnamed.forEach((contract, index) => {
    const poolWord = words[index] ?? '';
    if (hasWords(poolWord, 1) && poolWord.startsWith(contract)) {
      named.set(contract, { contract, poolWord });
    }
  });
  return [...named.values()];
}

/** All rows of weighted pools, and of other pools the rows that were asked for. */
export async function resolveVaultPools(
  ids: readonly PoolId[],
  context: VaultContext,
): Promise<PoolDescription[]> {
  const known = findVault(context.deployment);
  if (known === undefined) return [];
  const { venue, vault, weighted = { first: [], later: [] } } = known;
  const factories = [...weighted.first, ...weighted.later];
  const pools = await namePools(ids, context);
  const width = factories.length + 1;
  const answers = await context.callContracts(
    pools.flatMap(({ contract, poolWord }) => [
      { to: vault, data: encodeCallData(GET_POOL_TOKENS_SELECTOR, poolWord.slice(2)) },
      ...factories.map((to) => ({
        to,
        data: encodeCallData(IS_POOL_FROM_FACTORY_SELECTOR, addressWord(contract)),
      })),
    ]),
  );
  const asked = new Set(ids);
  return pools.flatMap(({ contract, poolWord }, at): PoolDescription[] => {
    const [told, ...vouched] = answers.slice(at * width, (at + 1) * width);
    const tokens = readPoolTokens(told)?.tokens ?? [];
    const factory = vouched.findIndex(
      (one) => one !== null && hasWords(one, 1) && uintAt(one, 0) === 1n,
    );
    return listTokenPairs(tokens).flatMap(([token0, token1]): PoolDescription[] => {
      const pool = buildRowId(poolWord, [token0, token1]);
      // The pool's own share, which some pools hold: its swaps are joins and exits.
      if (pool === null || token0 === contract || token1 === contract) return [];
      const place = { pool, venue, vault, token0, token1, feePips: 0 };
      if (factory < 0) return asked.has(pool) ? [describeUnpriced(place)] : [];
      const hasShortcuts = factory >= weighted.first.length;
      const terms = { poolWord, tokens: tokens.join(' '), hasShortcuts };
      return [{ ...place, kind: 'weighted', terms }];
    });
  });
}

const CALLS_PER_ROW = 7;

function listCalls(description: PoolDescription) {
  const { contract, poolWord } = parseRowId(description.pool) ?? { contract: null, poolWord: '' };
  if (contract === null || description.kind !== 'weighted') return null;
  return [
    {
      to: description.vault,
      data: encodeCallData(GET_POOL_TOKENS_SELECTOR, poolWord.slice(2)),
    },
    { to: contract, data: GET_WEIGHTS_SELECTOR },
    { to: contract, data: GET_SWAP_FEE_SELECTOR },
    { to: contract, data: GET_PAUSED_STATE_SELECTOR },
    { to: description.vault, data: GET_PAUSED_STATE_SELECTOR },
    { to: description.token0, data: DECIMALS_SELECTOR },
    { to: description.token1, data: DECIMALS_SELECTOR },
  ];
}

function readDecimals(answer: string | null | undefined): number | null {
  if (answer == null || !hasWordAt(answer, 0)) return null;
  const decimals = uintAt(answer, 0);
  return decimals > DECIMALS_MAX ? null : Number(decimals);
}

/** Of a pool or of the vault; null if it does not tell. */
function readPaused(answer: string | null | undefined): boolean | null {
  return answer == null || !hasWordAt(answer, 0) ? null : uintAt(answer, 0) !== 0n;
}

/** The state of a row by these answers; null if one of them is missing. */
function toState(
  { token0, token1 }: PoolDescription,
  answers: readonly (string | null)[],
): Omit<StateOf<'weighted'>, 'lastSwap'> | null {
  const [told, weightList, fee, paused, vaultPaused, first, second] = answers;
  const [held, weights] = [readPoolTokens(told), readWords(weightList, 0)];
  const [decimals0, decimals1] = [readDecimals(first), readDecimals(second)];
  if (held === null || weights?.length !== held.tokens.length) return null;
  if (fee == null || !hasWords(fee, 1)) return null;
  const pauses = [paused, vaultPaused].map(readPaused);
  if (pauses.includes(null)) return null;
  if (decimals0 === null || decimals1 === null) return null;
  const [index0, index1] = [held.tokens.indexOf(token0), held.tokens.indexOf(token1)];
  const [balance0, balance1] = [held.balances[index0], held.balances[index1]];
  const [weight0, weight1] = [weights[index0], weights[index1]];
  if (balance0 === undefined || balance1 === undefined) return null;
  if (weight0 === undefined || weight1 === undefined) return null;
  return {
    ...{ balance0, balance1, weight0, weight1, decimals0, decimals1 },
    ...{ tokenCount: held.tokens.length, swapFee: uintAt(fee, 0) },
    flags: joinFlags(pauses.includes(true) ? ['closed'] : []),
  };
}

export const readWeightedStates: VenueProtocol['readPoolStates'] = async (queries, context) => {
  const asked = queries.flatMap(({ description }) => {
    const calls = listCalls(description);
    return calls === null ? [] : [{ description, calls }];
  });
  const answers = await context.callContracts(asked.flatMap(({ calls }) => calls));
  const states = new Map(
    asked.map(({ description }, index) => {
      const own = answers.slice(index * CALLS_PER_ROW, (index + 1) * CALLS_PER_ROW);
      return [description.pool, toState(description, own)];
    }),
  );
  return queries.map(({ description: { pool } }) => {
    const state = states.get(pool) ?? null;
    return state === null ? null : { pool, state, ticks: [] };
  });
};

export const readWeightedPage: VenueProtocol['readPoolPage'] = async (query, context) => {
  const { description } = query;
  const calls = listCalls(description);
  if (calls === null) return null;
  const state = toState(description, await context.callContracts(calls));
  if (state === null) return null;
  const feePips = Number(((state.swapFee ?? 0n) + FEE_PER_PIP - 1n) / FEE_PER_PIP);
  return { state, feePips, ticks: [], covered: null, isLast: true };
};
