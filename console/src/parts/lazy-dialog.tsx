// A dialog of every page, before its module is loaded.

import { createLazyPart } from '../lazy-part.tsx';
import type { AppDialogProps } from './app-dialog.tsx';

export const LazyDialog = createLazyPart<AppDialogProps>(
  async () => (await import('./app-dialog.tsx')).AppDialog,
  null,
);
