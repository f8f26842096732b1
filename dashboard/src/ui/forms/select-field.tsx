import type { ComponentProps } from 'react'
import { Field } from './field.tsx'
import { Select } from './select.tsx'

type Props<Value extends string> = Omit<ComponentProps<typeof Select<Value>>, 'label'> &
  Pick<ComponentProps<typeof Field>, 'label' | 'hint' | 'error'>

/** A choice with its label. */
export const SelectField = <Value extends string>({ label, hint, error, ...select }: Props<Value>) => (
  <Field label={label} hint={hint} error={error}>
    <Select {...select} />
  </Field>
)
