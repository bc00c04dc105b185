// Which folders are safe to run code from.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTempFolder } from '../../test/start-service-process.ts';
import { openCodeFolder } from './open-code-folder.ts';

test('code is run only from a folder that nobody else can write or replace', (t) => {
  const root = createTempFolder(t);
  const isSafe = (modes: { readonly parent: number; readonly own: number }) => {
    const parent = join(root, `${modes.parent}-${modes.own}`);
    mkdirSync(join(parent, 'compiled'), { recursive: true });
    chmodSync(join(parent, 'compiled'), modes.own);
    chmodSync(parent, modes.parent);
    return openCodeFolder(join(parent, 'compiled'));
  };
  assert.equal(isSafe({ parent: 0o700, own: 0o700 }), true);
  assert.equal(isSafe({ parent: 0o755, own: 0o755 }), true);
  assert.equal(isSafe({ parent: 0o700, own: 0o775 }), false);
  assert.equal(isSafe({ parent: 0o700, own: 0o707 }), false);
  assert.equal(isSafe({ parent: 0o777, own: 0o700 }), false);
  assert.equal(isSafe({ parent: 0o775, own: 0o700 }), false);
  assert.equal(isSafe({ parent: 0o1777, own: 0o700 }), true);
  assert.equal(isSafe({ parent: 0o1777, own: 0o755 }), false);

  assert.equal(openCodeFolder(join(root, 'new', 'compiled')), true);
  symlinkSync(join(root, 'new', 'compiled'), join(root, 'link'));
  assert.equal(openCodeFolder(join(root, 'link')), false);
  writeFileSync(join(root, 'file'), '');
  assert.equal(openCodeFolder(join(root, 'file')), false);
});
