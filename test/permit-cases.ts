// Trades whose router takes the input by a signed permit: on the real Permit2 and Universal Router.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { TEST_ADDRESSES } from '../devnet/accounts.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { compileWallets } from './contracts/compile-wallets.ts';
import type { Json } from './market-scene.ts';
import {
  assertProblem,
  buildBody,
  buildWell,
  listKinds,
  type ServiceTradeInput,
  type TestTrader,
  type TradeService,
  watchTrade,
} from './trade-service.ts';
import { setBalance } from './trade-wallet.ts';

const ETHER = 10n ** 18n;
const UNLIMITED = 'f'.repeat(64);
const PERMIT_COMMAND = '0a';

interface PermitScene {
  readonly service: TradeService;
}

/** A wallet with fees and a token. */
async function createSeller(service: TradeService, key: string): Promise<TestTrader> {
  const seller = await service.createTrader();
  const owner = seller.account.address;
  await setBalance(service.chain, ZERO_ADDRESS, { owner, amountRaw: 10n * ETHER });
  await service.give([[owner, service.mintOf(key), 100n * ETHER]]);
  await service.settle();
  return seller;
}

function sign({ account }: TestTrader, { permit }: Json): Promise<Hex> {
  return account.signTypedData(permit);
}

/** What a build needs beside the trade, once its permit is signed. */
function buildTerms({ quote }: Json, permitSignature: string) {
  return { approval: 'permit', quoteId: quote.quoteId, permitSignature };
}

/** The commands of a call of the router: `execute(bytes commands, …)`. */
function readCommands({ data }: Json): string[] {
  const words = data.slice(10);
  const length = Number(`0x${words.slice(3 * 64, 4 * 64)}`);
  return words.slice(4 * 64, 4 * 64 + 2 * length).match(/../g) ?? [];
}

/** The first trade of a wallet: the approval of Permit2 comes before the message. */
async function approveOnce(who: TestTrader, trade: ServiceTradeInput): Promise<Json> {
  const asked = await buildWell(who, trade, { approval: 'permit' });
  assert.deepEqual(listKinds(asked), ['approve']);
  assert.ok(asked.transactions[0].data.endsWith(UNLIMITED));
  assert.deepEqual([asked.simulation.assumed, asked.walletCalls], [['permit'], undefined]);
  await who.sendOwn(asked.transactions[0]);
  return asked;
}

async function tradeByPermit({ service }: PermitScene): Promise<void> {
  const seller = await createSeller(service, 'wire');
  const trade = { mint: service.mintOf('wire'), side: 'sell', amountInRaw: ETHER } as const;
  await approveOnce(seller, trade);
  for (const nonce of ['0', '1']) {
    await service.settle();
    const asked = await buildWell(seller, trade, { approval: 'permit' });
    assert.deepEqual(listKinds(asked), []);
    const { details, sigDeadline } = asked.permit.message;
    assert.deepEqual([details.amount, details.nonce], [ETHER.toString(), nonce]);
    assert.deepEqual([details.expiration, sigDeadline], Array(2).fill(`${asked.deadline / 1000}`));
    assert.match(asked.summary.join('\n'), /^Sign 1 of 1: a message .* Permit2, once/m);
    const terms = buildTerms(asked, await sign(seller, asked));
    const built = await buildWell(seller, trade, terms);
    assert.deepEqual([listKinds(built), built.issues], [['swap'], {}]);
    assert.equal(built.permit, undefined);
    assert.equal(readCommands(built.transactions[0])[0], PERMIT_COMMAND);
    assert.ok(built.deadline <= asked.deadline);
    const { receipts, receivedRaw } = await seller.execute(built);
    assert.deepEqual([receipts.length, receipts[0]?.status], [1, '0x1']);
    assert.equal(receivedRaw.toString(), built.quote.output.amountRaw);
    // The same signature again.
    const problem = assertProblem(await seller.build(trade, terms), 409, 'PERMIT_OUTDATED');
    assert.equal(problem.errors[0].path, 'permitSignature');
    assert.match(problem.detail, /was used already/);
  }
}

