// A release up to where it would be published: a tree that is not ready is refused with the reason,
// and one that is has archives, a list of their parts and hashes that fit.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTempFolder } from '../test/start-service-process.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** A clone of this tree as it is now, committed. */
function createClone(t: TestContext) {
  const folder = join(createTempFolder(t), 'clone');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      ...{ cwd: folder, encoding: 'utf8' },
    });
  execFileSync('git', ['clone', '--quiet', '--no-tags', ROOT, folder]);
  const changed = execFileSync('git', ['diff', '--binary', 'HEAD'], {
    ...{ cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 },
  });
  if (changed !== '') execFileSync('git', ['apply'], { cwd: folder, input: changed });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  const release = () =>
    spawnSync(
      process.execPath,
      ['--no-warnings', 'release/release.ts', '--dry-run', '--to', 'release-files'],
      { cwd: folder, encoding: 'utf8', env: { ...process.env, GITHUB_REPOSITORY: 'o/mintwire' } },
    );
  return { folder, git, release };
}

test('a release is made in full but for its publishing, once the tree is ready', (t) => {
  const { folder, git, release } = createClone(t);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const changelog = join(folder, 'CHANGELOG.md');
  const told = readFileSync(changelog, 'utf8').replaceAll(`\n## ${version} `, '\n## x ');
  writeFileSync(changelog, told);
  writeFileSync(join(folder, 'left-over.txt'), 'not committed\n');
  const refused = release();
  assert.equal(refused.status, 1, refused.stdout + refused.stderr);
  assert.match(refused.stdout, /fault {2}nothing is uncommitted: commit or stash it/);
  assert.match(refused.stdout, /fault {2}the changelog tells of it: no "## \S+ \(date\)"/);
  assert.match(refused.stdout, /2 faults: nothing would be published/);

  writeFileSync(changelog, told.replace('\n## ', `\n## ${version} (2026-11-20)\n\n## `));
  git('add', '--all');
  git('commit', '--quiet', '--message', 'release');
  const made = release();
  assert.equal(made.status, 0, made.stdout + made.stderr);
  const would = made.stdout.match(/would run: (\S+ \S+)/g);
  assert.deepEqual(
    would,
    ['npm publish', 'npm publish', 'git tag', 'git push'].map((one) => `would run: ${one}`),
  );
  assert.equal(git('tag', '--list'), '');
  const files = join(folder, 'release-files');
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: files });
  const parts = JSON.parse(readFileSync(join(files, `mintwire-${version}.cdx.json`), 'utf8'));
  const names: string[] = parts.components.map(({ name }: { name: string }) => name);
  assert.deepEqual([parts.bomFormat, parts.metadata.component.name], ['CycloneDX', 'mintwire']);
  assert.ok(names.includes('viem'));
  assert.ok(!names.includes('playwright-core'));
  for (const name of [`mintwire-${version}`, `mintwire-client-${version}`]) {
    const read = ['-xzOf', join(files, `${name}.tgz`), 'package/package.json'];
    const manifest = JSON.parse(execFileSync('tar', read, { encoding: 'utf8' }));
    assert.equal(manifest.version, version);
    assert.equal(manifest.repository.url, 'git+https://github.com/o/mintwire.git');
  }
});
