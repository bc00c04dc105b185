// The shapes of other APIs that are answered, each in a folder of its own.

import type { CompatShape } from '../contract/compat-route.ts';
import type { CompatParts } from './compat-parts.ts';
import { createDexscreenerShape } from './ds/dexscreener-shape.ts';
import { createGeckoterminalShape } from './gt/geckoterminal-shape.ts';
import { createJupiterShape } from './jup/jupiter-shape.ts';

export function createCompatShapes(parts: CompatParts): readonly CompatShape[] {
  return [
    createDexscreenerShape(parts),
    createGeckoterminalShape(parts),
    createJupiterShape(parts),
  ];
}
