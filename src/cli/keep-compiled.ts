// Keeps what Node compiles in the data folder, where the next start reads it.

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { openCodeFolder } from './open-code-folder.ts';

/** Without effect if the folder is not safe, or NODE_COMPILE_CACHE names another. */
export function keepCompiled(dataDir: string): void {
  const folder = join(dataDir, 'compiled');
  if (openCodeFolder(folder)) enableCompileCache(folder);
}
