import type { ComponentProps } from 'react'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

type Props = Omit<ComponentProps<'input'>, 'onChange'> &
  Pick<ComponentProps<typeof Field>, 'label' | 'hint' | 'error' | 'isLabelHidden'> & {
    value: string
    onChange: (value: string) => void
  }

/** An input with its label. */
export const TextField = ({ label, hint, error, isLabelHidden, onChange, ...input }: Props) => (
  <Field label={label} hint={hint} error={error} isLabelHidden={isLabelHidden}>
    <Input {...input} onChange={event => onChange(event.target.value)} />
  </Field>
)
