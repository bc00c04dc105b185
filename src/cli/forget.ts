// `mintwire forget --chain <chain>`: deletes an index, for one with another scope or start.

import { readCommand } from './read-command.ts';
import { readChain, withStore } from './with-store.ts';

const FORM = {
  name: 'npx mintwire forget',
  help: `usage: npx mintwire forget --chain <chain>   for example --chain base

Deletes everything indexed of a chain. A service that follows it begins again, as its settings say.
It deletes in steps; interrupted, it goes on where it was when it is called again.
`,
  flags: { chain: { type: 'string' } },
} as const;

/** Between two lines of a log. */
const LINE_ROWS = 1_000_000;

export async function forget(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  const chain = command && readChain(FORM, command.values.chain);
  if (chain === null) return;
  await withStore(async (store) => {
    // An epoch without a checkpoint was left by an earlier call that did not end.
    const isThere = (await store.market.readEpoch(chain)) !== null;
    let told = 0;
    await store.market.forgetChain(chain, (deleted) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${deleted} rows deleted `);
      else if (deleted - told >= LINE_ROWS) console.error(`${deleted} rows deleted`);
      told = deleted - (deleted % LINE_ROWS);
    });
    console.log(isThere ? `The index of ${chain} is deleted.` : `Nothing of ${chain} is indexed.`);
  });
}
