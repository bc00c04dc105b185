// The devnet's RPC server: forwards requests to the node, and answers some itself.
//
// It serves old blocks, which the node has dropped (archive-answers.ts), and it alone decides when
// blocks are mined (block-clock.ts), so that nothing else changes the chain at the same time.

import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { answerFromArchive, findLogs } from './archive-answers.ts';
import type { ArchiveKeeper } from './archive-keeper.ts';
import type { BlockArchive } from './block-archive.ts';
import type { BlockClock } from './block-clock.ts';
import { toHexQuantity } from './block-writer.ts';
import { DevnetRpcError, type JsonRpc } from './json-rpc.ts';

export interface FrontParts {
  readonly rpc: JsonRpc;
  readonly archive: BlockArchive;
  readonly keeper: ArchiveKeeper;
  readonly clock: BlockClock;
}

export interface RpcFront {
  readonly url: string;
  /** Until this is called every request is rejected: the devnet is starting. */
  open(parts: FrontParts): void;
  close(): Promise<void>;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const BODY_BYTES_MAX = 64 * 1024 ** 2;
/** Clients keep connections open; closing one looks like a failing node. */
const KEEP_ALIVE_MS = 600_000;
const INTERNAL_ERROR = -32_603;
const METHOD_NOT_FOUND = -32_601;

/** Methods that change the chain's blocks: never run while a block is being mined. */
const REWRITES = new Set([
  ...['evm_mine', 'evm_mine_detailed', 'anvil_mine_detailed', 'anvil_mine', 'hardhat_mine'],
  ...['evm_snapshot', 'anvil_snapshot', 'evm_revert', 'anvil_revert', 'anvil_reorg'],
  ...['anvil_rollback', 'anvil_reset', 'hardhat_reset', 'anvil_loadState', 'hardhat_loadState'],
]);
/** What developers do to a chain besides, and what reads how it is set up. */
const CHANGES = new Set([
  ...['evm_increaseTime', 'evm_setNextBlockTimestamp', 'evm_setTime', 'evm_setBlockGasLimit'],
  ...['anvil_increaseTime', 'anvil_setNextBlockTimestamp', 'anvil_setTime'],
  ...['anvil_setBlockGasLimit', 'anvil_setBlockTimestampInterval', 'evm_setAccountNonce'],
  ...['anvil_removeBlockTimestampInterval', 'anvil_setNextBlockBaseFeePerGas'],
  ...['anvil_setMinGasPrice', 'anvil_setCoinbase', 'anvil_setBalance', 'anvil_addBalance'],
  ...['anvil_setNonce', 'anvil_setCode', 'anvil_setStorageAt', 'anvil_dealERC20'],
  ...['anvil_dealErc20', 'anvil_setERC20Allowance', 'anvil_setErc20Allowance'],
  ...['anvil_impersonateAccount', 'anvil_stopImpersonatingAccount', 'anvil_impersonateSignature'],
  ...['anvil_autoImpersonateAccount', 'anvil_dropTransaction', 'anvil_dropAllTransactions'],
  ...['anvil_removePoolTransactions', 'anvil_dumpState', 'anvil_nodeInfo', 'anvil_metadata'],
  ...['anvil_getAutomine', 'anvil_getIntervalMining', 'anvil_getBlobByHash'],
  ...['hardhat_setBalance', 'hardhat_setCode', 'hardhat_setNonce', 'hardhat_setStorageAt'],
  ...['hardhat_setNextBlockBaseFeePerGas', 'hardhat_setMinGasPrice', 'hardhat_setCoinbase'],
  ...['hardhat_impersonateAccount', 'hardhat_stopImpersonatingAccount', 'hardhat_getAutomine'],
  ...['hardhat_dropTransaction', 'hardhat_metadata'],
]);
/** Namespaces that read and send: as on any node. */
const NAMESPACES = /^(eth|net|web3|debug|trace|txpool|rpc|erigon|ots)_/;
const MINES_MANY = new Set(['anvil_mine', 'hardhat_mine']);
const SETS_INTERVAL = new Set(['evm_setIntervalMining', 'anvil_setIntervalMining']);

function parseCall(value: unknown): Call | null {
  if (typeof value !== 'object' || value === null) return null;
  const { id = null, method, params = [] } = value as Record<string, unknown>;
  return typeof method === 'string' && Array.isArray(params) ? { id, method, params } : null;
}

/** None if any part is not a call: the node then reports what is wrong. */
function parseCalls(body: Buffer): { readonly calls: readonly Call[]; readonly isBatch: boolean } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    const list = Array.isArray(value) ? value.map(parseCall) : [parseCall(value)];
    const calls = list.filter((call) => call !== null);
    if (calls.length === list.length) return { calls, isBatch: Array.isArray(value) };
  } catch {
    // Not JSON.
  }
  return { calls: [], isBatch: false };
}

