// Deploys the exchanges, their lens contracts and the tokens on a new chain.

import {
  type Address,
  encodeDeployData,
  getContractAddress,
  type Hex,
  keccak256,
  padHex,
  stringToHex,
  zeroAddress,
} from 'viem';
import { MAKER, TEST_ADDRESSES, TRADERS } from './accounts.ts';
import { type ArtifactName, readArtifact, readPermit2Code } from './artifacts.ts';
import type { BlockWriter } from './block-writer.ts';
import { buildHookCreation, CREATE2_DEPLOYER, readCompiledContracts } from './compile-contracts.ts';
import type { DevnetContracts, DevnetToken } from './deployment.ts';
import type { JsonRpc } from './json-rpc.ts';
import { computeStartingShare, TOKEN_LIST, type TokenSpec, toRawAmount } from './token-list.ts';

const PERMIT2: Address = '0x000000000022d473030f116ddee9f6b43ac78ba3';
const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11';
const MAKER_BALANCE = 10n ** 24n;
const TRADER_BALANCE = 20_000n * 10n ** 18n;
const CREW_SIZE = 5;
/** Tokens that every trader and test account has from the start. */
const COMMON_TOKENS: ReadonlySet<string> = new Set(['usdc', 'wire']);
const POSITION_UNSUBSCRIBE_GAS = 300_000n;

function estimateCreateGas(code: Hex): bigint {
  return 500_000n + (BigInt(code.length) / 2n) * 290n;
}

/** Queues a creation by the maker and returns its address. */
export function queueCreate(writer: BlockWriter, code: Hex, extraGas = 0n): Address {
  const nonce = BigInt(writer.nonceOf(MAKER));
  writer.queue({ from: MAKER, data: code, gas: estimateCreateGas(code) + extraGas });
  return lower(getContractAddress({ from: MAKER, nonce }));
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}

function encodeInitCode(name: ArtifactName, args: readonly unknown[] = []): Hex {
  const { abi, bytecode } = readArtifact(name);
  return encodeDeployData({ abi, bytecode, args });
}

/** The wallets that have a token from the start and trade it. */
export function pickCrew(tokenKey: string): readonly Address[] {
  if (COMMON_TOKENS.has(tokenKey)) return TRADERS;
  const offset = TOKEN_LIST.findIndex(({ key }) => key === tokenKey) * 5;
  return Array.from({ length: CREW_SIZE }, (_, n) => {
    const trader = TRADERS[(offset + n) % TRADERS.length];
    if (trader === undefined) throw new Error('there are no traders');
    return trader;
  });
}

/** Funds the wallets and sets the code of contracts that have the same address on every chain. */
export async function prepareChain(rpc: JsonRpc): Promise<void> {
  const viemEntry = import.meta.resolve('viem');
  const constants: { multicall3Bytecode: Hex } = await import(
    new URL('./constants/contracts.js', viemEntry).href
  );
  // The constant is creation code: 32 bytes of constructor, then the runtime code.
  const multicall3: Hex = `0x${constants.multicall3Bytecode.slice(2 + 64)}`;
  const fund = (address: Address, balance: bigint) => ({
    method: 'anvil_setBalance',
    params: [address, `0x${balance.toString(16)}`],
  });
  await rpc.batch([
    fund(MAKER, MAKER_BALANCE),
    ...TRADERS.map((trader) => fund(trader, TRADER_BALANCE)),
    { method: 'anvil_setCode', params: [PERMIT2, readPermit2Code()] },
    { method: 'anvil_setCode', params: [MULTICALL3, multicall3] },
  ]);
}

/** Lets the node impersonate the wallets without keys; it forgets this when it restarts. */
export async function impersonateActors(rpc: JsonRpc): Promise<void> {
  const actors = [MAKER, ...TRADERS];
  await rpc.batch(actors.map((actor) => ({ method: 'anvil_impersonateAccount', params: [actor] })));
}

function queueHook(writer: BlockWriter): Address {
  const { data, address } = buildHookCreation('sellFee');
  writer.queue({ from: MAKER, to: CREATE2_DEPLOYER, data, gas: estimateCreateGas(data) });
  return address;
}

