// Fields of a form in a dialog, one below the other, each with its name above it.

interface LabelledInputProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly inputMode?: 'decimal' | 'url';
  readonly pattern?: string;
  readonly required?: boolean;
}

export function LabelledInput({ label, onInput, ...rest }: LabelledInputProps) {
  return (
    <label>
      <span class="soft small">{label}</span>
      <input {...rest} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}

interface LabelledSelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
}

export function LabelledSelect<Value extends string>(props: LabelledSelectProps<Value>) {
  return (
    <label>
      <span class="soft small">{props.label}</span>
      <select
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value as Value)}
      >
        {props.options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
