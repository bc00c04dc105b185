// Where the user is: the path and the query, which holds every choice on a page.

import { signal } from '@preact/signals';
import { findRoute } from './routes.ts';

interface CurrentLocation {
  readonly path: string;
  readonly query: URLSearchParams;
}

function readLocation(): CurrentLocation {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

export const currentLocation = signal<CurrentLocation>(readLocation());

export function navigate(href: string): void {
  history.pushState(null, '', href);
  currentLocation.value = readLocation();
  scrollTo(0, 0);
}

/** Changes fields of the query in place; null removes one. The page stays where it is. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, '', text === '' ? location.pathname : `?${text}`);
  currentLocation.value = readLocation();
}

/** Links to our own pages are followed without a reload. */
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.origin !== location.origin) return;
  if (findRoute(link.pathname) === null || link.hash !== '') return;
  event.preventDefault();
  navigate(`${link.pathname}${link.search}`);
}

export function watchLocation(): void {
  addEventListener('click', followLink);
  addEventListener('popstate', () => {
    currentLocation.value = readLocation();
  });
}
