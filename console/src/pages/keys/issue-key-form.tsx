// Issues a key: a name and how long it is valid.

import { useState } from 'preact/hooks';
import { ApiProblem, callApi } from '../../api/call-api.ts';
import type { IssuedKeyReply } from '../../api/contract-types.ts';
import { SelectField } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { sideTexts } from '../../side-texts.ts';

const NAME_MAX = 64;
const LIVES_DAYS = [30, 90, 365] as const;

export function IssueKeyForm({ onIssued }: { onIssued: (key: IssuedKeyReply) => void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
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
        body: { name: name.trim(), ...life },
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
      <button type="submit" class="primary" disabled={isBusy || name.trim() === ''}>
        {sideTexts.keys.issue}
      </button>
      {problem !== null && <ProblemNote problem={problem} />}
    </form>
  );
}
