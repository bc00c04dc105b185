// `npm run breaks`: breaks the service on purpose, one listed place after the other, and shows that
// a test notices each. It works on a copy; a test that fails without a break is named at once.

import { spawn } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Break {
  readonly file: string;
  /** What stands there once, and what it becomes. */
  readonly take: string;
  readonly put: string;
  readonly test: string;
}

const ROOT = resolve(import.meta.dirname, '../..');
/** A break may make a loop endless. */
const TIMEOUT_MS = 300_000;
const PARTS = ['src', 'test', 'devnet', 'sdk', 'bench'];
const BREAKS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'breaks.json'), 'utf8'),
) as readonly Break[];

/** A copy that tests find everything in: packages, and the recorded data beside it. */
function copyTree(folder: string): string {
  const copy = join(folder, 'mintwire');
  mkdirSync(copy, { recursive: true });
  for (const part of PARTS) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  for (const file of globSync('*.json', { cwd: ROOT })) cpSync(join(ROOT, file), join(copy, file));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  symlinkSync(resolve(ROOT, '../shared'), join(folder, 'shared'));
  return copy;
}

function passes(copy: string, test: string): Promise<boolean> {
  const child = spawn(process.execPath, ['--test', test], {
    cwd: copy,
    stdio: 'ignore',
    timeout: TIMEOUT_MS,
  });
  return new Promise((done) => child.once('close', (code) => done(code === 0)));
}

/** With a copy of its own, as a break is seen by everything in it. */
async function work(copy: string, next: () => Break | undefined): Promise<string[]> {
  const unnoticed: string[] = [];
  for (let one = next(); one !== undefined; one = next()) {
    const { file, take, put, test } = one;
    const text = readFileSync(join(copy, file), 'utf8');
    const place = `${file}: ${take}`;
    if (text.split(take).length !== 2) {
      unnoticed.push(`${place} (it does not stand there once)`);
      continue;
    }
    const isSound = await passes(copy, test);
    writeFileSync(
      join(copy, file),
      text.replace(take, () => put),
    );
    const isNoticed = !(await passes(copy, test));
    writeFileSync(join(copy, file), text);
    console.log(`${isSound && isNoticed ? 'noticed' : 'MISSED '} ${place}`);
    if (!isSound) unnoticed.push(`${place} (${test} fails without it)`);
    else if (!isNoticed) unnoticed.push(`${place} (${test} passes)`);
  }
  return unnoticed;
}

const folder = mkdtempSync(join(tmpdir(), 'mintwire-breaks-'));
const waiting = BREAKS.filter(({ file }) =>
  process.argv.slice(2).every((one) => file.includes(one)),
);
const total = waiting.length;
const copies = Array.from({ length: availableParallelism() }, (_, at) =>
  copyTree(join(folder, String(at))),
);
const unnoticed = (
  await Promise.all(copies.map((copy) => work(copy, () => waiting.shift())))
).flat();
rmSync(folder, { recursive: true, force: true });
for (const one of unnoticed) console.error(one);
console.log(`${total} breaks, ${total - unnoticed.length} noticed`);
process.exitCode = unnoticed.length > 0 || total === 0 ? 1 : 0;
