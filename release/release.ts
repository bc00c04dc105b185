// `npm run release`: makes everything that a release consists of, looks at it, and publishes it.
//
// --dry-run    make and look at everything, and print the commands instead of running them
// --to <dir>   the folder for the archives; ./release-files by default

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage } from './build-package.ts';

const ROOT = resolve(import.meta.dirname, '..');
const ARCHIVE_MAX_BYTES = 6_000_000;

const { values: flags } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, to: { type: 'string' } },
});
const folder = resolve(flags.to ?? 'release-files');
let faults = 0;

function check(what: string, fault: string | null): void {
  if (fault !== null) faults += 1;
  console.log(
    `${fault === null ? 'ok    ' : 'fault '} ${what}${fault === null ? '' : `: ${fault}`}`,
  );
}

function readVersion(file: string): string {
  return (JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { version: string }).version;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function run(command: string, args: readonly string[], cwd = ROOT): string {
  return execFileSync(command, args, {
    ...{ cwd, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** What would be wrong with a release of this tree. */
function checkTree(version: string): void {
  check(
    'nothing is uncommitted',
    git('status', '--porcelain') === '' ? null : 'commit or stash it',
  );
  const client = readVersion('sdk/package.json');
  check('the client has the same version', client === version ? null : `it is ${client}`);
  const isTold = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version} `);
  check('the changelog tells of it', isTold ? null : `no "## ${version} (date)" in CHANGELOG.md`);
  const isNew = git('tag', '--list', `v${version}`) === '';
  check(`the tag v${version} is new`, isNew ? null : 'raise the version');
}

/** Both archives, a list of the parts that are in the service, and the hash of each file. */
function build(version: string): { readonly service: string; readonly client: string } {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const temp = mkdtempSync(join(tmpdir(), 'mintwire-release-'));
  // The list of parts names the service by its folder.
  const [service, client] = [join(temp, 'mintwire'), join(temp, 'client')];
  buildPackage(service);
  run(process.execPath, [join(ROOT, 'sdk/build-package.ts'), client]);
  // Provenance is of the repository that the manifest names.
  const repository = process.env['GITHUB_REPOSITORY'];
  for (const built of [client, service]) {
    const url = `repository.url=git+https://github.com/${repository}.git`;
    if (repository !== undefined) run('npm', ['pkg', 'set', 'repository.type=git', url], built);
    const pack = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
    run('npm', [...pack, built]);
  }
  const parts = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'];
  writeFileSync(join(folder, `mintwire-${version}.cdx.json`), run('npm', parts, service));
  rmSync(temp, { recursive: true });
  const sums = readdirSync(folder)
    .sort()
    .map((file) => {
      const hash = createHash('sha256').update(readFileSync(join(folder, file)));
      return `${hash.digest('hex')}  ${file}\n`;
    });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  for (const file of readdirSync(folder)) {
    const { size } = statSync(join(folder, file));
    const fault = file.endsWith('.tgz') && size > ARCHIVE_MAX_BYTES ? 'too large' : null;
    check(`${file}, ${Math.ceil(size / 1000)} kB`, fault);
  }
  return { service: `mintwire-${version}.tgz`, client: `mintwire-client-${version}.tgz` };
}

const version = readVersion('package.json');
console.log(`Mintwire ${version} from ${git('rev-parse', '--short', 'HEAD')}`);
checkTree(version);
const { service, client } = build(version);
// There is no token: the registry trusts the workflow that runs this
// (.github/workflows/release.yml).
const publish = ['publish', '--provenance', '--access', 'public'];
const commands = [
  ['npm', ...publish, join(folder, client)],
  ['npm', ...publish, join(folder, service)],
  ['git', 'tag', '--annotate', `v${version}`, '--message', `Mintwire ${version}`],
  ['git', 'push', 'origin', `v${version}`],
];
if (faults > 0) {
  console.log(`${faults} faults: nothing would be published`);
  process.exitCode = 1;
}
for (const [command = '', ...args] of commands) {
  if (flags['dry-run'] === true) console.log(`would run: ${command} ${args.join(' ')}`);
  else if (process.exitCode !== 1) {
    const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
