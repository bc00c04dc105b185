// In place of what belongs to a wallet: for visitors, and before the server has said who is signed
// in.

import { accountProblem, entitlements } from '../state/account.ts';
import { SignInButton } from './account-menu.tsx';
import { ProblemNote } from './problem-note.tsx';

interface NoAccountProps {
  /** What signing in is for. */
  readonly signedOut: string;
  readonly unknown: string;
}

export function NoAccount({ signedOut, unknown }: NoAccountProps) {
  const problem = accountProblem.value;
  if (entitlements.value !== null) {
    return (
      <div class="note">
        <p>{signedOut}</p>
        <SignInButton className="primary" />
      </div>
    );
  }
  if (problem === null) return <div class="page-space" aria-busy="true" />;
  return (
    <>
      <ProblemNote problem={problem} />
      <p class="soft">{unknown}</p>
    </>
  );
}
