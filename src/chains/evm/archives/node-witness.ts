// What the operator's own node says of blocks that an archive sent: the hash that the others link
// to, and all of a block for what no hash covers.

import type { BlockHeader } from '../../../model/block-header.ts';
import { readAgreedHeader, readAnyHeader } from '../../rpc/agreed-header.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { toQuantity } from '../data/hex-data.ts';
import { parseLogs } from '../data/parse-logs.ts';
import { readHeaderAt } from '../rpc/read-header.ts';
import {
  type ArchivedBlock,
  HEADER_FIELDS,
  MalformedBlock,
  parseHeader,
} from './archived-block.ts';

export interface Witness {
  /** The header of a final block; null if no endpoint has it. */
  readHeader(position: number, signal?: AbortSignal): Promise<BlockHeader | null>;
  /**
   * What of the block the node contradicts; null if nothing. With `logs` they are compared, too:
   * needed where no proof covers them.
   */
  findDifference(
    block: ArchivedBlock,
    compared: { readonly logs: boolean },
    signal?: AbortSignal,
  ): Promise<string | null>;
}

interface NodeTransaction {
  readonly hash: unknown;
  readonly from: unknown;
}

function isSameText(own: string | null, other: unknown): boolean {
  return own === null || (typeof other === 'string' && other.toLowerCase() === own);
}

export class NodeWitness implements Witness {
  readonly #client: RpcClient;

  constructor(client: RpcClient) {
    this.#client = client;
  }

  async readHeader(position: number, signal?: AbortSignal): Promise<BlockHeader | null> {
    const query = { position, readAt: readHeaderAt };
    // While some are down nobody may have a majority: one that answers is asked then.
    const agreed = await readAgreedHeader(this.#client, query, signal);
    return agreed ?? (await readAnyHeader(this.#client, query, signal));
  }

  async findDifference(
    block: ArchivedBlock,
    { logs }: { readonly logs: boolean },
    signal?: AbortSignal,
  ): Promise<string | null> {
    const minBlock = block.header.position;
    return await this.#client.at(
      async (endpoint) => {
        const ofBlock = await this.#compareBlock(endpoint, block, signal);
        if (ofBlock !== null || !logs) return ofBlock;
        return await this.#compareLogs(endpoint, block, signal);
      },
      { minBlock, signal },
    );
  }

  async #compareBlock(
    endpoint: RpcEndpoint,
    { header, receipts }: ArchivedBlock,
    signal: AbortSignal | undefined,
  ): Promise<string | null> {
    const params = [toQuantity(header.position), true];
    const raw = await endpoint.request({ method: 'eth_getBlockByNumber', params }, signal);
    const { name } = endpoint;
    if (raw === null) {
      const reason = `${name}: has no block ${header.position}`;
      throw new RpcError('lagging', reason, { endpoint: name });
    }
    const { transactions } = raw as { transactions?: unknown };
    if (!Array.isArray(transactions)) {
      throw new RpcError('invalidReply', `${name}: no transactions`, { endpoint: name });
    }
    const own = parseNodeHeader(raw, name);
    if (own.hash !== header.hash) return 'the hash';
    const field = HEADER_FIELDS.find((one) => {
      const [told, known] = [header.fields[one], own.fields[one]];
      return told !== null && known !== null && told !== known;
    });
    if (field !== undefined) return field;
    // A state sync of Polygon is in the receipts of some archives and nodes, and not of others.
    const isPart = receipts.length >= transactions.length;
    const isSame = (transactions as readonly NodeTransaction[]).every(({ hash, from }, index) => {
      const receipt = receipts[index];
      return (
        receipt !== undefined && isSameText(receipt.txHash, hash) && isSameText(receipt.from, from)
      );
    });
    return isPart && isSame ? null : 'a transaction or its sender';
  }

  async #compareLogs(
    endpoint: RpcEndpoint,
    { header, receipts }: ArchivedBlock,
    signal: AbortSignal | undefined,
  ): Promise<string | null> {
    const { position } = header;
    const range = { fromBlock: toQuantity(position), toBlock: toQuantity(position) };
    const raw = await endpoint.request({ method: 'eth_getLogs', params: [range] }, signal);
    const parsed = parseLogs(raw, {
      ...{ fromBlock: position, toBlock: position, endpoint: endpoint.name },
    });
    const told = receipts.flatMap(({ txHash, logs }) => logs.map((log) => ({ ...log, txHash })));
    const isSame = parsed.every((log, index) => {
      const one = told[index];
      return (
        one?.address === log.address &&
        one.data === log.data &&
        one.txHash === log.txHash &&
        one.topics.join() === log.topics.join()
      );
    });
    return isSame && told.length === parsed.length ? null : 'a log';
  }
}

function parseNodeHeader(raw: unknown, endpoint: string) {
  try {
    return parseHeader(raw);
  } catch (error) {
    if (!(error instanceof MalformedBlock)) throw error;
    throw new RpcError('invalidReply', `${endpoint}: ${error.message}`, { endpoint });
  }
}
