// Runs after an installation: fetches a node for the first start, and prints which one. Never fails
// an installation: a missing node is reported again at start.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchAnvil, resolveAnvil } from './anvil-binary.ts';

/** Absent from production installs, which need no node. */
const isInstalled = existsSync(
  join(import.meta.dirname, '..', 'node_modules', 'mintwire-devnet', 'package.json'),
);

try {
  if (isInstalled) {
    const isNamed = Boolean(process.env['ANVIL_PATH']);
    const { origin } = await (isNamed ? resolveAnvil() : fetchAnvil());
    console.log(`devnet node: ${origin}`);
  }
} catch (error) {
  console.log(`devnet node: ${error instanceof Error ? error.message : error}`);
}
