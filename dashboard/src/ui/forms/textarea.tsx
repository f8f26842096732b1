import type { ComponentProps } from 'react'
import { cx } from '../cx.ts'
import { useFieldControl } from './field.tsx'
import { controlClass } from './input.tsx'

export const Textarea = ({ className, rows = 5, ...rest }: ComponentProps<'textarea'>) => (
  <textarea {...useFieldControl()} rows={rows} {...rest} className={cx(controlClass, 'py-2', className)} />
)
