// Trades whose router takes the input by a permit of the token itself, on a real node: V3's own
// `SwapRouter`, tokens of ours with EIP-2612 and with DAI's form, signatures of a real key.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeDeployData, encodeFunctionData, type Hex, parseAbi, parseSignature } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { MAKER } from '../../../../devnet/accounts.ts';
import { readArtifact } from '../../../../devnet/artifacts.ts';
import { findToken } from '../../../../devnet/deployment.ts';
import { startTestChain, type TestChain } from '../../../../devnet/test-chain.ts';
import { compileWallets } from '../../../../test/contracts/compile-wallets.ts';
import { openRange } from '../../../../test/devnet-liquidity.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import { act } from '../../../../test/router-scene.ts';
import { address, poolId } from '../../../../test/test-ids.ts';
import { readBalance, setBalance } from '../../../../test/trade-wallet.ts';
import { createSerializer } from '../../../contract/create-serializer.ts';
import { permitSchema } from '../../../contract/schemas/transaction-schemas.ts';
import { AppError } from '../../../errors/app-error.ts';
import { systemClock } from '../../../lib/clock.ts';
import { sleep } from '../../../lib/retry.ts';
import type { Address } from '../../../model/ids.ts';
import type { BuiltTransactions, ExecutableTrade, SignedPermit } from '../../chain-transactions.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import type { RouterLine } from '../data/deployments/evm-deployment.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import { parseDevnetDeployment } from '../venues/parse-devnet-deployment.ts';
import { listSwapRouters } from '../venues/swap-routers.ts';
import { EvmTransactions } from './evm-transactions.ts';

const ETHER = 10n ** 18n;
const CHAIN_ID = 1337;
const ROUTER = 'v3-own';
const PAIR_ROUTER = 'pairs-own';
const UNTAKING_ROUTER = 'v3-untaking';
const UNLIMITED = 2n ** 256n - 1n;
const TOKEN_ABI = parseAbi([
  'function allowance(address owner, address spender) view returns (uint256)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
]);
const PRODUCT_LIMITS = {
  ...{ timeoutMs: 60_000, replyBytesMax: 1_000_000, batchCallsMax: 50, batchesMax: 2 },
  chainCheckMs: 60_000,
};

type TokenName = 'eip2612' | 'dai' | 'otherChain' | 'agreeable' | 'plain';

interface Scene {
  readonly chain: TestChain;
  readonly transactions: EvmTransactions;
  readonly router: Address;
  readonly tokens: Readonly<Record<TokenName, Address>>;
  readonly pools: ReadonlyMap<Address, string>;
  readonly client: RpcClient;
}

let scene: Scene;

async function deployTokens(chain: TestChain): Promise<Scene['tokens']> {
  const compiled = compileWallets('permit-tokens.sol');
  const deploy = async (name: string, args: readonly unknown[]): Promise<Address> => {
    const { abi, bytecode } = compiled[name] ?? assert.fail(name);
    const created = await act(chain, { data: encodeDeployData({ abi, bytecode, args }) });
    return address(created.toLowerCase());
  };
  return {
    eip2612: await deploy('Eip2612Token', ['1', BigInt(CHAIN_ID)]),
    dai: await deploy('DaiToken', [BigInt(CHAIN_ID)]),
    otherChain: await deploy('Eip2612Token', ['1', 1n]),
    agreeable: await deploy('AgreeableToken', [BigInt(CHAIN_ID)]),
    plain: address(findToken(chain.deployment, 'wire').address),
  };
}

