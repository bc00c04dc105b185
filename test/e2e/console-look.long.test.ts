// How the console looks in a real browser, at every width. `npm run pictures` runs this alone; its
// pictures are in console/pictures. `console.test.ts` has the look of one phone.

import { describe, test } from 'node:test';
import { type ConsoleScene, startConsoleScene } from '../browser/console-scene.ts';
import {
  checkLook,
  checkReference,
  checkSignedOut,
  checkUnanswered,
  LOOKS,
} from '../browser/look-flows.ts';
import { setUp } from '../root-hooks.ts';

let scene: ConsoleScene;

setUp(async (t) => {
  scene = await startConsoleScene(t);
});

/** Nothing trades meanwhile. */
describe('no text is cut or covered, nothing scrolls sideways, rows fill their column', {
  concurrency: 2,
}, () => {
  for (const look of LOOKS) {
    const where = look.width < 600 ? 'touched' : 'with a mouse';
    test(`${where}, signed in: also no finding of axe, and nothing moves`, () =>
      checkLook(scene, look));

    test(`${where}, signed out, with empty lists, without a wallet`, () =>
      checkSignedOut(scene, look));

    test(`${where}, while no answer has come and without a server`, () =>
      checkUnanswered(scene, look));

    test(`${where}, the reference with all its parts open`, () => checkReference(scene, look));
  }
});
