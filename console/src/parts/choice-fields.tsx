// The ways to choose: buttons in a row, a list, a text, a box to check.

import { useState } from 'preact/hooks';

interface ChoiceGroupProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly { readonly value: Value; readonly text: string }[];
  /** May be none of them. */
  readonly chosen: string | null;
  readonly onChoose: (value: Value) => void;
}

export function ChoiceGroup<Value extends string>(props: ChoiceGroupProps<Value>) {
  return (
    <fieldset class="choices" aria-label={props.label}>
      {props.choices.map(({ value, text }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.chosen}
          onClick={() => props.onChoose(value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
  /** Options that come later do not change its width. */
  readonly isFixed?: boolean;
}

export function SelectField({ label, value, options, onChange, isFixed }: SelectFieldProps) {
  return (
    <label class={isFixed === true ? 'field fixed' : 'field'}>
      <span class="hidden">{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface EntryFieldProps {
  readonly label: string;
  readonly value: string;
  readonly maxLength: number;
  readonly inputMode?: 'decimal';
  readonly onEnter: (value: string) => void;
}

/** The page may be drawn again while the user types: the draft is kept until it is entered. */
export function EntryField({ label, value, maxLength, inputMode, onEnter }: EntryFieldProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const enter = (text: string) => {
    setDraft(null);
    onEnter(text.trim());
  };
  return (
    <label class="field">
      <span class="hidden">{label}</span>
      <input
        inputMode={inputMode}
        placeholder={label}
        maxLength={maxLength}
        value={draft ?? value}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => enter(event.currentTarget.value)}
        onBlur={() => setDraft(null)}
      />
    </label>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function CheckField({ label, isOn, onChange }: CheckFieldProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