async function startScene(): Promise<Scene> {
  const chain = await startTestChain();
  const { contracts } = chain.deployment;
  const tokens = await deployTokens(chain);
  const pools = new Map<Address, string>();
  const ends = { tickLower: -60_000, tickUpper: 60_000 };
  const usdc = address(findToken(chain.deployment, 'usdc').address);
  for (const token of Object.values(tokens)) {
    await setBalance(chain, usdc, { owner: MAKER, amountRaw: 10_000n * ETHER });
    await setBalance(chain, token, { owner: MAKER, amountRaw: 10_000n * ETHER });
    const venue = 'uniswap-v3' as const;
    const range = { venue, tokens: [token as Hex, usdc as Hex], amountRaw: 1000n * ETHER } as const;
    pools.set(token, (await openRange(chain, { ...range, ...ends })).id);
  }
  const { abi, bytecode } = readArtifact('SwapRouter');
  const args = [contracts.v3Factory, contracts.weth];
  const created = await act(chain, { data: encodeDeployData({ abi, bytecode, args }) });
  const router = address(created.toLowerCase());
  const lines: RouterLine[] = [
    { name: ROUTER, kind: 'swapRouter', address: router, venues: ['uniswap-v3'] },
    {
      ...{ name: PAIR_ROUTER, kind: 'router02', venues: ['uniswap-v2'] },
      address: address(contracts.v2Router.toLowerCase()),
    },
    // Its code has `SelfPermit`, but its kind is not one whose calls begin with it.
    { name: UNTAKING_ROUTER, kind: 'router02', address: router, venues: ['uniswap-v2'] },
  ];
  const deployment = parseDevnetDeployment(chain.deployment);
  const client = new RpcClient({
    ...{ endpoints: [chain.rpcUrl], dialect: createEvmDialect(CHAIN_ID), clock: systemClock },
    ...{ sleep, random: Math.random, budgetMs: 60_000, limits: PRODUCT_LIMITS },
    log: { info: () => undefined, warn: () => undefined },
  });
  const routers = listSwapRouters({ ...deployment, routers: lines });
  const transactions = new EvmTransactions({
    ...{ client, chainId: CHAIN_ID, routers, rollup: null, clock: systemClock },
  });
  return { chain, transactions, router, tokens, pools, client };
}

before(async () => {
  scene = await startScene();
});
after(async () => {
  scene.client.close();
  await scene.chain.stop();
});

interface Seller {
  readonly account: PrivateKeyAccount;
  readonly wallet: Address;
}

async function createSeller(token: Address): Promise<Seller> {
  const account = privateKeyToAccount(generatePrivateKey());
  const wallet = address(account.address.toLowerCase());
  const { chain } = scene;
  await setBalance(chain, `0x${'0'.repeat(40)}`, { owner: wallet, amountRaw: 10n * ETHER });
  await setBalance(chain, token, { owner: wallet, amountRaw: 100n * ETHER });
  await chain.mine();
  return { account, wallet };
}

/** A sale for USDC: of one whole token, or of what it takes for half of one. */
function planTrade(token: Address, fixed: 'input' | 'output', router: string): ExecutableTrade {
  const usdc = address(findToken(scene.chain.deployment, 'usdc').address);
  const [token0, token1] = token < usdc ? [token, usdc] : [usdc, token];
  const id = poolId(scene.pools.get(token) ?? assert.fail(token));
  const pool = {
    ...{ pool: id, kind: 'concentrated', venue: 'uniswap-v3', feePips: 3000, token0, token1 },
    ...{ vault: id, terms: { tickSpacing: 60, custody: { kind: 'own' } } },
  } as never;
  const asked = fixed === 'output' ? { askedOutRaw: ETHER / 2n } : {};
  const hop = { pool, tokenIn: token, tokenOut: usdc, ...asked };
  const [amountInRaw, amountOutRaw] = [ETHER, ETHER / 2n];
  return {
    ...{ fixed, tokenIn: token, tokenOut: usdc, amountInRaw, maxAmountInRaw: ETHER },
    ...{ amountOutRaw, minAmountOutRaw: ETHER / 2n, outputTaxBps: 0, router },
    swapPaths: [{ takes: 'input', amountInRaw, amountOutRaw, hops: [hop] }],
    ...{ costUnits: 250_000n, isTimed: false, isQuotedOnChain: false },
  };
}

interface BuildTerms {
  readonly permit?: SignedPermit | null;
  readonly fixed?: 'input' | 'output';
  readonly router?: string;
}