export function computeInitCodeHashes(): { pair: Hex; pool: Hex } {
  return {
    pair: keccak256(readArtifact('UniswapV2Pair').bytecode),
    pool: keccak256(readArtifact('UniswapV3Pool').bytecode),
  };
}

export function queueContracts(writer: BlockWriter): DevnetContracts {
  const create = (name: ArtifactName, args: readonly unknown[] = []) =>
    queueCreate(writer, encodeInitCode(name, args));
  const weth = create('WETH9');
  const v2Factory = create('UniswapV2Factory', [MAKER]);
  const v2Router = create('UniswapV2Router02', [v2Factory, weth]);
  const v3Factory = create('UniswapV3Factory');
  const v3PositionManager = create('NonfungiblePositionManager', [v3Factory, weth, zeroAddress]);
  const v3Quoter = create('QuoterV2', [v3Factory, weth]);
  const v3TickLens = create('TickLens');
  const v4PoolManager = create('PoolManager', [MAKER]);
  const v4PositionManager = create('PositionManager', [
    ...[v4PoolManager, PERMIT2, POSITION_UNSUBSCRIBE_GAS, zeroAddress, weth],
  ]);
  const v4Quoter = create('V4Quoter', [v4PoolManager]);
  const v4StateView = create('StateView', [v4PoolManager]);
  const initCodeHashes = computeInitCodeHashes();
  const routerParameters = {
    permit2: PERMIT2,
    weth9: weth,
    v2Factory,
    v3Factory,
    pairInitCodeHash: initCodeHashes.pair,
    poolInitCodeHash: initCodeHashes.pool,
    v4PoolManager,
    v3NFTPositionManager: v3PositionManager,
    v4PositionManager,
    spokePool: zeroAddress,
  };
  const universalRouter = create('UniversalRouter', [routerParameters]);
  const v4Hook = queueHook(writer);
  return {
    ...{ weth, permit2: PERMIT2, multicall3: MULTICALL3, v2Factory, v2Router, v3Factory },
    ...{ v3PositionManager, v3Quoter, v3TickLens, v4PoolManager, v4PositionManager, v4Quoter },
    ...{ v4StateView, v4Hook, universalRouter },
  };
}

/** Who gets how much at creation; the maker gets the rest of the supply. */
function planHoldings(token: TokenSpec): { holders: Address[]; amounts: bigint[] } {
  const crew = pickCrew(token.key);
  const crewShare = computeStartingShare(token);
  const guests = COMMON_TOKENS.has(token.key) ? TEST_ADDRESSES : [];
  const guestShare = toRawAmount(token, 100_000n);
  const supply = token.supplyUnits * 10n ** BigInt(token.decimals);
  const given = crewShare * BigInt(crew.length) + guestShare * BigInt(guests.length);
  return {
    holders: [MAKER, ...crew, ...guests],
    amounts: [supply - given, ...crew.map(() => crewShare), ...guests.map(() => guestShare)],
  };
}

function buildTokenArgs(token: TokenSpec): unknown[] {
  const { holders, amounts } = planHoldings(token);
  const { name, symbol, decimals } = token;
  switch (token.contract) {
    case 'HostileNameToken':
    case 'MuteToken':
      return [holders, amounts];
    case 'Bytes32Token': {
      const texts = [name, symbol].map((text) =>
        padHex(stringToHex(text), { dir: 'right', size: 32 }),
      );
      return [...texts, holders, amounts];
    }
    case 'TaxToken':
      return [name, symbol, decimals, holders, amounts, token.tax];
    default:
      return [name, symbol, decimals, holders, amounts];
  }
}

export function queueTokens(writer: BlockWriter): DevnetToken[] {
  const { contracts } = readCompiledContracts();
  return TOKEN_LIST.map((token) => {
    const compiled = contracts[token.contract];
    if (compiled === undefined) throw new Error(`${token.contract} is not compiled`);
    const { abi, bytecode } = compiled;
    const args = buildTokenArgs(token);
    const holderCount = BigInt(planHoldings(token).holders.length);
    const code = encodeDeployData({ abi, bytecode, args });
    const address = queueCreate(writer, code, holderCount * 40_000n);
    const { key, name, symbol, decimals, quirk } = token;
    return { key, address, symbol, name, decimals, quirk };
  });
}
