// Every migration in order. New ones are appended; released ones are never edited.

import { MARKETS_MIGRATION } from './0001-markets.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [MARKETS_MIGRATION];
