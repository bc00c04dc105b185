// Replaces a file as a whole: readers, also after a crash, find the old content or the new one.

import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** The file can be read by its owner only. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | readonly Uint8Array[],
): Promise<void> {
  // Processes of several containers may write to one volume under the same process id.
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    // The disk may be full.
    await rm(draft, { force: true });
    throw error;
  }
}
