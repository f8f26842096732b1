import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { Textarea } from '../../ui/forms/textarea.tsx'
import type { InputField, Problem } from './input-fields.ts'

type Props = {
  fields: readonly InputField[]
  texts: Readonly<Record<string, string>>
  onChange: (name: string, text: string) => void
  problems: readonly Problem[]
}

/** A control for each input of the tool. */
export const InputForm = ({ fields, texts, onChange, problems }: Props) =>
  fields.length === 0 ? (
    <p className="text-sm text-muted">This tool has no inputs.</p>
  ) : (
    fields.map(field => (
      <Field
        key={field.name}
        label={field.isRequired ? `${field.name} (required)` : field.name}
        hint={field.description}
        error={problems.find(({ name }) => name === field.name)?.message}
      >
        <Control field={field} text={texts[field.name] ?? ''} onChange={text => onChange(field.name, text)} />
      </Field>
    ))
  )

type ControlProps = { field: InputField; text: string; onChange: (text: string) => void }

const Control = ({ field, text, onChange }: ControlProps) => {
  switch (field.kind) {
    case 'choice':
      return (
        <Select
          value={text}
          onChange={onChange}
          options={[
            { value: '', label: 'Not set' },
            ...field.choices.map((choice, n) => ({
              value: String(n),
              label: typeof choice === 'string' ? choice : JSON.stringify(choice),
            })),
          ]}
        />
      )
    case 'boolean':
      return (
        <Select
          value={text}
          onChange={onChange}
          options={[
            { value: '', label: 'Not set' },
            { value: 'true', label: 'true' },
            { value: 'false', label: 'false' },
          ]}
        />
      )
    case 'json':
      return (
        <Textarea
          rows={3}
          value={text}
          placeholder={field.example || 'JSON'}
          spellCheck={false}
          className="font-mono"
          onChange={event => onChange(event.target.value)}
        />
      )
    case 'number':
      return <Input inputMode="decimal" value={text} onChange={event => onChange(event.target.value)} />
    case 'text':
      return <Input value={text} onChange={event => onChange(event.target.value)} />
  }
}
