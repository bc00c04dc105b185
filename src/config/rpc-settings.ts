// Settings of a chain's nodes: where they are and what they may cost.

import { type ChainInfo, toSettingSuffix } from '../model/chain.ts';
import type { CreditTable } from '../model/rpc-usage.ts';
import {
  integer,
  listOf,
  optionalSetting,
  type Setting,
  SettingProblem,
  urlWith,
} from './setting.ts';

interface NodeUrls {
  readonly http: readonly string[];
  /** Nodes that announce their blocks. */
  readonly sockets: readonly string[];
}

const parseUrls = listOf(urlWith(['http:', 'https:', 'ws:', 'wss:']));

function parseNodeUrls(text: string): NodeUrls {
  const urls = parseUrls(text);
  const marked = urls.findIndex((url) => url.includes('#'));
  if (marked >= 0) {
    throw new SettingProblem(`entry ${marked + 1} must have no fragment (#…): nodes do not get it`);
  }
  const isSocket = (url: string) => /^wss?:/i.test(url);
  const sockets = urls.filter(isSocket);
  const http = urls.filter((url) => !isSocket(url));
  if (http.length === 0 && sockets.length > 0) {
    throw new SettingProblem('must have an http:// or https:// entry, too: ws:// only announces');
  }
  return { http, sockets };
}

function parseCredits(text: string): CreditTable {
  const methods = new Map<string, number>();
  for (const part of text.split(',').map((one) => one.trim())) {
    const match = /^([A-Za-z_0-9]{1,60})[:=](\d{1,9})$/.exec(part);
    if (match?.[1] === undefined) {
      throw new SettingProblem('must be pairs such as eth_getLogs:60,default:20');
    }
    methods.set(match[1], Number(match[2]));
  }
  const other = methods.get('default') ?? 1;
  methods.delete('default');
  return { methods, other };
}

interface RpcSettings {
  readonly rpcUrls: Setting<NodeUrls | null>;
  readonly credits: Setting<CreditTable | null>;
  readonly creditsPerDay: Setting<number | null>;
  readonly creditsPerSecond: Setting<number | null>;
}

export function createRpcSettings({ name, slug }: ChainInfo): RpcSettings {
  const suffix = toSettingSuffix(slug);
  return {
    rpcUrls: optionalSetting(`RPC_${suffix}`, parseNodeUrls, {
      group: 'Chains',
      why: `RPC endpoints of a ${name} node, comma-separated; the chain is followed when this is set. If one fails, the others take over. An entry with wss:// or ws:// announces new blocks, which saves polling for them.`,
      example: 'https://rpc.example.com/v1/your-key,wss://rpc.example.com/v1/your-key',
      secret: true,
    }),
    credits: optionalSetting(`RPC_CREDITS_${suffix}`, parseCredits, {
      group: 'Chains',
      why: `What calls cost at the provider of ${name}, by method; \`default\` is for all others, \`newHeads\` for an announced block. Decides what is asked for and is counted in \`/metrics\`. If unset, every call is one credit. docs/operating.md has values for the usual providers.`,
      example: 'eth_getLogs:60,eth_call:26,eth_chainId:0,default:20',
    }),
    creditsPerDay: optionalSetting(
      `RPC_CREDITS_PER_DAY_${suffix}`,
      integer({ min: 100, max: 1e12 }),
      {
        group: 'Chains',
        why: `The most credits to spend on ${name} in a day; without \`RPC_CREDITS_${suffix}\`, the most calls. Indexing slows down to keep within it and \`/ready\` says so; requests that a client waits for are counted, but not held up.`,
        example: '1000000',
      },
    ),
    creditsPerSecond: optionalSetting(
      `RPC_CREDITS_PER_SECOND_${suffix}`,
      integer({ min: 1, max: 1e9 }),
      {
        group: 'Chains',
        why: `The most credits to spend at each endpoint of ${name} in a second; without \`RPC_CREDITS_${suffix}\`, the most calls. If unset, the rate is learned from what endpoints refuse. Requests that a client waits for come first.`,
        example: '500',
      },
    ),
  };
}
