// A part of a lockfile: some packages, and all that they need.

export interface LockedPackage {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** The key of the package that Node finds from the folder of another one. */
function findPackage(locked: LockedPackages, from: string, name: string): string | null {
  for (let folder = from; ; ) {
    const key = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (locked[key] !== undefined) return key;
    if (folder === '') return null;
    folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0));
  }
}

/** Entries that no platform has been given are left out, as in the whole lockfile. */
export function pickLocked(locked: LockedPackages, names: readonly string[]): LockedPackages {
  const picked = new Map<string, LockedPackage>();
  const add = (from: string, name: string): void => {
    const key = findPackage(locked, from, name);
    if (key === null || picked.has(key)) return;
    // What it is in the whole project (of development, optional) is not what it is here.
    const { dev: _dev, devOptional: _both, ...entry } = locked[key] as Record<string, unknown>;
    picked.set(key, entry);
    const { peerDependencies, peerDependenciesMeta, ...own } = entry as LockedPackage;
    const peers = Object.keys(peerDependencies ?? {});
    const needed = peers.filter((one) => peerDependenciesMeta?.[one]?.optional !== true);
    const kept = Object.keys({ ...own.dependencies, ...own.optionalDependencies });
    for (const one of [...kept, ...needed]) add(key, one);
  };
  for (const name of names) add('', name);
  return Object.fromEntries([...picked].sort(([a], [b]) => (a < b ? -1 : 1)));
}
