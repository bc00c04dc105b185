// `mintwire forget --chain <chain>`: deletes an index, for one with another scope or start.

import { readChain } from './read-chain.ts';
import { readCommand } from './read-command.ts';
import { withStore } from './with-store.ts';

const FORM = {
  name: 'npx mintwire forget',
  help: `usage: npx mintwire forget --chain <chain>   for example --chain base

Deletes everything indexed of a chain. A service that follows it begins again, as its settings say.
`,
  flags: { chain: { type: 'string' } },
} as const;

export async function forget(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  const chain = command && readChain(FORM, command.values.chain);
  if (chain === null) return;
  await withStore(async (store) => {
    const isThere = (await store.market.readCheckpoint(chain)) !== null;
    await store.market.forgetChain(chain);
    console.log(isThere ? `The index of ${chain} is deleted.` : `Nothing of ${chain} is indexed.`);
  });
}
