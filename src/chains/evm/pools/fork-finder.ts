// Judges pools of factories that nobody listed, by what they do: the first protocol whose getters a
// pool answers probes it (`venues/fork-protocol.ts`). What pools of one factory with the same code
// do is found out once (`fork-verdicts.ts`).

import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { toPoolContract } from '../data/evm-ids.ts';
import { toQuantity } from '../data/hex-data.ts';
import { callContracts } from '../rpc/multicall.ts';
import type { ProbeNode } from '../venues/call-probe.ts';
import {
  type ConfirmedFork,
  type ForkClaim,
  type ForkProtocol,
  type ForkVerdict,
  NOT_NOW,
  REFUSED,
} from '../venues/fork-protocol.ts';
import { FORK_PROTOCOLS, listFactories } from '../venues/registry.ts';
import { ForkVerdicts } from './fork-verdicts.ts';

const CODE = /^0x[0-9a-f]+$/i;

/** `notNow`: not accepted yet. `unable`: no node can run the probe, so nothing is known. */
type ForkOutcome =
  | { readonly kind: 'accepted'; readonly description: PoolDescription }
  | { readonly kind: 'refused' }
  | { readonly kind: 'notNow' }
  | { readonly kind: 'unable' };

export type ForkJudgement = ForkOutcome & {
  /** The block whose state was read. */
  readonly block: number;
};

export class ForkFinder {
  readonly #client: RpcClient;
  readonly #deployment: EvmDeployment;
  readonly #listed: ReadonlySet<Address>;
  readonly #verdicts = new ForkVerdicts<ForkVerdict>();

  constructor(client: RpcClient, deployment: EvmDeployment) {
    this.#client = client;
    this.#deployment = deployment;
    this.#listed = new Set(listFactories(deployment).map(({ factory }) => factory));
  }

  async judge(pool: PoolId, signal: AbortSignal): Promise<ForkJudgement> {
    const client = this.#client;
    const block = await client.at((endpoint) => endpoint.readBlockNumber(signal), { signal });
    return { ...(await this.#judgeAt(pool, { client, block, signal })), block };
  }

  /** The blocks above this one are gone, and what pools did there. */
  forgetAbove(position: number): void {
    this.#verdicts.forgetAbove(position);
  }

  async #judgeAt(pool: PoolId, node: ProbeNode): Promise<ForkOutcome> {
    const deployment = this.#deployment;
    const at = { ...node, multicall3: deployment.multicall3 };
    const judging = {
      ...{ ...node, deployment },
      callContracts: (calls: Parameters<typeof callContracts>[0]) => callContracts(calls, at),
    };
    for (const protocol of FORK_PROTOCOLS) {
      const claim = await protocol.readClaim(pool, judging);
      if (claim !== null) return this.#judgeClaim(pool, { protocol, claim }, node);
    }
    return REFUSED;
  }

  async #judgeClaim(
    pool: PoolId,
    { protocol, claim }: { readonly protocol: ForkProtocol; readonly claim: ForkClaim },
    node: ProbeNode,
  ): Promise<ForkOutcome> {
    const { factory, token0, token1 } = claim;
    if (this.#listed.has(factory)) return REFUSED;
    const confirmed = await claim.confirm();
    if (confirmed.kind !== 'confirmed') return confirmed;
    const vault = toPoolContract(pool);
    const place = { pool, vault, token0, token1, venue: `${protocol.prefix}${factory}` };
    const verdict = await this.#findVerdict(confirmed, place, node);
    if (verdict.kind !== 'same') return verdict;
    const details = confirmed.toDetails(verdict.feePips);
    return { kind: 'accepted', description: { ...place, ...details } };
  }

  async #findVerdict(
    fork: ConfirmedFork,
    {
      vault: pool,
      token0,
      token1,
      venue,
    }: Pick<PoolDescription, 'vault' | 'token0' | 'token1' | 'venue'>,
    node: ProbeNode,
  ): Promise<ForkVerdict> {
    const [code = null, ...ofTokens] = await this.#readCodes([pool, token0, token1], node);
    if (code === null || ofTokens.includes(null)) return REFUSED;
    const key = `${venue} ${keccak256(fork.maskCode(code))}`;
    const known = this.#verdicts.find(key);
    if (known !== undefined) return known;
    const verdict = await fork.probe();
    // Its block may have been reorganised away meanwhile.
    node.signal.throwIfAborted();
    const { block } = node;
    if (verdict.kind === 'unable' || verdict.kind === 'notNow') return verdict;
    return this.#verdicts.keep(key, verdict, { pool, block }) ? verdict : NOT_NOW;
  }

  /** Null for addresses without code. A precompile answers calls, too, but has none. */
  async #readCodes(
    addresses: readonly Address[],
    { block: minBlock, signal }: ProbeNode,
  ): Promise<(Hex | null)[]> {
    const calls = addresses.map((address) => ({
      ...{ method: 'eth_getCode' as const, params: [address, toQuantity(minBlock)] },
    }));
    return await this.#client.at(
      async (endpoint) => {
        const outcomes = await endpoint.batch(calls, { signal });
        return outcomes.map((outcome) => {
          const code = endpoint.unwrap(outcome);
          return typeof code === 'string' && CODE.test(code) ? (code as Hex) : null;
        });
      },
      { minBlock, signal },
    );
  }
}
