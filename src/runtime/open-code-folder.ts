// A folder that code is run from.

import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const ROOT_UID = 0;
const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;
/** As of /tmp: only owners may replace what is in it. */
const STICKY = 0o1000;

/**
 * Creates the folder if necessary. False unless it is a real folder of this user, which nobody else
 * can write or replace.
 */
export function openCodeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const own = lstatSync(folder);
    const parent = statSync(dirname(folder));
    const uid = process.getuid?.();
    if (!own.isDirectory() || own.uid !== uid) return false;
    if (parent.uid !== uid && parent.uid !== ROOT_UID) return false;
    if ((own.mode & WRITABLE_BY_OTHERS) !== 0) return false;
    if ((parent.mode & WRITABLE_BY_OTHERS) === 0) return true;
    return (parent.mode & STICKY) !== 0 && (own.mode & OPEN_TO_OTHERS) === 0;
  } catch {
    return false;
  }
}
