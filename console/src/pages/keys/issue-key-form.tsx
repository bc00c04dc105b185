// Issues a key: a name, how long it is valid, what it may be used for, from where, and how much.

import { useState } from 'preact/hooks';
import { api } from '../../api/api-client.ts';
import type { IssuedKeyReply, KeyRow } from '../../api/contract-types.ts';
import { type ShownProblem, toProblem } from '../../api/shown-problem.ts';
import { CheckField, SelectField } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts.ts';

const NAME_MAX = 64;
const IPS_MAX = 2000;
const DEFAULT_SCOPES = ['data', 'quote', 'mcp'] as const satisfies KeyRow['scopes'];
const SCOPES = [...DEFAULT_SCOPES, 'webhooks'] as const satisfies KeyRow['scopes'];
type KeyUse = (typeof SCOPES)[number];
const LIVES_DAYS = [30, 90, 365] as const;

/** Addresses and networks, with commas, spaces or lines between them. */
const splitNetworks = (text: string) => text.split(/[\s,]+/).filter((part) => part !== '');

interface IssueKeyFormProps {
  /** What the wallet's own budget is; a key has a part of it. */
  readonly budgetPerMinute: number;
  readonly onIssued: (key: IssuedKeyReply) => void;
}

export function IssueKeyForm({ budgetPerMinute, onIssued }: IssueKeyFormProps) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [scopes, setScopes] = useState<readonly KeyUse[]>(DEFAULT_SCOPES);
  const [ips, setIps] = useState('');
  const [perMinute, setPerMinute] = useState('');
  const [problem, setProblem] = useState<ShownProblem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const issue = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const life = days === '' ? {} : { expiresInDays: Number(days) };
      const networks = splitNetworks(ips);
      const limits = {
        ...(networks.length === 0 ? {} : { allowedIps: networks }),
        ...(perMinute === '' ? {} : { perMinute: Number(perMinute) }),
      };
      const key = await api.createKey({ name: name.trim(), scopes, ...life, ...limits });
      setName('');
      setIps('');
      setPerMinute('');
      onIssued(key);
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const lives = LIVES_DAYS.map((count) => [String(count), texts.keys.days(count)] as const);
  return (
    <form class="bar" onSubmit={issue}>
      <label class="field">
        <span class="hidden">{texts.keys.name}</span>
        <input
          required
          maxLength={NAME_MAX}
          placeholder={texts.keys.namePlaceholder}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <SelectField
        label={texts.keys.expires}
        value={days}
        options={[['', `${texts.keys.expires}: ${texts.keys.never}`], ...lives]}
        onChange={setDays}
      />
      <label class="field">
        <span class="hidden">{texts.keys.perMinuteField}</span>
        <input
          type="number"
          min={1}
          max={budgetPerMinute}
          placeholder={texts.keys.perMinutePlaceholder}
          value={perMinute}
          onInput={(event) => setPerMinute(event.currentTarget.value)}
        />
      </label>
      <label class="field wide-field">
        <span class="hidden">{texts.keys.ips}</span>
        <input
          maxLength={IPS_MAX}
          placeholder={texts.keys.ipsPlaceholder}
          value={ips}
          onInput={(event) => setIps(event.currentTarget.value)}
        />
      </label>
      <fieldset class="scopes">
        <legend class="hidden">{texts.keys.scopes}</legend>
        {SCOPES.map((scope) => (
          <CheckField
            key={scope}
            label={texts.keys.scopeNames[scope]}
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
        title={scopes.length === 0 ? texts.keys.noScope : ''}
      >
        {texts.keys.issue}
      </button>
      {problem !== null && <ProblemNote problem={problem} />}
    </form>
  );
}
