// Parses the devnet's deployment file.

import { BUILT_IN_CHAINS } from '../../../model/chain.ts';
import type { Address } from '../../../model/ids.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { parseEvmAddress, parseEvmPool } from '../data/evm-ids.ts';
import { joinContracts } from './deployments.ts';
import { VENUE_PROTOCOLS } from './registry.ts';
import type { DevnetContracts } from './venue-table.ts';

/** Anvil reports the block 64 below its head as final. */
const DEVNET_FINALITY_DEPTH = 64;

type DeploymentFields = Record<string, unknown>;

function parseFields(value: unknown, what: string): DeploymentFields {
  if (typeof value !== 'object' || value === null)
    throw new TypeError(`devnet: ${what} is missing`);
  return value as DeploymentFields;
}

function parseId<Id>(value: unknown, parse: (text: string) => Id | null, what: string): Id {
  const id = typeof value === 'string' ? parse(value) : null;
  if (id === null) throw new TypeError(`devnet: ${what} is no address`);
  return id;
}

function parseList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`devnet: ${what} is not a list`);
  return value;
}

/** The tokens that represent a dollar there. */
function findStables(tokens: readonly unknown[]): Address[] {
  return tokens
    .map((token) => parseFields(token, 'token'))
    .filter((token) => token['key'] === 'usdc')
    .map((token) => parseId(token['address'], parseEvmAddress, 'usdc'));
}

function parseContracts(value: unknown): DevnetContracts {
  const fields = parseFields(value, 'contracts');
  return {
    has: (name) => fields[name] !== undefined,
    find: (name) => parseId(fields[name], parseEvmAddress, name),
  };
}

export function parseDevnetDeployment(json: unknown): EvmDeployment {
  const file = parseFields(json, 'deployment');
  const contracts = parseContracts(file['contracts']);
  const chainId = Number(file['chainId']);
  if (!Number.isSafeInteger(chainId)) throw new TypeError('devnet: chainId is not a number');
  const devnet = {
    contracts,
    findPart(name: string) {
      if (file[name] === undefined) return null;
      const part = parseFields(file[name], name);
      return parseContracts(part['contracts'] ?? part);
    },
  };
  return {
    ...joinContracts(VENUE_PROTOCOLS.map(({ readDevnet }) => readDevnet?.(devnet) ?? {})),
    chain: 'devnet',
    chainId,
    native: BUILT_IN_CHAINS.devnet.native,
    wrapped: contracts.find('weth'),
    wrappedEmitsTransfers: false,
    stables: findStables(parseList(file['tokens'], 'tokens')),
    anchorPools: parseList(file['anchorPools'], 'anchorPools').map((pool) =>
      parseId(pool, parseEvmPool, 'anchor pool'),
    ),
    universalRouter: { address: contracts.find('universalRouter'), version: '2.1' },
    permit2: contracts.find('permit2'),
    multicall3: contracts.find('multicall3'),
    finalityDepth: DEVNET_FINALITY_DEPTH,
  };
}