async function tradeGivenOutput({ service }: PermitScene): Promise<void> {
  const seller = await createSeller(service, 'wire');
  const size = { amountOutRaw: ETHER / 10_000n, slippageBps: 300 };
  const trade = { mint: service.mintOf('wire'), side: 'sell', ...size } as const;
  await approveOnce(seller, trade);
  await service.settle();
  const asked = await buildWell(seller, trade, { approval: 'permit' });
  assert.equal(asked.permit.message.details.amount, asked.quote.input.maxAmountRaw);
  const built = await buildWell(seller, trade, buildTerms(asked, await sign(seller, asked)));
  const { receipts, receivedRaw, spentRaw } = await seller.execute(built);
  assert.deepEqual([receipts.length, receipts[0]?.status], [1, '0x1']);
  assert.deepEqual(
    [receivedRaw, spentRaw.toString()],
    [ETHER / 10_000n, built.quote.input.amountRaw],
  );
}

async function refuseSignatures({ service }: PermitScene): Promise<void> {
  const seller = await createSeller(service, 'wire');
  const trade = { mint: service.mintOf('wire'), side: 'sell', amountInRaw: ETHER } as const;
  await approveOnce(seller, trade);
  await service.settle();
  const asked = await buildWell(seller, trade, { approval: 'permit' });
  const signature = await sign(seller, asked);
  const terms = buildTerms(asked, signature);
  const other = privateKeyToAccount(generatePrivateKey());
  const { message } = asked.permit;
  const more = { ...message, details: { ...message.details, amount: (2n * ETHER).toString() } };
  const refuse = async (changes: Json, path: string) => {
    const answer = await seller.build(trade, { ...terms, ...changes });
    assert.equal(assertProblem(answer, 400, 'INVALID_INPUT').errors[0].path, path);
  };
  for (const permitSignature of [
    await other.signTypedData(asked.permit),
    await seller.account.signTypedData({ ...asked.permit, message: more }),
    `${signature.slice(0, -2)}00`,
    ...['0x', '0x1', '0x12', 'signed'],
  ]) {
    await refuse({ permitSignature }, 'permitSignature');
  }
  await refuse({ approval: 'onchain' }, 'approval');
  await refuse({ quoteId: undefined }, 'quoteId');
  const plain = (await service.quote(trade)).body as Json;
  await refuse({ quoteId: plain.quoteId }, 'quoteId');
  const larger = await seller.build({ ...trade, amountInRaw: 2n * ETHER }, terms);
  assertProblem(larger, 409, 'QUOTE_MISMATCH');
  // None of it has used the permit.
  assert.deepEqual(listKinds(await buildWell(seller, trade, terms)), ['swap']);
}

async function refuseExpired({ service }: PermitScene): Promise<void> {
  const { chain } = service;
  const seller = await createSeller(service, 'wire');
  const trade = { mint: service.mintOf('wire'), side: 'sell', amountInRaw: ETHER } as const;
  const life = { deadlineSeconds: 30 };
  const asked = await buildWell(seller, trade, { approval: 'permit', ...life });
  const terms = { ...buildTerms(asked, await sign(seller, asked)), ...life };
  // Before the approval was sent, both are built.
  assert.deepEqual(listKinds(await buildWell(seller, trade, terms)), ['approve', 'swap']);
  await chain.rpc.call('evm_setNextBlockTimestamp', asked.deadline / 1000 + 1);
  await chain.mine();
  await service.settle();
  const problem = assertProblem(await seller.build(trade, terms), 409, 'PERMIT_OUTDATED');
  assert.equal(problem.errors[0].path, 'permitSignature');
  assert.match(problem.detail, /has expired/);
}

