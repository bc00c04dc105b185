// Run after an installation by whatever Node there is: puts the link to the service's own Node back.
// npm 10 removes the packages of other platforms together with their links, which have the same
// name; without the link, scripts would run on the system's Node.

import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const link = join(modules, '.bin', 'node');
const platform = `${process.platform}-${process.arch}`;
const runtime = readdirSync(modules).find((name) =>
  [`node-${platform}`, `node-bin-${platform}`].includes(name),
);

if (runtime !== undefined && !existsSync(link)) {
  rmSync(link, { force: true });
  symlinkSync(join('..', runtime, 'bin', 'node'), link);
}