async function build(
  wallet: Address,
  token: Address,
  { permit = null, fixed = 'input', router = ROUTER }: BuildTerms = {},
): Promise<BuiltTransactions> {
  const funds = await scene.transactions.readWallet(wallet, token, permit);
  const built = await funds.build({
    ...{ trade: planTrade(token, fixed, router), approval: 'permit', priority: 'medium' },
    block: { position: funds.head.position, hash: null },
    ...{ nowMs: systemClock.nowMs(), lifeSeconds: 600 },
  });
  return built ?? assert.fail('the block is gone');
}

function listKinds({ transactions }: BuiltTransactions): string[] {
  return transactions.map(({ unsigned }) => unsigned.kind);
}

async function sign(account: PrivateKeyAccount, built: BuiltTransactions): Promise<SignedPermit> {
  const { message, terms } = built.permit ?? assert.fail(listKinds(built).join());
  // As it is sent: all of its fields are declared.
  assert.equal(createSerializer(permitSchema, 'permit')(message), JSON.stringify(message));
  return { ...terms, signature: await account.signTypedData(message as never) };
}

/** Signs the swap, sends it and returns what was spent and received. */
async function execute({ account, wallet }: Seller, token: Address, built: BuiltTransactions) {
  const { chain } = scene;
  const usdc = findToken(chain.deployment, 'usdc').address;
  const held = () =>
    Promise.all([readBalance(chain, token, wallet), readBalance(chain, usdc, wallet)]);
  const before = await held();
  for (const { unsigned } of built.transactions) {
    if (unsigned.type !== 'eip1559') assert.fail(unsigned.type);
    const { kind: _, from: __, to, data, value, gas, ...rest } = unsigned;
    const raw = await account.signTransaction({
      ...rest,
      ...{ to: to as Hex, data: data as Hex, value: BigInt(value), gas: BigInt(gas) },
      maxFeePerGas: BigInt(rest.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(rest.maxPriorityFeePerGas),
    });
    const hash = await chain.rpc.call<Hex>('eth_sendRawTransaction', raw);
    await chain.mine();
    const receipt = await chain.rpc.call<{ status: Hex }>('eth_getTransactionReceipt', hash);
    assert.equal(receipt.status, '0x1');
  }
  const after = await held();
  return { spentRaw: before[0] - after[0], receivedRaw: after[1] - before[1] };
}

async function readAllowance(owner: Address, token: Address): Promise<bigint> {
  const args = [owner as Hex, scene.router as Hex] as const;
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'allowance', args });
  return BigInt(await scene.chain.rpc.call<Hex>('eth_call', { to: token, data }, 'latest'));
}

async function assertRefused(
  work: Promise<unknown>,
  code: 'INVALID_INPUT' | 'PERMIT_OUTDATED',
  reason: RegExp,
): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code);
    assert.match(JSON.stringify(error), /permitSignature/);
    assert.match(JSON.stringify(error), reason);
    return true;
  });
}