/** A contract that accepts what its owner signs, and the calls that it makes for it. */
async function createContractWallet(service: TradeService) {
  const { chain, client } = service;
  const owner = privateKeyToAccount(generatePrivateKey());
  const { OwnerWallet: wallet } = compileWallets();
  assert.ok(wallet, 'no wallet is compiled');
  const data = encodeDeployData({ ...wallet, args: [owner.address] });
  const [from] = TEST_ADDRESSES as [Hex];
  const nonce = BigInt(await chain.rpc.call<Hex>('eth_getTransactionCount', from, 'latest'));
  assert.equal((await chain.send({ from, data, gas: 3_000_000n })).status, '0x1');
  const address = getContractAddress({ from, nonce });
  await setBalance(chain, ZERO_ADDRESS, { owner: owner.address, amountRaw: 10n * ETHER });
  const sign = (message: string) => owner.signMessage({ message });
  const { token: bearer } = await client.signIn({ address, chain: 'devnet', sign });
  const build = (trade: ServiceTradeInput, more: Json = {}) =>
    client.send('POST', '/trade/build', { body: { ...buildBody(trade), ...more }, bearer });
  const execute = async (calls: readonly Json[]) => {
    const own = calls.map(({ to, value = '0', data }) => ({ to, value: BigInt(value), data }));
    const args = [own] as const;
    const call = encodeFunctionData({ abi: wallet.abi, functionName: 'execute', args });
    await chain.rpc.call('anvil_impersonateAccount', owner.address);
    const sent = { from: owner.address, to: address, data: call, gas: 5_000_000n };
    assert.equal((await chain.send(sent)).status, '0x1');
  };
  return { address, owner, build, execute };
}

async function tradeAsContract({ service }: PermitScene): Promise<void> {
  const { address, owner, build, execute } = await createContractWallet(service);
  const wire = service.mintOf('wire');
  await service.give([[address, wire, 100n * ETHER]]);
  await service.settle();
  const trade = { mint: wire, side: 'sell', amountInRaw: ETHER } as const;
  const buildNow = async (more: Json): Promise<Json> => {
    await service.settle();
    const { status, body } = await build(trade, more);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const executeExactly = async (built: Json) => {
    assert.equal(built.quote.exact, true, JSON.stringify(built.quote.warnings));
    const watch = await watchTrade(service.chain, address, built);
    await execute(built.walletCalls.calls);
    const { receivedRaw, spentRaw } = await watch([]);
    assert.deepEqual([receivedRaw.toString(), spentRaw], [built.quote.output.amountRaw, ETHER]);
  };
  await execute((await buildNow({ approval: 'permit' })).transactions);
  const asked = await buildNow({ approval: 'permit' });
  assert.deepEqual(listKinds(asked), []);
  const stranger = privateKeyToAccount(generatePrivateKey());
  const foreign = buildTerms(asked, await stranger.signTypedData(asked.permit));
  const problem = assertProblem(await build(trade, foreign), 400, 'INVALID_INPUT');
  assert.equal(problem.errors[0].path, 'permitSignature');
  const built = await buildNow(buildTerms(asked, await owner.signTypedData(asked.permit)));
  assert.equal(readCommands(built.transactions[0])[0], PERMIT_COMMAND);
  await executeExactly(built);
  // Without a permit: approvals and swap in one transaction of the wallet, all or nothing.
  const batch = await buildNow({});
  assert.ok(batch.walletCalls.calls.length >= 2, listKinds(batch).join());
  await executeExactly(batch);
}

/** Registers the tests; the scene is read when they run. */
export function describePermits(read: () => PermitScene): void {
  test('after one approval a sale is a signature and a transaction', () => tradeByPermit(read()));
  test('a given output takes no more than was signed for', () => tradeGivenOutput(read()));
  test('a wrong signature is refused and named, and spends nothing', () =>
    refuseSignatures(read()));
  test('a contract wallet signs a permit, and makes the calls of a trade at once', () =>
    tradeAsContract(read()));
  test('an expired permit is refused and named', () => refuseExpired(read()));
  test('the native coin needs no permit', async () => {
    const { service } = read();
    const buyer = await createSeller(service, 'wire');
    const trade = { mint: service.mintOf('wire'), side: 'buy', amountInRaw: ETHER } as const;
    const built = await buildWell(buyer, trade, { approval: 'permit' });
    assert.deepEqual([listKinds(built), built.permit], [['swap'], undefined]);
  });
}
