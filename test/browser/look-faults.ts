// What is wrong with the look of a page: findings of axe-core, parts that move, parts out of sight.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { findLayoutFaults } from './layout-faults.ts';

/** Pictures of every page, to be looked at, for `npm run pictures`; git ignores them. */
const PICTURES = join(import.meta.dirname, '../../console/pictures');
const TAKES_PICTURES = process.env['MINTWIRE_TEST_PICTURES'] === 'true';
const AXE_SOURCE = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** The limit of the web vitals for a good page. */
const SHIFT_MAX = 0.1;

/** Texts on their ground, and links that differ from the text around them by colour alone. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The rules whose outcome depends on where things are, and not only on what they are. */
export const LAYOUT_RULES = ['target-size', 'scrollable-region-focusable'];

interface AxeFinding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

type Theme = 'dark' | 'light';

const runOnly = (values: readonly string[]) => ({ runOnly: { type: 'rule', values } });

async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(AXE_SOURCE);
}

function describeFinding({ id, help, nodes }: AxeFinding): string {
  const places = nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`);
  return `${id}: ${help}\n${places.join('\n')}`;
}

async function runAxe(page: Page, scope: string, options: object): Promise<string[]> {
  await loadAxe(page);
  const chosen = JSON.stringify({ ...options, resultTypes: ['violations'] });
  const found = await page.evaluate<AxeFinding[]>(
    `axe.run(${scope}, ${chosen}).then(({ violations }) => violations)`,
  );
  return found.map(describeFinding);
}

/**
 * Runs in the page: one element of each kind of text. Whether a text can be read depends on its
 * colour, its size, its weight and what is painted behind it, so texts that share these are one.
 * Leaves those of kinds that are not in `read` for axe; returns how many kinds there are.
 */
const PICK_TEXT_KINDS = `((read) => {
  const kinds = new Map();
  const painted = new WeakMap();
  const findPaint = (element) => {
    if (element === null) return '';
    const known = painted.get(element);
    if (known !== undefined) return known;
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    const isPlain = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none';
    const own = isPlain && opacity === '1' ? '' : [backgroundColor, backgroundImage, opacity] + '|';
    const paint = findPaint(element.parentElement) + own;
    painted.set(element, paint);
    return paint;
  };
  const nameKind = (element) => {
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    return [findPaint(element), color, fontSize, fontWeight].join();
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() === '' || !element.checkVisibility()) continue;
    const link = element.closest('a');
    const { textDecorationLine } = getComputedStyle(element);
    const place = link === null ? '' : [textDecorationLine, link.parentElement.localName];
    const kind = [nameKind(element), place].join();
    if (!kinds.has(kind)) kinds.set(kind, element);
  }
  for (const field of document.querySelectorAll('input, select')) {
    kinds.set([nameKind(field), field.localName, field.type, field.disabled].join(), field);
  }
  const known = new Set(read);
  globalThis.textKinds = new Map([...kinds].filter(([kind]) => !known.has(kind)));
  return kinds.size;
})`;

/** Runs in the page: what axe says of these elements, and the kinds that it could judge. */
const JUDGE_TEXT_KINDS = `axe.run({ include: [...textKinds.values()] }, {
    runOnly: { type: 'rule', values: ${JSON.stringify(COLOUR_RULES)} },
    resultTypes: ['violations', 'incomplete'], elementRef: true })
  .then(({ violations, incomplete }) => {
    const open = incomplete.flatMap(({ nodes }) => nodes.map(({ element }) => element));
    const isOpen = (element) => open.some((one) => element.contains(one));
    return {
      violations: violations.map(({ id, help, nodes }) => ({ id, help,
        nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })),
      judged: [...textKinds].flatMap(([kind, element]) => isOpen(element) ? [] : [kind]),
    };
  })`;

/** Kinds of text that axe has judged on any page, by theme: a kind is as easy to read on all. */
const READ_KINDS: Readonly<Record<Theme, Set<string>>> = { dark: new Set(), light: new Set() };

/** Parts without a text of another kind are away meanwhile: axe looks at all there is. */
const REMOVE_OTHER_PARTS = `globalThis.removed = new Map();
  for (const part of document.querySelectorAll('main section, main article, main details')) {
    if ([...textKinds.values()].some((element) => part.contains(element))) continue;
    const mark = document.createComment('');
    removed.set(mark, part);
    part.replaceWith(mark);
  }`;
const RESTORE_PARTS = `for (const [mark, part] of removed) mark.replaceWith(part)`;

/** Of the kinds of text that no page had before, in the theme that this one is in. */
async function findColourFaults(page: Page, isLong: boolean): Promise<string[]> {
  const read = READ_KINDS[await readTheme(page)];
  const known = JSON.stringify([...read]);
  assert.ok((await page.evaluate<number>(`${PICK_TEXT_KINDS}(${known})`)) > 0);
  if ((await page.evaluate<number>('textKinds.size')) === 0) return [];
  await loadAxe(page);
  if (isLong) await page.evaluate(REMOVE_OTHER_PARTS);
  const { violations, judged } = await page.evaluate<{
    violations: readonly AxeFinding[];
    judged: readonly string[];
  }>(JUDGE_TEXT_KINDS);
  if (isLong) await page.evaluate(RESTORE_PARTS);
  for (const kind of judged) read.add(kind);
  return violations.map(describeFinding);
}

/** Runs in the page, before its own scripts: sums how far its parts moved without being asked. */
export const SUM_SHIFTS = `globalThis.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) {
      if (!hadRecentInput) layoutShift += value;
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

/** What moved since the page was opened; what a person opens moves the rest. */
export async function findShiftFaults(page: Page): Promise<string[]> {
  const shift = await page.evaluate<number>('layoutShift');
  return shift > SHIFT_MAX ? [`the layout shifted by ${shift}`] : [];
}

/** Of a mouse's and of a finger's screens; first the one that the page was opened at. */
const WIDTHS = { mouse: [1440, 1920, 1024], touch: [390, 360, 768, 1024] } as const;

async function setWidth(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
  // Rows and charts follow in the next frames.
  await page.evaluate(`new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))`);
}

async function listWidths(page: Page): Promise<readonly [number, ...number[]]> {
  const isTouch = await page.evaluate<boolean>(`matchMedia('(pointer: coarse)').matches`);
  return WIDTHS[isTouch ? 'touch' : 'mouse'];
}

/** Does something at every width, and takes a picture. The page ends at the first one. */
async function lookAtWidths(
  page: Page,
  name: string,
  look: (width: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const theme = await readTheme(page);
  const [first, ...others] = await listWidths(page);
  for (const width of [...others, first]) {
    await setWidth(page, width);
    await look(width);
    await takePicture(page, name, theme);
  }
  // What moved with the width did not move by itself.
  await page.evaluate(
    `new Promise((done) => setTimeout(done, 100)).then(() => { layoutShift = 0; })`,
  );
}

/** The layout at every width, with a picture of each. */
export async function findWidthFaults(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  await lookAtWidths(page, name, async (width) => {
    const found = await findLayoutFaults(page);
    faults.push(...found.map((fault) => `${name} at ${width} px: ${fault}`));
  });
  return faults;
}

async function readTheme(page: Page): Promise<Theme> {
  return page.evaluate<Theme>(`document.documentElement.dataset.theme ??
    (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark')`);
}

/** By the page's own button, unless a dialog is over it or the page has none. */
async function setTheme(page: Page, theme: Theme): Promise<void> {
  const button = page.getByRole('button', { name: `Use ${theme} colours` });
  const isCovered = (await page.locator('dialog[open]').count()) > 0;
  if (!isCovered && (await button.count()) > 0) await button.click();
  else await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
}

async function takePicture(page: Page, name: string, theme: Theme): Promise<void> {
  if (!TAKES_PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  const width = page.viewportSize()?.width ?? 0;
  await page.screenshot({ path: join(PICTURES, `${name}-${width}-${theme}.png`) });
}

/** Changes the theme, for pictures at every width; the findings in the other theme. */
async function findOtherThemeFaults(page: Page, name: string, isLong: boolean): Promise<string[]> {
  const theme = await readTheme(page);
  const other = theme === 'dark' ? 'light' : 'dark';
  if (isLong) await takePicture(page, name, theme);
  await setTheme(page, other);
  const faults = await findColourFaults(page, isLong);
  if (isLong) await takePicture(page, name, other);
  else if (TAKES_PICTURES) await lookAtWidths(page, name);
  return faults;
}

/**
 * Looks at a page as it is, at every width, then in the other theme, which changes colours alone;
 * takes a picture of each. The page stays in the other theme.
 */
export async function findLookFaults(
  page: Page,
  name: string,
  /** What is new on the page. */
  scope = 'html',
): Promise<string[]> {
  // Below the bar that stays at the top.
  if (scope === '.tabs') {
    await page.evaluate(`scrollTo(0, scrollY - 110 +
      document.querySelector('${scope}').getBoundingClientRect().top)`);
  }
  const faults = [
    ...(await runAxe(page, JSON.stringify(scope), {})),
    ...(await findShiftFaults(page)),
    ...(await findWidthFaults(page, name)),
    ...(await findOtherThemeFaults(page, name, false)),
  ];
  return faults.map((fault) => `${name}: ${fault}`);
}

async function findSidewaysFaults(page: Page): Promise<string[]> {
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return over > 0 ? [`the page is ${over} px too wide`] : [];
}

/** The same for a page of many parts that are alike: colours of one text of each kind. */
export async function findLongPageFaults(
  page: Page,
  name: string,
  /** All by default. */
  rules: readonly string[] | null,
): Promise<string[]> {
  const others = Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }]));
  const faults = [
    ...(await runAxe(page, 'document', rules === null ? { rules: others } : runOnly(rules))),
    ...(await findSidewaysFaults(page)),
    ...(await findColourFaults(page, true)),
    ...(await findOtherThemeFaults(page, name, true)),
  ];
  return faults.map((fault) => `${name}: ${fault}`);
}
