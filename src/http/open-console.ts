// Serves the console that `console/build.ts` wrote, and builds it where it is missing or old.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../telemetry/logger.ts';
import { buildStaticFile, type FindFile, readStaticFiles } from './static-files.ts';

interface Console {
  readonly findFile: FindFile;
  stop(): Promise<void>;
}

const FOLDER = fileURLToPath(new URL('../../console', import.meta.url));

const BUILDING_PAGE = buildStaticFile(
  'building.html',
  Buffer.from(
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Mintwire</title><p>The console is being built. This page reloads by itself. The API is at <a href="/v1/docs">/v1</a>.</p></html>\n',
  ),
);

/** Whether a source is newer than the built pages. An install without sources is never old. */
function isOld(folder: string): boolean {
  if (!existsSync(join(folder, 'build.ts'))) return false;
  const built = statSync(join(folder, 'dist/index.html'), { throwIfNoEntry: false });
  if (built === undefined) return true;
  const own = globSync('{build.ts,src/**/*.{ts,tsx,css,svg}}', { cwd: folder });
  // The pages contain the SDK.
  const sources = [...own, ...globSync('../sdk/src/*.ts', { cwd: folder })];
  return sources.some((name) => statSync(join(folder, name)).mtimeMs > built.mtimeMs);
}

export function openConsole(logger: Logger, folder = FOLDER): Console {
  const dist = join(folder, 'dist');
  let files = readStaticFiles(dist);
  let build: ChildProcess | null = null;
  if (isOld(folder)) {
    build = spawn(process.execPath, [join(folder, 'build.ts')], { stdio: 'ignore' });
    build.once('error', (error) => {
      build = null;
      logger.warn({ err: error }, 'the console cannot be built');
    });
    build.once('exit', (code, signal) => {
      build = null;
      if (code === 0) files = readStaticFiles(dist);
      else if (signal === null) {
        logger.warn({ code }, 'the console was not built; `node console/build.ts` says why');
      }
    });
  }
  return {
    findFile: (path) => {
      const file = files.get(path);
      if (file !== undefined) return file;
      return build !== null && path === '/' ? BUILDING_PAGE : null;
    },
    stop: async () => {
      build?.kill();
    },
  };
}