describe('a permit of the token itself', () => {
  for (const form of ['eip2612', 'dai'] as const) {
    for (const fixed of ['input', 'output'] as const) {
      it(`${form}: one signature and one transaction, with a given ${fixed}`, async () => {
        const token = scene.tokens[form];
        const seller = await createSeller(token);
        const { wallet, account } = seller;
        for (const nonce of [0, 1]) {
          const asked = await build(wallet, token, { fixed });
          const hasAllowance = form === 'dai' && nonce === 1;
          // DAI's form allowed the router everything: nothing is left to be signed.
          if (hasAllowance) {
            assert.deepEqual([asked.permit, listKinds(asked)], [null, ['swap']]);
            break;
          }
          assert.deepEqual([listKinds(asked), asked.walletCalls], [[], null]);
          assert.deepEqual(asked.permit?.terms.form, form);
          assert.equal(asked.permit?.terms.nonce, nonce);
          const permit = await sign(account, asked);
          const built = await build(wallet, token, { permit, fixed });
          assert.deepEqual(
            [listKinds(built), built.permit, built.allowance],
            [['swap'], null, null],
          );
          const { spentRaw, receivedRaw } = await execute(seller, token, built);
          assert.equal(receivedRaw, built.simulation?.amountOutRaw);
          if (fixed === 'input') assert.equal(spentRaw, ETHER);
          else assert.deepEqual([receivedRaw, spentRaw < ETHER], [ETHER / 2n, true]);
          const left = form === 'dai' ? UNLIMITED : ETHER - spentRaw;
          assert.equal(await readAllowance(wallet, token), left);
          const again = build(wallet, token, { permit, fixed });
          await assertRefused(again, 'PERMIT_OUTDATED', /used already/);
          if (fixed === 'output') break;
        }
      });
    }
  }

  it('cannot be spoiled by somebody who hands it to the token first', async () => {
    const token = scene.tokens.eip2612;
    const seller = await createSeller(token);
    const permit = await sign(seller.account, await build(seller.wallet, token));
    const built = await build(seller.wallet, token, { permit });
    const { r, s, yParity } = parseSignature(permit.signature as Hex);
    const deadline = BigInt(permit.deadlineSeconds);
    const parties = [seller.wallet as Hex, scene.router as Hex] as const;
    const args = [...parties, permit.amountRaw, deadline, 27 + yParity, r, s] as const;
    const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'permit', args });
    await act(scene.chain, { to: token as Hex, data });
    const { spentRaw } = await execute(seller, token, built);
    assert.equal(spentRaw, ETHER);
  });

  it('is refused with a signature that is not of these terms, by this wallet', async () => {
    for (const form of ['eip2612', 'dai'] as const) {
      const token = scene.tokens[form];
      const { account, wallet } = await createSeller(token);
      const asked = await build(wallet, token);
      const permit = await sign(account, asked);
      const stranger = privateKeyToAccount(generatePrivateKey());
      const { signature } = await sign(stranger, asked);
      const wrong = /is not a signature of the permit/;
      for (const text of [signature, '0x1234', `0x${'00'.repeat(65)}`]) {
        const tried = build(wallet, token, { permit: { ...permit, signature: text } });
        await assertRefused(tried, 'INVALID_INPUT', wrong);
      }
      const later = { ...permit, deadlineSeconds: permit.deadlineSeconds + 1 };
      await assertRefused(build(wallet, token, { permit: later }), 'INVALID_INPUT', wrong);
      const other = { ...permit, nonce: permit.nonce + 1 };
      await assertRefused(build(wallet, token, { permit: other }), 'PERMIT_OUTDATED', /used/);
      const past = { ...permit, deadlineSeconds: 1_000_000_000 };
      await assertRefused(build(wallet, token, { permit: past }), 'PERMIT_OUTDATED', /has expired/);
      // None of it has used the permit.
      assert.deepEqual(listKinds(await build(wallet, token, { permit })), ['swap']);
    }
  });

  it('is not offered, and refused if brought, where token or router do not take it', async () => {
    const { tokens } = scene;
    const { account, wallet } = await createSeller(tokens.eip2612);
    const permit = await sign(account, await build(wallet, tokens.eip2612));
    // No permit at all; the domain of another chain; whatever it is called with succeeds.
    for (const token of [tokens.plain, tokens.otherChain, tokens.agreeable]) {
      await setBalance(scene.chain, token, { owner: wallet, amountRaw: ETHER });
      const asked = await build(wallet, token);
      assert.deepEqual([asked.permit, listKinds(asked)], [null, ['approve', 'swap']]);
      await assertRefused(build(wallet, token, { permit }), 'INVALID_INPUT', /does not take/);
    }
    for (const router of [PAIR_ROUTER, UNTAKING_ROUTER]) {
      const moved = { permit: { ...permit, router }, router };
      await assertRefused(build(wallet, tokens.eip2612, moved), 'INVALID_INPUT', /does not take/);
    }
  });

  it('is not offered to a wallet with code, whose signatures not all tokens take', async () => {
    const token = scene.tokens.eip2612;
    const { wallet } = await createSeller(token);
    for (const code of ['0x00', `0xef0100${scene.router.slice(2)}`]) {
      await scene.chain.rpc.call('anvil_setCode', wallet, code);
      const asked = await build(wallet, token);
      assert.deepEqual([asked.permit, listKinds(asked)], [null, ['approve', 'swap']]);
    }
  });
});
