// Small test files of one room share a process: most of what such a file costs is the start of Node
// and the modules that its neighbours import, too.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findScenes } from './rpc-notes.ts';

const ROOMS = /^(?:src|sdk|console)\//;
/** Of what changes the process or needs a program beside it. */
const NEEDS_ITS_OWN =
  /root-hooks|process\.(?:env|on|chdir|exit)|(?<!\bt\.)\bmock\.|globalThis|child_process|worker_threads|devnet\/|redis/;
/** Few enough to stop and read where one of them hangs. */
const FILES_MAX = 10;

function findRoom(file: string): string {
  return file.split('/').slice(0, 2).join('-');
}

/** The files to run: those that share a process are replaced by one in the folder. */
export function joinFiles(files: readonly string[], folder: string): string[] {
  const scenes = new Set(findScenes(files));
  const rooms = new Map<string, string[]>();
  const alone: string[] = [];
  for (const file of files) {
    const isAlone =
      !ROOMS.test(file) || scenes.has(file) || NEEDS_ITS_OWN.test(readFileSync(file, 'utf8'));
    if (isAlone) alone.push(file);
    else rooms.set(findRoom(file), [...(rooms.get(findRoom(file)) ?? []), file]);
  }
  const joined = [...rooms].flatMap(([room, members]) =>
    Array.from({ length: Math.ceil(members.length / FILES_MAX) }, (_, part) => {
      const path = join(folder, `${room}-${part + 1}.test.mjs`);
      const parts = members.slice(part * FILES_MAX, (part + 1) * FILES_MAX);
      const imports = parts.map((file) => `import '${pathToFileURL(resolve(file)).href}';\n`);
      writeFileSync(path, imports.join(''));
      return path;
    }),
  );
  return [...alone, ...joined];
}
