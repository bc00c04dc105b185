// The dialogs that open from every page; loaded when one of them is first opened.

import { KeyboardHelp } from './keyboard-help.tsx';
import { SearchDialog } from './search-dialog.tsx';
import { SignInDialog } from './sign-in-dialog.tsx';

export interface AppDialogProps {
  readonly kind: 'search' | 'help' | 'signIn';
  readonly onClose: () => void;
}

export function AppDialog({ kind, onClose }: AppDialogProps) {
  if (kind === 'search') return <SearchDialog onClose={onClose} />;
  if (kind === 'help') return <KeyboardHelp onClose={onClose} />;
  return <SignInDialog onClose={onClose} />;
}
