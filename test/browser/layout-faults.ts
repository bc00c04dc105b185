// What is wrong with where things are on a page, at the width that it has now: texts that are cut,
// covered or beside the screen, rows that do not fill their column, targets too small for fingers.

import type { Page } from 'playwright-core';

/** Rows of the list have one height: those out of sight are spaces of it. */
const LIST_ROW_PX = 56;

/** The least that a finger hits. */
const TARGET_PX = 40;

/** Runs in the page: the faults, each with its element. An open dialog is all there is. */
const MEASURE = `(() => {
  const faults = [];
  const tell = (what, element) => faults.push(what + ': ' + element.outerHTML.slice(0, 200));
  const root = document.querySelector('dialog[open]') ?? document.body;
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) &&
    element.closest('.skip') === null;

  /** What an element is in: for readers of the screen alone, or over the page. */
  const places = new WeakMap();
  const findPlace = (element) => {
    if (element === null) return { isUnseen: false, layer: null, isUntouched: false };
    const known = places.get(element);
    if (known !== undefined) return known;
    const outer = findPlace(element.parentElement);
    const { clipPath, position, pointerEvents } = getComputedStyle(element);
    const isOver = ['fixed', 'sticky'].includes(position) || element.localName === 'dialog';
    const place = {
      isUnseen: outer.isUnseen || clipPath === 'inset(50%)',
      layer: isOver ? element : outer.layer,
      isUntouched: outer.isUntouched || pointerEvents === 'none',
    };
    places.set(element, place);
    return place;
  };

  /** A name may end with three dots where the whole of it is at hand; a figure or badge may not. */
  const isShortened = (box, element) => element.closest('.badge, .launch') === null &&
    getComputedStyle(box).textOverflow === 'ellipsis' &&
    box.closest('.number') === null &&
    (box.closest('[title]:not([title=""])') ?? box.querySelector('[title]')) !== null;

  /** What is seen of a text; tells of one that is cut. */
  const findSeen = (rect, element) => {
    const { left, right, top, bottom } = rect;
    const seen = { left, right, top, bottom, isShort: false };
    for (let box = element; box !== null && box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(box);
      if (overflowX === 'visible' || getComputedStyle(box).display === 'inline') continue;
      const frame = box.getBoundingClientRect();
      const isCutX = seen.left < frame.left - 1 || seen.right > frame.right + 1;
      const isCutY = overflowY === 'hidden' && (seen.top < frame.top - 3 || seen.bottom > frame.bottom + 3);
      if ((isCutX || isCutY) && !isShortened(box, element)) tell('cut', element);
      seen.isShort ||= isCutX;
      seen.left = Math.max(seen.left, frame.left);
      seen.right = Math.min(seen.right, frame.right);
      seen.top = Math.max(seen.top, frame.top);
      seen.bottom = Math.min(seen.bottom, frame.bottom);
    }
    return seen;
  };

  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || element.closest('select, noscript') !== null) continue;
    if (!isShown(element) || findPlace(element).isUnseen) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const rect of range.getClientRects()) {
      if (rect.width < 1) continue;
      const seen = findSeen(rect, element);
      if (seen.right <= seen.left || seen.bottom <= seen.top) continue;
      if (seen.right > innerWidth + 1 || seen.left < -1) tell('beside the screen', element);
      texts.push({ element, seen, node: walker.currentNode, place: findPlace(element) });
    }
  }

  texts.sort((a, b) => a.seen.top - b.seen.top);
  texts.forEach((one, at) => {
    for (const other of texts.slice(at + 1)) {
      if (other.seen.top > one.seen.bottom) break;
      if (other.node === one.node || other.place.layer !== one.place.layer) continue;
      if (overlap(one.seen, other.seen)) tell('over another text', other.element);
    }
    const x = (one.seen.left + one.seen.right) / 2;
    const y = (one.seen.top + one.seen.bottom) / 2;
    // Where a text is shortened, its place may be that of the three dots.
    if (one.place.isUntouched || one.seen.isShort || y < 0 || y > innerHeight) return;
    const hit = document.elementFromPoint(x, y);
    if (hit === null || hit.contains(one.element) || one.element.contains(hit)) return;
    // What scrolls below a bar can be scrolled out from below it.
    if (findPlace(hit).layer === one.place.layer) tell('covered by ' + hit.outerHTML.slice(0, 80), one.element);
  });
  for (const bar of root.querySelectorAll('.depth-bar')) {
    const rect = bar.getBoundingClientRect();
    if (texts.some(({ seen }) => overlap(seen, rect))) tell('a bar lies under a figure', bar);
  }

  const pen = document.createElement('canvas').getContext('2d');
  for (const field of root.querySelectorAll('select, input:not([type=checkbox])')) {
    if (!isShown(field)) continue;
    // The shorthand of all is empty where figures are tabular.
    const { fontWeight, fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(field);
    const isList = field.localName === 'select';
    // What is typed scrolls; a list or an example must be read whole.
    const text = isList ? field.selectedOptions[0]?.text ?? '' : field.value === '' ? field.placeholder : '';
    pen.font = [fontWeight, fontSize, fontFamily].join(' ');
    const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - (isList ? 16 : 0);
    if (pen.measureText(text).width > room + 1) tell('cut in its field', field);
  }

  if (document.documentElement.scrollWidth > innerWidth) {
    faults.push('the page is ' + (document.documentElement.scrollWidth - innerWidth) + ' px too wide');
  }
  for (const box of root.querySelectorAll('*')) {
    if (box.scrollWidth <= box.clientWidth + 1 || box.clientWidth === 0) continue;
    if (['auto', 'scroll'].includes(getComputedStyle(box).overflowX)) tell('scrolls sideways', box);
  }

  for (const table of root.querySelectorAll('table')) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])].filter(isShown);
    if (heads.length === 0) continue;
    const sum = heads.reduce((width, head) => width + head.getBoundingClientRect().width, 0);
    if (sum < table.getBoundingClientRect().width - 3) tell('columns do not fill the table', table);
  }
  for (const part of root.querySelectorAll('table:not(.depth), .chart, .note, .usage, .tabs, .bar')) {
    if (!isShown(part) || part.parentElement.closest('.bar') !== null) continue;
    const { paddingRight } = getComputedStyle(part.parentElement);
    const right = part.parentElement.getBoundingClientRect().right - parseFloat(paddingRight);
    if (part.getBoundingClientRect().right < right - 3) tell('does not fill its column', part);
  }
  for (const row of root.querySelectorAll('table.tokens tbody tr[aria-rowindex]')) {
    const { height } = row.getBoundingClientRect();
    if (Math.abs(height - ${LIST_ROW_PX}) > 1) tell('a row of the list is ' + height + ' px high', row);
  }
  const top = document.querySelector('.top');
  for (const part of top?.children ?? []) {
    if (!isShown(part) || ['absolute', 'fixed'].includes(getComputedStyle(part).position)) continue;
    const frame = top.getBoundingClientRect();
    const { top: y, bottom } = part.getBoundingClientRect();
    if (y < frame.top || bottom > frame.bottom) tell('outside the bar at the top', part);
  }
  for (const button of root.querySelectorAll('dialog .primary')) {
    const { top: y, bottom } = button.getBoundingClientRect();
    const frame = root.getBoundingClientRect();
    if (y < frame.top || bottom > Math.min(frame.bottom, innerHeight)) tell('the deciding button is cut', button);
  }

  if (matchMedia('(pointer: coarse)').matches) {
    for (const target of root.querySelectorAll('a[href], button, input, select, summary, [role=option]')) {
      if (!isShown(target) || findPlace(target).isUnseen) continue;
      const isInText = getComputedStyle(target).display === 'inline' &&
        [...target.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
      const { width, height } = (target.closest('.check') ?? target).getBoundingClientRect();
      if (!isInText && (width < ${TARGET_PX - 0.5} || height < ${TARGET_PX - 0.5})) {
        tell('a target of ' + Math.round(width) + ' x ' + Math.round(height) + ' px', target);
      }
    }
  }
  return [...new Set(faults)];
})()`;

export function findLayoutFaults(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(MEASURE);
}
