// Texts that look alike have one skeleton.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeSkeleton } from './text-skeleton.ts';

test('letters of other scripts, accents, spaces and invisible characters do not count', () => {
  const copies = [
    ...[
      'USDT',
      'usdt',
      'USDТ',
      'UЅDТ',
      'ＵＳＤＴ',
      'U\u200bSDT',
      'ÚŚD̈Ť',
      'U S D T',
      'USD₮',
      'U$DT',
    ],
    ...['$USDT', '𝗨𝗦𝗗𝗧', 'ᴜꜱᴅᴛ', 'ՍSDT', 'U.S.D.T', 'USDT\u0301\u0302\u0303'],
  ];
  for (const copy of copies) assert.equal(computeSkeleton(copy), computeSkeleton('USDT'), copy);
  assert.equal(computeSkeleton('UΝΙ'), computeSkeleton('UNI'));
  assert.equal(computeSkeleton('Вітсоіn'), computeSkeleton('Bitcoin'));
});

test('digits and letters that look alike are one', () => {
  assert.equal(computeSkeleton('USDT0'), computeSkeleton('USDTO'));
  assert.equal(computeSkeleton('UNl'), computeSkeleton('UN1'));
  assert.equal(computeSkeleton('UNI'), computeSkeleton('UN1'));
  assert.equal(computeSkeleton('rnooN'), computeSkeleton('moon'));
});

test('texts that differ to the eye have different skeletons', () => {
  const texts = [
    'USDT',
    'USDC',
    'USDe',
    'UNI',
    'WETH',
    'WBTC',
    'DAI',
    '柴犬',
    '比特币',
    'МИР',
    '2Z',
  ];
  assert.equal(new Set(texts.map(computeSkeleton)).size, texts.length);
  assert.equal(computeSkeleton('💎 %'), '');
});