/** What the node is asked for a call, or what is done here instead. */
type Plan = { readonly kind: 'node' } | { readonly kind: 'own'; run(): Promise<unknown> };

const LEFT_TO_NODE: Plan = { kind: 'node' };

/** Mines in pieces between which the archive catches up, so that no transaction is lost. */
async function mineMany({ rpc, keeper }: FrontParts, call: Call): Promise<unknown> {
  const [count = 1, ...rest] = call.params;
  const atOnce = keeper.blocksAtOnceMax;
  let left = Number(count);
  while (left > atOnce) {
    await rpc.call(call.method, toHexQuantity(atOnce), ...rest);
    left -= atOnce;
    await keeper.keepUp();
  }
  return rpc.call(call.method, Number.isFinite(left) ? toHexQuantity(left) : count, ...rest);
}

function rewrite(parts: FrontParts, call: Call): Promise<unknown> {
  const { rpc, keeper, clock } = parts;
  return clock.exclusively(async () => {
    await keeper.keepUp();
    const mines = MINES_MANY.has(call.method);
    const answer = await (mines ? mineMany(parts, call) : rpc.call(call.method, ...call.params));
    await keeper.follow();
    return answer;
  });
}

async function setIntervalMining({ rpc, clock }: FrontParts, call: Call): Promise<null> {
  const seconds = Number(call.params[0]);
  // The node's own interval mining is always off: the clock mines instead.
  await rpc.call('evm_setIntervalMining', 0);
  await clock.setInterval(Number.isFinite(seconds) ? seconds * 1_000 : 0);
  return null;
}

function planLogs({ rpc, archive }: FrontParts, call: Call): Plan {
  const found = findLogs(archive, call.params[0]);
  if (found === null) return LEFT_TO_NODE;
  const { logs, restFilter } = found;
  return {
    kind: 'own',
    run: async () =>
      restFilter === null ? logs : [...logs, ...(await rpc.call<[]>(call.method, restFilter))],
  };
}

function isAllowed(method: string): boolean {
  if (NAMESPACES.test(method)) return true;
  return REWRITES.has(method) || SETS_INTERVAL.has(method) || CHANGES.has(method);
}

/** As a node answers what it does not have: what mines by itself would be a second hand here. */
async function refuse(method: string): Promise<never> {
  const message = `the devnet does not take ${method}; it mines by itself, see evm_mine and evm_setIntervalMining`;
  throw new DevnetRpcError(method, { code: METHOD_NOT_FOUND, message });
}

function plan(parts: FrontParts, call: Call): Plan {
  const { method } = call;
  if (!isAllowed(method)) return { kind: 'own', run: () => refuse(method) };
  if (method === 'eth_getLogs') return planLogs(parts, call);
  if (REWRITES.has(method)) return { kind: 'own', run: () => rewrite(parts, call) };
  if (SETS_INTERVAL.has(method)) return { kind: 'own', run: () => setIntervalMining(parts, call) };
  if (method === 'anvil_getIntervalMining') {
    return { kind: 'own', run: async () => parts.clock.intervalMs / 1_000 || null };
  }
  const archived = answerFromArchive(parts.archive, call);
  return archived === undefined ? LEFT_TO_NODE : { kind: 'own', run: async () => archived };
}

async function buildReply(id: unknown, run: () => Promise<unknown>): Promise<unknown> {
  try {
    return { jsonrpc: '2.0', id, result: await run() };
  } catch (error) {
    const failure =
      error instanceof DevnetRpcError
        ? error.failure
        : { code: INTERNAL_ERROR, message: String(error) };
    return { jsonrpc: '2.0', id, error: failure };
  }
}

/** In pieces, because each may add a block per call if the node mines at once. */
async function askNode(parts: FrontParts, calls: readonly Call[]): Promise<Map<Call, unknown>> {
  const replies = new Map<Call, unknown>();
  const atOnce = parts.keeper.blocksAtOnceMax;
  for (let at = 0; at < calls.length; at += atOnce) {
    const piece = calls.slice(at, at + atOnce);
    if (at > 0) await parts.keeper.keepUp();
    const nodeReplies = await parts.rpc.ask(piece);
    for (const [index, call] of piece.entries()) {
      replies.set(call, { ...nodeReplies[index], jsonrpc: '2.0', id: call.id });
    }
  }
  return replies;
}

