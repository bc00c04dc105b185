// Routes that work with clients of the Jupiter API: quotes, swaps, prices and tokens of a Solana
// chain.

import {
  CompatRefusal,
  type CompatReply,
  type CompatShape,
  readList,
} from '../../contract/compat-route.ts';
import { getChains } from '../../contract/operations/get-chains.ts';
import { getPrices } from '../../contract/operations/get-prices.ts';
import type { AppError } from '../../errors/app-error.ts';
import type { CompatParts } from '../compat-parts.ts';
import { listProgramLabels } from './venue-labels.ts';

/** The chain that the routes are about: these clients name none. */
function createReadChain({ listChains }: CompatParts): () => string {
  return () => {
    const slugs = listChains()
      .filter(({ caip2 }) => caip2.startsWith('solana:'))
      .map(({ slug }) => slug);
    const slug = slugs.includes('solana') ? 'solana' : slugs[0];
    if (slug !== undefined) return slug;
    const error = 'This server follows no Solana chain';
    throw new CompatRefusal({ status: 400, body: { error, errorCode: 'NOT_SUPPORTED' } });
  };
}

/** Their gateway answers what is about credentials and budgets, their router the rest. */
function encodeError(error: AppError): CompatReply {
  const { status, message } = error;
  if (status === 401) {
    const body = { error: message, errorCode: 'UNAUTHORIZED', code: status, message };
    return { status, body };
  }
  if (status !== 400 && status !== 409) return { status, body: { code: status, message } };
  return { status: 400, body: { error: message } };
}

export function createJupiterShape(parts: CompatParts): CompatShape {
  const readChain = createReadChain(parts);
  return {
    prefix: '/compat/jup',
    tag: 'Compatible: Jupiter',
    description:
      'Compatible with clients of the Jupiter API; not affiliated with it. Answered from this server, for one Solana chain that it follows.',
    encodeError,
    routes: [
      {
        id: 'compatJupiterLabels',
        method: 'GET',
        path: '/swap/v1/program-id-to-label',
        asks: getChains,
        summary: 'List the labels of exchanges by their program',
        parameters: [],
        answer: async (_request, ask) => {
          const slug = readChain();
          const { chains } = await ask(getChains, {});
          return listProgramLabels(chains.find((one) => one.slug === slug)?.venues ?? []);
        },
      },
      {
        id: 'compatJupiterPriceV2',
        method: 'GET',
        path: '/price/v2',
        asks: getPrices,
        summary: 'Get the prices of tokens',
        parameters: [
          { name: 'ids', in: 'query', description: 'Mints, with commas.', isRequired: true },
        ],
        answer: async ({ query }, ask) => {
          const chain = readChain();
          const ids = readList(query, 'ids');
          const { prices } = await ask(getPrices, { tokens: ids.map((mint) => ({ chain, mint })) });
          const entries = ids.map((id, index) => {
            const price = prices[index]?.priceUsd ?? null;
            return [id, price === null ? null : { id, type: 'derivedPrice', price }] as const;
          });
          return { data: Object.fromEntries(entries), timeTaken: 0 };
        },
      },
    ],
  };
}
