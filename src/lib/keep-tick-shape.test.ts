// Pins that the kept tick has the shape that Node gives to all ticks.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const url = JSON.stringify(new URL('./keep-tick-shape.ts', import.meta.url).href);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** 24.0 is the newest package for macOS on arm64. */
const CAN_IGNORE_PROMISES = major > 24 || minor >= 14;

/** Whether the kept tick lives, and a new one has its shape, after collections at rest. */
const SCRIPT = `
  import { createHook } from 'node:async_hooks';
  import { keepTickShape } from ${url};
  function readNextTick() {
    let tick;
    const init = (_id, _type, _trigger, one) => { tick = one };
    const hook = createHook({ init, trackPromises: false });
    hook.enable();
    process.nextTick(() => undefined);
    hook.disable();
    return tick;
  }
  const weak = new WeakRef(keepTickShape());
  for (let round = 0; round < 5; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    globalThis.gc();
  }
  const isKept = weak.deref() !== undefined;
  const isSameShape = isKept && %HaveSameMap(weak.deref(), readNextTick());
  console.log(JSON.stringify({ isKept, isSameShape }));
`;

test('a tick of the shape that Node gives all of them survives full collections', async (t) => {
  if (!CAN_IGNORE_PROMISES) return t.skip(`hooks of Node ${process.version} count promises`);
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', SCRIPT]);
  assert.deepEqual(JSON.parse(stdout), { isKept: true, isSameShape: true });
});
