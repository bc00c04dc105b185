// GET /pool

import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import {
  asOfSchema,
  chainInput,
  poolFields,
  poolInput,
  textOrNull,
  windowsSchema,
} from '../schemas/market-schemas.ts';

const amountSchema = Type.Object(
  { amountRaw: Type.String(), amount: textOrNull('In units; null if its decimals are unknown.') },
  { additionalProperties: false },
);

const depthSchema = Type.Object(
  {
    pct: Type.Number({ description: 'How far the price of the base token moves, in per cent.' }),
    bidUsd: textOrNull('What sellers receive until it has fallen by that.'),
    askUsd: textOrNull('What buyers pay, fees included, until it has risen by that.'),
  },
  { title: 'Depth', additionalProperties: false },
);

export const getPool = defineOperation({
  id: 'getPool',
  method: 'GET',
  path: '/pool',
  tag: 'Market',
  summary: 'Get a pool',
  description:
    'A pool with its figures of four windows, what it holds, and its depth: how much can be traded in it before its price has moved by 0.5, 1, 2, 5 and 10 per cent, computed from its exact state and valued at the price of the quote token. `depth` is null while the state is not known in full, or where a hook of the pool decides what swaps pay.',
  cost: 'read',
  cacheControl: 'public, max-age=1',
  input: Type.Object({ chain: chainInput, pool: poolInput }, { additionalProperties: false }),
  output: Type.Object(
    {
      ...poolFields,
      windows: windowsSchema,
      reserves: Type.Union(
        [
          Type.Object({ base: amountSchema, quote: amountSchema }, { additionalProperties: false }),
          Type.Null(),
        ],
        { description: 'What its positions hold, without fees that are owed; null if unknown.' },
      ),
      depth: Type.Union([Type.Array(depthSchema), Type.Null()]),
      asOf: asOfSchema,
    },
    { title: 'PoolDetail', additionalProperties: false },
  ),
  errors: [
    ...(['UNKNOWN_CHAIN', 'CHAIN_NOT_FOLLOWED', 'INVALID_ADDRESS', 'POOL_NOT_FOUND'] as const),
    ...(['TOKEN_PAUSED', 'NOT_READY'] as const),
  ],
  example: {
    input: { chain: 'devnet', pool: '0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2' },
    answer: {
      chain: 'devnet',
      address: '0x39d02Cf37523DDb9286a39088A8AE60fe3a33df2',
      venue: 'uniswap-v3',
      kind: 'concentrated',
      feePips: 3000,
      base: { mint: '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7', symbol: 'WIRE', decimals: 18 },
      quote: { mint: '0xE95794607E5C70D60A57c0A322824d73b8F913e8', symbol: 'WETH', decimals: 18 },
      liquidityUsd: '2410279.81551480183',
      priceNative: '0.000141737537524867191',
      priceUsd: '0.424994716779375784',
      volume24hUsd: '303461.042977620736',
      createdAt: 1794731720000,
      tradable: true,
      windows: {
        '5m': {
          volumeUsd: '32712.653636675088',
          trades: 5,
          buys: 2,
          sells: 3,
          buyers: 2,
          sellers: 3,
          priceChangePct: -1.281004,
          highUsd: '0.428556798505513573',
          lowUsd: '0.423954243105830205',
        },
        '1h': {
          volumeUsd: '63311.8094350763048',
          trades: 13,
          buys: 7,
          sells: 6,
          buyers: 6,
          sellers: 5,
          priceChangePct: -0.10964,
          highUsd: '0.430509565077665927',
          lowUsd: '0.423954243105830205',
        },
        '6h': {
          volumeUsd: '141947.355084940541',
          trades: 29,
          buys: 18,
          sells: 11,
          buyers: 13,
          sellers: 9,
          priceChangePct: 0.920427,
          highUsd: '0.430509565077665927',
          lowUsd: '0.416150898401198752',
        },
        '24h': {
          volumeUsd: '303461.042977620736',
          trades: 50,
          buys: 29,
          sells: 21,
          buyers: 16,
          sellers: 14,
          priceChangePct: 0.76776,
          highUsd: '0.430509565077665927',
          lowUsd: '0.396235496281425161',
        },
      },
      reserves: {
        base: { amountRaw: '2821945007951700035492545', amount: '2821945.007951700035492545' },
        quote: { amountRaw: '404769113924342780049', amount: '404.769113924342780049' },
      },
      depth: [
        { pct: 0.5, bidUsd: '5775.90453714203613', askUsd: '5778.8191930277278' },
        { pct: 1, bidUsd: '11566.3397206216837', askUsd: '11543.2810047402594' },
      ],
      asOf: {
        block: 90,
        blockHash: '0x7ea81cb50b1e11bca0ce1dc62bb4eae599cf6f9c797dcc2c4db5a7ee49854ada',
        timestamp: 1794818233000,
        finalizedBlock: 25,
      },
    },
  },
});
