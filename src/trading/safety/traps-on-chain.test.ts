// Tokens that can be sold only where something looks like a simulation, on a real node: no quote
// promises their sale, and no build is given for one that the chain would refuse. Once with all
// methods, once on a node with `eth_call` alone.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, encodeFunctionData, type Hex, keccak256 } from 'viem';
import { MAKER, TRADERS } from '../../../devnet/accounts.ts';
import { ERC20_ABI } from '../../../devnet/dex-abi.ts';
import { address } from '../../../test/test-ids.ts';
import { startTradingScene, type TradingScene } from '../../../test/trading-scene.ts';
import {
  setTraps,
  TRAP_ABI,
  type Trap,
  type TrapMode,
  tradeTrap,
} from '../../../test/trap-tokens.ts';
import { CODE as PROBE_CODE } from '../../chains/evm/pools/round-trip-probe.gen.ts';

const MODES = [
  ...(['honest', 'richOrigin', 'noBaseFee', 'noGasPrice', 'noCoinbase', 'knownProbe'] as const),
  ...(['walletsStuck', 'contractsStuck', 'fewBlocks', 'largeTaxed', 'secondTaxed'] as const),
  ...(['noHistory', 'muchGas', 'noRandao'] as const),
] satisfies TrapMode[];
type Mode = (typeof MODES)[number];

/** Their sales fail on the chain, whoever sells. */
const STUCK = [
  ...(['richOrigin', 'noBaseFee', 'noGasPrice', 'noCoinbase', 'knownProbe'] as const),
  ...(['noHistory', 'muchGas', 'noRandao', 'fewBlocks', 'walletsStuck'] as const),
] satisfies Mode[];

const TRADER = TRADERS[0] as Address;
const ETHER = 10n ** 18n;

let scene: TradingScene;
let traps: Readonly<Record<Mode, Trap>>;

async function openScene(lacks: readonly string[]): Promise<void> {
  scene = await startTradingScene({ lacks });
  const { chain } = scene.devnet;
  // As on real chains, somebody receives the fees.
  await chain.rpc.call('anvil_setCoinbase', `0x${'77'.repeat(20)}`);
  traps = await setTraps(chain, MODES);
  const args = [keccak256(PROBE_CODE as Hex)] as const;
  const data = encodeFunctionData({ abi: TRAP_ABI, functionName: 'setKnownCode', args });
  const { token: to } = traps.knownProbe;
  assert.equal((await chain.send({ from: MAKER, to, data, gas: 200_000n })).status, '0x1');
  for (const mode of MODES) {
    await tradeTrap(chain, traps[mode].token, {
      ...{ side: 'buy', amountInRaw: ETHER / 10n, from: TRADER },
    });
  }
  // More blocks than the one that counts them lets pass.
  for (let count = 0; count < 151; count += 1) await chain.mine();
  await scene.settle();
}

function judge({ warnings, exact, tokenSafety }: Awaited<ReturnType<TradingScene['quote']>>) {
  const isNamed = warnings.some(({ code }) => code === 'UNSELLABLE');
  return { isNamed, exact, sellable: tokenSafety?.sellable };
}

async function readBalance(token: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args: [TRADER] });
  return BigInt(await scene.devnet.chain.rpc.call<Hex>('eth_call', { to: token, data }, 'latest'));
}

/** What one call shows: neither a wallet without code nor a later block. */
const HIDDEN = new Set<Mode>(['walletsStuck', 'fewBlocks']);

for (const [node, lacks] of [
  ['eth_simulateV1', []],
  ['eth_call alone', ['eth_simulateV1']],
] as const) {
  const isWhole = lacks.length === 0;
  describe(`a token that recognises simulations, with ${node}`, () => {
    before(() => openScene(lacks));
    after(() => scene?.stop());

    it('is not one that anybody can sell', async () => {
      const quote = await scene.quote({ mint: traps.honest.token });
      // Nothing is promised of what one call cannot show.
      assert.deepEqual(judge(quote), { isNamed: false, exact: isWhole, sellable: true });
    });

    for (const mode of [...STUCK, 'contractsStuck'] as const) {
      const isHidden = !isWhole && HIDDEN.has(mode);
      it(`is ${isHidden ? 'not promised' : 'named as unsellable'}: ${mode}`, async () => {
        for (const side of ['buy', 'sell'] as const) {
          const quote = judge(await scene.quote({ mint: traps[mode].token, side }));
          assert.equal(quote.isNamed, !isHidden, side);
          if (isHidden || side === 'sell') assert.equal(quote.exact, false, side);
        }
      });
    }

    for (const mode of ['largeTaxed', 'secondTaxed'] as const) {
      it(`is not promised, and its highest tax is shown: ${mode}`, async () => {
        const quote = await scene.quote({ mint: traps[mode].token, side: 'sell' });
        const { sellTaxBps } = quote.tokenSafety ?? {};
        // A larger purchase is for wallets only.
        const isShown = isWhole || mode === 'secondTaxed';
        assert.deepEqual([quote.exact, (sellTaxBps ?? 0) === 5000], [false, isShown]);
      });
    }

    // In one call the wallet has code, which that token wants.
    for (const mode of STUCK.filter((one) => isWhole || one !== 'walletsStuck')) {
      it(`is not given to be signed: ${mode}`, async () => {
        const { token: mint } = traps[mode];
        const amountInRaw = ((await readBalance(mint)) / 2n).toString();
        const built = scene.build({ mint, side: 'sell', amountInRaw }, address(TRADER));
        await assert.rejects(built, { code: 'SIMULATION_REVERTED' });
      });
    }

    it('a sale that anybody can make is built', async () => {
      const { token: mint } = traps.honest;
      const input = { mint, side: 'sell', amountInRaw: String(ETHER) } as const;
      const { quote, simulation } = await scene.build(input, address(TRADER));
      assert.deepEqual([quote.exact, simulation.amountOutRaw], [isWhole, quote.output.amountRaw]);
    });
  });
}
