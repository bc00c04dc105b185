// Messages for the MCP endpoint: every method and tool, in every revision, valid and not.

import type { Json } from '../market-scene.ts';
import { makeHostile, type ValueSource } from './make-value.ts';

export interface McpRequest {
  readonly body: Json;
  readonly headers: readonly [string, string][];
}

const TOOLS = [
  'get_capabilities',
  'get_entitlements',
  'search_tokens',
  'get_token',
  'get_klines',
  'get_trades',
  'get_holders',
  'get_token_safety',
  'get_wallet_balances',
  'get_wallet_positions',
  'get_quote',
  'get_trade_status',
];

const METHODS = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'notifications/initialized',
  'logging/setLevel',
  '__proto__',
  '',
];

const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', 'x'];

/** A tool's arguments have the names of its HTTP operation's inputs. */
function makeArguments(source: ValueSource): Json {
  const { dice, known } = source;
  const pick = (kind: string) => dice.pickAny(known.list(kind)) ?? 'none';
  const all: Record<string, () => Json> = {
    chain: () => (dice.chance(0.9) ? 'devnet' : 'base'),
    mint: () => pick('mint'),
    q: () => pick('word'),
    interval: () => dice.pick(['1m', '1h', '1M', '2m']),
    limit: () => dice.pick([1, 5, 100, 1001, -1, 1.5, '5']),
    cursor: () => dice.pickAny(known.listAll()) ?? '',
    side: () => dice.pick(['buy', 'sell']),
    amountInRaw: () => String(10n ** BigInt(dice.below(30))),
    txHash: () => pick('txHash'),
  };
  const chosen = Object.entries(all).filter(([name]) =>
    ['chain', 'mint'].includes(name) ? dice.chance(0.85) : dice.chance(0.3),
  );
  const made = Object.fromEntries(chosen.map(([name, make]) => [name, make()]));
  if (dice.chance(0.15)) made[dice.pick(Object.keys(all))] = makeHostile(dice);
  return dice.chance(0.03) ? makeHostile(dice) : made;
}

function makeParams(method: string, source: ValueSource): Record<string, Json> {
  const { dice } = source;
  if (method === 'tools/call') {
    const name = dice.chance(0.95) ? dice.pick(TOOLS) : makeHostile(dice);
    return { name, arguments: makeArguments(source) };
  }
  if (method === 'initialize') {
    const clientInfo = { name: 'fuzz', version: '1' };
    return { protocolVersion: dice.pick(VERSIONS), capabilities: {}, clientInfo };
  }
  if (method === 'resources/read') {
    return { uri: dice.pick(['mintwire://errors', 'mintwire://reference', makeHostile(dice)]) };
  }
  if (method === 'prompts/get')
    return { name: makeHostile(dice), arguments: makeArguments(source) };
  if (method === 'completion/complete') {
    const ref = { type: dice.pick(['ref/prompt', 'ref/resource']), name: 'x', uri: 'x' };
    return { ref, argument: { name: 'chain', value: makeHostile(dice) } };
  }
  return dice.chance(0.1) ? { cursor: makeHostile(dice) } : {};
}

function makeMessage(source: ValueSource): Record<string, Json> {
  const { dice } = source;
  const method = dice.chance(0.6) ? 'tools/call' : dice.pick(METHODS);
  const message: Record<string, Json> = {
    jsonrpc: '2.0',
    id: dice.pick<Json>([1, 'a', dice.below(1000), 0, -1, 1.5]),
    method,
    params: makeParams(method, source),
  };
  if (dice.chance(0.06)) delete message[dice.pick(['jsonrpc', 'id', 'method', 'params'])];
  if (dice.chance(0.06)) {
    message[dice.pick(['jsonrpc', 'id', 'method', 'params', 'x'])] = makeHostile(dice);
  }
  return message;
}

/** The stateless revision repeats parts of the message in headers. */
function buildStateless(message: Record<string, Json>): McpRequest {
  const { method, params } = message;
  const name = params?.name ?? params?.uri;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const isPlain = typeof params === 'object' && params !== null;
  return {
    body: isPlain ? { ...message, params: { ...params, _meta: meta } } : message,
    headers: [
      ['MCP-Protocol-Version', '2026-07-28'],
      ['Mcp-Method', typeof method === 'string' ? method : 'tools/call'],
      ...(typeof name === 'string' ? ([['Mcp-Name', name]] as [string, string][]) : []),
    ],
  };
}

export function makeMcpMessage(source: ValueSource): McpRequest {
  const { dice } = source;
  if (dice.chance(0.3)) return buildStateless(makeMessage(source));
  const headers: [string, string][] = dice.chance(0.4)
    ? [['MCP-Protocol-Version', dice.pick(VERSIONS)]]
    : [];
  if (dice.chance(0.12)) {
    const count = dice.pick([0, 1, 2, 5, 20, 21]);
    return { body: Array.from({ length: count }, () => makeMessage(source)), headers };
  }
  return { body: dice.chance(0.03) ? makeHostile(dice) : makeMessage(source), headers };
}
