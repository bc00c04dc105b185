// Routes that work with clients of the Jupiter API: quotes, swaps, prices and tokens of a Solana
// chain.

import type { CompatParameter, CompatRoute, CompatShape } from '../../contract/compat-route.ts';
import { buildTrade } from '../../contract/operations/build-trade.ts';
import { getChains } from '../../contract/operations/get-chains.ts';
import { getPrices } from '../../contract/operations/get-prices.ts';
import { listTokens } from '../../contract/operations/list-tokens.ts';
import { quoteTrade } from '../../contract/operations/quote-trade.ts';
import { searchTokens } from '../../contract/operations/search-tokens.ts';
import type { CompatParts } from '../compat-parts.ts';
import { encodeJupiterError, refuse } from './jupiter-errors.ts';
import { askQuote, readQuoteInput, toJupiterQuote } from './jupiter-quote.ts';
import { answerSwap } from './jupiter-swap.ts';
import {
  answerPriceV2,
  answerPriceV3,
  answerTokenRecent,
  answerTokenSearch,
  answerTokenTag,
  answerTokenTop,
} from './jupiter-tokens.ts';
import { listProgramLabels } from './venue-labels.ts';

/** The chain that the routes are about: these clients name none. */
type ReadChain = () => string;

function createReadChain({ listChains }: CompatParts): ReadChain {
  return () => {
    const slugs = listChains()
      .filter(({ caip2 }) => caip2.startsWith('solana:'))
      .map(({ slug }) => slug);
    const slug = slugs.includes('solana') ? 'solana' : slugs[0];
    return slug ?? refuse('This server follows no Solana chain', 'NOT_SUPPORTED');
  };
}

const inQuery = (name: string, description: string, isRequired = false): CompatParameter => ({
  ...{ name, in: 'query', description, isRequired },
});

const QUOTE_PARAMETERS: readonly CompatParameter[] = [
  inQuery('inputMint', 'What is spent; SOL by its wrapped token.', true),
  inQuery('outputMint', 'What is received.', true),
  inQuery('amount', 'In the smallest unit: of the input, or of the output with `ExactOut`.', true),
  inQuery('slippageBps', 'Up to 5000; 50 by default.'),
  inQuery('swapMode', '`ExactIn` (default) or `ExactOut`.'),
  inQuery('dexes', 'Labels of exchanges that the route may use.'),
  inQuery('excludeDexes', 'Labels of exchanges that it may not.'),
  inQuery('onlyDirectRoutes', '`true`: no token in between.'),
];

const inBody = (name: string, description: string, isRequired = false): CompatParameter => ({
  ...{ name, in: 'body', description, isRequired },
});

const SWAP_PARAMETERS: readonly CompatParameter[] = [
  inBody('userPublicKey', 'The wallet of the session.', true),
  inBody('quoteResponse', 'The quote.', true),
  inBody('wrapAndUnwrapSol', '`false`: the wrapped token itself.'),
  inBody('prioritizationFeeLamports', 'Lamports, a level with a cap, or a tip for Jito.'),
];

/** The same in version 6, below its own prefix. */
function listTradeRoutes(parts: CompatParts, readChain: ReadChain): CompatRoute[] {
  const versions = [
    { version: 'V1', prefix: '/swap/v1' },
    { version: 'V6', prefix: '/v6' },
  ] as const;
  return versions.flatMap(({ version, prefix }): CompatRoute[] => [
    {
      id: `compatJupiterQuote${version}`,
      method: 'GET',
      path: `${prefix}/quote`,
      asks: quoteTrade,
      summary: 'Quote a swap',
      parameters: QUOTE_PARAMETERS,
      answer: async (request, ask) => {
        const { trade, input } = readQuoteInput(readChain(), request);
        const startedMs = parts.clock.monotonicMs();
        const quote = await askQuote(ask, trade, input);
        return toJupiterQuote(trade, quote, parts.clock.monotonicMs() - startedMs);
      },
    },
    {
      id: `compatJupiterSwap${version}`,
      method: 'POST',
      path: `${prefix}/swap`,
      asks: buildTrade,
      summary: 'Build a swap for the wallet of the session',
      parameters: SWAP_PARAMETERS,
      answer: (request, ask) => answerSwap(readChain(), request, ask),
    },
    {
      id: `compatJupiterLabels${version}`,
      method: 'GET',
      path: `${prefix}/program-id-to-label`,
      asks: getChains,
      summary: 'List the labels of exchanges by their program',
      parameters: [],
      answer: async (_request, ask) => {
        const slug = readChain();
        const { chains } = await ask(getChains, {});
        return listProgramLabels(chains.find((one) => one.slug === slug)?.venues ?? []);
      },
    },
  ]);
}

const IDS = inQuery('ids', 'Up to 50 mints, with commas.', true);
const LIMIT = inQuery('limit', 'Up to 100.');

function listTokenRoutes(readChain: ReadChain): CompatRoute[] {
  return [
    {
      ...{ id: 'compatJupiterPriceV2', method: 'GET', path: '/price/v2', asks: getPrices },
      summary: 'Get prices as texts',
      parameters: [IDS],
      answer: (request, ask) => answerPriceV2(readChain(), request, ask),
    },
    {
      ...{ id: 'compatJupiterPriceV3', method: 'GET', path: '/price/v3', asks: getPrices },
      summary: 'Get prices',
      parameters: [IDS],
      answer: (request, ask) => answerPriceV3(readChain(), request, ask),
    },
    {
      ...{ id: 'compatJupiterTokenSearch', method: 'GET', path: '/tokens/v2/search' },
      asks: searchTokens,
      summary: 'Find tokens',
      parameters: [inQuery('query', 'A symbol, a name, or mints with commas.', true)],
      answer: (request, ask) => answerTokenSearch(readChain(), request, ask),
    },
    {
      ...{ id: 'compatJupiterTokenTag', method: 'GET', path: '/tokens/v2/tag', asks: listTokens },
      summary: 'List tokens with a tag',
      parameters: [inQuery('query', '`verified`.', true)],
      answer: (request, ask) => answerTokenTag(readChain(), request, ask),
    },
    {
      ...{ id: 'compatJupiterTokenRecent', method: 'GET', path: '/tokens/v2/recent' },
      asks: listTokens,
      summary: 'List the newest tokens',
      parameters: [LIMIT],
      answer: (request, ask) => answerTokenRecent(readChain(), request, ask),
    },
    {
      ...{ id: 'compatJupiterTokenTop', method: 'GET', asks: listTokens },
      path: '/tokens/v2/{category}/{interval}',
      summary: 'List tokens by a category',
      parameters: [
        {
          name: 'category',
          in: 'path',
          description: '`toporganicscore`, `toptraded` or `toptrending`.',
        },
        { name: 'interval', in: 'path', description: '`5m`, `1h`, `6h` or `24h`.' },
        LIMIT,
      ],
      answer: (request, ask) => answerTokenTop(readChain(), request, ask),
    },
  ];
}

export function createJupiterShape(parts: CompatParts): CompatShape {
  const readChain = createReadChain(parts);
  return {
    prefix: '/compat/jup',
    tag: 'Compatible: Jupiter',
    description:
      'Compatible with clients of the Jupiter API; not affiliated with it. Answered from this server, for one Solana chain that it follows.',
    encodeError: (error) => encodeJupiterError(error, parts.clock.nowMs()),
    routes: [...listTradeRoutes(parts, readChain), ...listTokenRoutes(readChain)],
  };
}
