// Issues a key: a name, how long it is valid, and what it may be used for.

import { useState } from 'preact/hooks';
import { ApiProblem, callApi } from '../../api/call-api.ts';
import type { IssuedKeyReply, KeyRow } from '../../api/contract-types.ts';
import { CheckField, SelectField } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { sideTexts } from '../../side-texts.ts';

const NAME_MAX = 64;
const SCOPES = ['data', 'quote', 'mcp'] as const satisfies readonly KeyRow['scopes'][number][];
type KeyUse = (typeof SCOPES)[number];
const LIVES_DAYS = [30, 90, 365] as const;

export function IssueKeyForm({ onIssued }: { onIssued: (key: IssuedKeyReply) => void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [scopes, setScopes] = useState<readonly KeyUse[]>(SCOPES);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const issue = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const life = days === '' ? {} : { expiresInDays: Number(days) };
      const key = await callApi<IssuedKeyReply>('/keys', {
        method: 'POST',
        body: { name: name.trim(), scopes, ...life },
      });
      setName('');
      onIssued(key);
    } catch (error) {
      if (error instanceof ApiProblem) setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const lives = LIVES_DAYS.map((count) => [String(count), sideTexts.keys.days(count)] as const);
  return (
    <form class="bar" onSubmit={issue}>
      <label class="field">
        <span class="hidden">{sideTexts.keys.name}</span>
        <input
          required
          maxLength={NAME_MAX}
          placeholder={sideTexts.keys.namePlaceholder}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <SelectField
        label={sideTexts.keys.expires}
        value={days}
        options={[['', `${sideTexts.keys.expires}: ${sideTexts.keys.never}`], ...lives]}
        onChange={setDays}
      />
      <fieldset class="scopes">
        <legend class="hidden">{sideTexts.keys.scopes}</legend>
        {SCOPES.map((scope) => (
          <CheckField
            key={scope}
            label={sideTexts.keys.scopeNames[scope]}
            isOn={scopes.includes(scope)}
            onChange={(isOn) =>
              setScopes(SCOPES.filter((each) => (each === scope ? isOn : scopes.includes(each))))
            }
          />
        ))}
      </fieldset>
      <button
        type="submit"
        class="primary"
        disabled={isBusy || name.trim() === '' || scopes.length === 0}
        title={scopes.length === 0 ? sideTexts.keys.noScope : ''}
      >
        {sideTexts.keys.issue}
      </button>
      {problem !== null && <ProblemNote problem={problem} />}
    </form>
  );
}
