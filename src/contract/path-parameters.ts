// Parameters in the path of an operation, such as the id of `/webhooks/{id}`.

const PARAMETER = /\{(\w+)\}/g;

export function listPathParameters(path: string): readonly string[] {
  return Array.from(path.matchAll(PARAMETER), ([, name = '']) => name);
}

/** What a path has in the place of each parameter, not decoded; null for another path. */
type MatchPath = (path: string) => Readonly<Record<string, string>> | null;

export function createPathMatcher(template: string): MatchPath {
  const names = listPathParameters(template);
  const pattern = new RegExp(`^${template.replace(PARAMETER, '([^/]+)')}$`);
  return (path) => {
    const match = pattern.exec(path);
    if (match === null) return null;
    return Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? '']));
  };
}
