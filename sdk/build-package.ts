// Builds the published package: one module without dependencies, and its types.
//
// `node sdk/build-package.ts [folder]`

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const FOLDER = import.meta.dirname;
const target = resolve(process.argv[2] ?? FOLDER);

await build({
  absWorkingDir: FOLDER,
  entryPoints: ['src/client.ts'],
  outfile: join(target, 'dist/client.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  minify: true,
});
const types = ['-p', FOLDER, '--outDir', join(target, 'dist')];
const compiler = join(FOLDER, '../node_modules/.bin/tsc');
const { status } = spawnSync(compiler, types, { stdio: 'inherit' });
if (status !== 0) throw new Error('the types were not written');
if (target !== FOLDER) {
  mkdirSync(target, { recursive: true });
  for (const file of ['package.json', 'README.md']) {
    copyFileSync(join(FOLDER, file), join(target, file));
  }
}