/** Null if the request can be forwarded unchanged. */
async function answerHere(parts: FrontParts, calls: readonly Call[]): Promise<unknown[] | null> {
  const plans = calls.map((call) => ({ call, plan: plan(parts, call) }));
  const own = plans.some((one) => one.plan.kind === 'own');
  if (!own && calls.length <= parts.keeper.blocksAtOnceMax) return null;
  const left = plans.flatMap((one) => (one.plan.kind === 'node' ? [one.call] : []));
  const [nodeReplies, ...answers] = await Promise.all([
    askNode(parts, left),
    ...plans.map((one) => (one.plan.kind === 'own' ? buildReply(one.call.id, one.plan.run) : null)),
  ]);
  return plans.map((one, index) => answers[index] ?? nodeReplies.get(one.call));
}

function readBody(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > BODY_BYTES_MAX) incoming.destroy(new Error('the request is too large'));
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('error', reject);
  });
}

function answer(outgoing: ServerResponse, status: number, value: unknown): void {
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
  });
  outgoing.end(JSON.stringify(value));
}

/** Forwards the request and the reply unchanged, headers included. */
function forward(
  target: { readonly url: string; readonly agent: Agent },
  exchange: { incoming: IncomingMessage; outgoing: ServerResponse; body: Buffer },
): void {
  const { incoming, outgoing, body } = exchange;
  const { 'transfer-encoding': _, ...headers } = incoming.headers;
  const options = {
    method: incoming.method,
    agent: target.agent,
    headers: { ...headers, 'content-length': body.length },
  };
  const asked = request(new URL(incoming.url ?? '/', target.url), options, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
    // A pipe does not forward that the node broke off.
    reply.on('close', () => {
      if (!reply.complete) outgoing.destroy();
    });
  });
  asked.on('error', () => {
    if (outgoing.headersSent) outgoing.destroy();
    else answer(outgoing, 502, buildFailure('the node is not responding'));
  });
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) asked.destroy();
  });
  asked.end(body);
}

function buildFailure(message: string) {
  return { jsonrpc: '2.0', id: null, error: { code: INTERNAL_ERROR, message } };
}

/** Tunnels a WebSocket to the node byte by byte; it only sees what the node itself still has. */
function tunnel(nodeUrl: string, incoming: IncomingMessage, socket: Socket, head: Buffer): void {
  const { hostname, port } = new URL(nodeUrl);
  const upstream = connect(Number(port), hostname, () => {
    const lines = incoming.rawHeaders.map((text, index) =>
      index % 2 ? `${text}\r\n` : `${text}: `,
    );
    upstream.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on('error', () => socket.destroy());
  socket.on('error', () => upstream.destroy());
  socket.on('close', () => upstream.destroy());
  upstream.on('close', () => socket.destroy());
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(isTaken ? new Error(`port ${port} is in use: set DEVNET_PORT to another`) : error);
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** `port` 0 picks a free one. */
export async function startRpcFront(port: number): Promise<RpcFront> {
  const agent = new Agent({ keepAlive: true });
  let parts: FrontParts | null = null;
  let sends = 0;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (parts === null) return answer(outgoing, 503, buildFailure('the devnet is starting'));
    const body = await readBody(incoming);
    const { calls, isBatch } = parseCalls(body);
    sends += calls.filter(({ method }) => method.startsWith('eth_send')).length;
    if (sends > parts.keeper.blocksAtOnceMax) {
      sends = 0;
      await parts.keeper.keepUp();
    }
    const replies = await answerHere(parts, calls);
    if (replies === null) {
      return forward({ url: parts.rpc.url, agent }, { incoming, outgoing, body });
    }
    answer(outgoing, 200, isBatch ? replies : replies[0]);
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else answer(outgoing, 500, buildFailure(String(error)));
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const tunnels = new Set<Socket>();
  server.on('upgrade', (incoming, socket: Socket, head) => {
    if (parts === null) return socket.destroy();
    tunnels.add(socket);
    socket.on('close', () => tunnels.delete(socket));
    tunnel(parts.rpc.url, incoming, socket, head);
  });
  const url = `http://127.0.0.1:${await listen(server, port)}`;
  return {
    url,
    open(next) {
      parts = next;
    },
    async close() {
      for (const socket of tunnels) socket.destroy();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}
