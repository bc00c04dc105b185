// Pins what token lists change in answers: verification, missing names, and the order.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { createMarketScene, type Json } from '../../../test/market-scene.ts';
import { sleep as sleepUntilAborted } from '../../lib/retry.ts';
import type { TokenList } from './parse-token-list.ts';
import { TokenLists } from './token-lists.ts';

const CHAIN = 'devnet';
const NAMELESS = buildFakeAddress('aaaa', 12);
const LISTED = buildFakeAddress('aaaa', 14);
const LINKS = { website: 'https://t14.example/', x: null, telegram: null };

const LOGO = { kind: 'url', url: 'https://t14.example/logo.png' } as const;

const OURS: TokenList = {
  name: 'Ours',
  tokens: [
    { chain: CHAIN, token: LISTED, symbol: 'OTHER', name: 'Renamed', links: LINKS, logo: LOGO },
    { chain: CHAIN, token: NAMELESS, symbol: 'MUTE', name: 'Mute Coin', links: null, logo: null },
  ],
};

/** Lists whose second version is read when `renew` is called. */
function createLists(versions: readonly [TokenList, TokenList]) {
  const renewed = Promise.withResolvers<TokenList>();
  const lists = new TokenLists({
    sources: [
      {
        label: 'ours',
        list: versions[0],
        renew: (signal) => {
          signal.addEventListener('abort', () => renewed.reject(signal.reason));
          return renewed.promise;
        },
      },
    ],
    sleep: sleepUntilAborted,
    random: Math.random,
    onFailure: assert.fail,
    onRecovered: () => undefined,
  });
  return { lists, renew: () => renewed.resolve(versions[1]) };
}

async function until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  for (let look = 0; !(await isTrue()); look += 1) {
    assert.ok(look < 500, what);
    await sleep(10);
  }
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`on ${engine}`, () => {
    test('lists verify tokens, name only nameless ones, and take effect at once', async (t) => {
      const { lists, renew } = createLists([OURS, { ...OURS, name: 'Theirs', tokens: [] }]);
      const options = { seed: 77, finalityDepth: 20, blocks: 200, namelessToken: NAMELESS };
      const scene = await createMarketScene(t, { engine, lists, ...options });
      const getToken = async (mint: string) =>
        (await scene.ask('getToken', { chain: CHAIN, mint })).json;
      const search = async (q: string): Promise<Json[]> =>
        (await scene.ask('searchTokens', { q })).json.tokens;

      const listed = await getToken(LISTED);
      assert.deepEqual([listed.symbol, listed.name], ['T14', 'Token 14'], 'as its contract says');
      assert.deepEqual([listed.verified, listed.links], [['Ours'], LINKS]);
      assert.equal(listed.logoUrl, `http://localhost/logo/${LISTED}`);
      const nameless = await getToken(NAMELESS);
      assert.deepEqual([nameless.symbol, nameless.name], ['MUTE', 'Mute Coin']);
      assert.deepEqual([nameless.verified, nameless.links], [['Ours'], null]);
      assert.equal(nameless.logoUrl, null);
      const other = await getToken(buildFakeAddress('aaaa', 10));
      assert.deepEqual([other.verified, other.links], [[], null]);

      await until(async () => scene.market.search.isLoaded(CHAIN), 'search is loaded');
      assert.equal((await search('mute'))[0]?.mint.toLowerCase(), NAMELESS);
      const found = await search('t1');
      const isListed = ({ mint }: Json) => mint.toLowerCase() === LISTED;
      assert.deepEqual(found.find(isListed)?.verified, ['Ours']);
      const rest = found.filter((one) => !isListed(one));
      assert.ok(rest.length > 0 && rest.every(({ verified }) => verified.length === 0));

      renew();
      await until(async () => (await search('mute')).length === 0, 'the list is gone from search');
      assert.deepEqual((await getToken(LISTED)).verified, []);
      assert.equal((await getToken(NAMELESS)).symbol, null);
      assert.ok((await search('t1')).every(({ verified }) => verified.length === 0));
    });
  });
}
