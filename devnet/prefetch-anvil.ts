// Run after an installation: fetches the node where none comes as a package, so that the first
// start need not. Never fails an installation: what is missing is told again, in full, at start.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { resolveAnvil } from './anvil-binary.ts';

/** Absent from production installs, which have no use for a node. */
const isInstalled = existsSync(
  join(import.meta.dirname, '..', 'node_modules', 'mintwire-devnet', 'package.json'),
);

try {
  if (isInstalled) await resolveAnvil();
} catch (error) {
  console.warn(`the devnet is not ready to run: ${error instanceof Error ? error.message : error}`);
}
