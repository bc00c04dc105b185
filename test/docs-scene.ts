// A service on its embedded chain, and everything that a documented example may refer to.

import assert from 'node:assert/strict';
import { privateKeyToAccount } from 'viem/accounts';
import { writeTokenList } from '../devnet/write-token-list.ts';
import type { ExampleSetting } from '../docs/documented-examples.ts';
import { type AccessClient, createAccessClient } from './access-client.ts';
import { untilAtHead } from './indexed-service.ts';
import { createIndexingScene, trade } from './indexing-scene.ts';
import { type Cleanup, type RunningService, startServiceProcess } from './start-service-process.ts';
import type { TestWallet } from './wallets.ts';

/** WIRE, which the devnet always has at this address. */
export const WIRE = '0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7';

/** The first public test account, which has coins on the devnet. */
const ACCOUNT = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
);

export const READER: TestWallet = {
  address: ACCOUNT.address,
  chain: 'base',
  sign: (message) => ACCOUNT.signMessage({ message }),
};

export interface DocsScene extends ExampleSetting {
  readonly service: RunningService;
  readonly client: AccessClient;
  /** A session of the reader's wallet. */
  readonly token: string;
}

/** Whose examples include those of operators. */
const OPERATOR = { OPERATOR_WALLETS: ACCOUNT.address };

const PLENTY = Object.fromEntries(
  ['KEY', 'SESSION'].flatMap((level) => [
    [`LIMIT_${level}_PER_MINUTE`, '1000000'],
    [`LIMIT_${level}_BURST`, '1000000'],
  ]),
);

async function untilReady(service: RunningService): Promise<void> {
  while ((await fetch(`${service.origin}/v1/ready`)).status !== 200) {
    assert.equal(service.child.exitCode, null, service.output());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Token safety is measured in the background; examples show its result. */
async function untilSafetyKnown(service: RunningService): Promise<void> {
  const trade = { chain: 'devnet', mint: WIRE, side: 'buy', amountInRaw: `5${'0'.repeat(18)}` };
  for (let attempts = 0; attempts < 500; attempts += 1) {
    const response = await fetch(`${service.origin}/v1/trade/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(trade),
    });
    const quote = (await response.json()) as { exact?: boolean };
    if (quote.exact) return;
    assert.equal(service.child.exitCode, null, service.output());
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.fail('no quote of WIRE becomes exact');
}

async function buildScene(service: RunningService): Promise<DocsScene> {
  await untilSafetyKnown(service);
  const client = createAccessClient(service.origin);
  const { token } = await client.signIn(READER);
  const { id, key } = await client.issueKey(token, 'prices backend');
  const { body } = await client.send('GET', `/token/trades?chain=devnet&mint=${WIRE}&limit=1`);
  const [trade] = body['trades'] as { txHash: string }[];
  return {
    service,
    client,
    token,
    origin: service.origin,
    env: {
      ...{ TOKEN: token, KEY: key, KEY_ID: id, MINT: WIRE },
      TX_HASH: trade?.txHash ?? assert.fail('the devnet has no trade of WIRE'),
    },
  };
}

/** The service as a reader starts it, with the history of a first start. */
export async function startReaderScene(t: Cleanup): Promise<DocsScene> {
  const service = await startServiceProcess(t, { env: { DEVNET: 'auto', ...OPERATOR, ...PLENTY } });
  await untilReady(service);
  return buildScene(service);
}

/** The same contracts and tokens on a node that starts faster, where this process trades. */
export async function startDocsScene(t: Cleanup): Promise<DocsScene> {
  const { chain, env } = await createIndexingScene(t, { engine: 'sqlite' });
  await writeTokenList(env['DATA_DIR'] ?? '', chain.deployment);
  const service = await startServiceProcess(t, { env: { ...env, ...OPERATOR, ...PLENTY } });
  await trade(chain, 3);
  await untilAtHead(service, chain);
  let isOver = false;
  const trading = (async () => {
    while (!isOver) {
      await trade(chain, 1);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  t.after(async () => {
    isOver = true;
    await trading;
  });
  return buildScene(service);
}
