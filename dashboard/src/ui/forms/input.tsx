import type { ComponentProps } from 'react'
import { cx } from '../cx.ts'
import { useFieldControl } from './field.tsx'

export const controlClass = cx(
  'w-full rounded-control border border-line-strong/55 bg-paper px-3 text-sm text-ink max-md:text-[16px]',
  'hover:border-line-strong aria-invalid:border-bad disabled:opacity-60 focus-visible:outline-offset-0',
)

/** 16 px on phones, because browsers zoom into smaller inputs. */
export const Input = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input {...useFieldControl()} {...rest} className={cx(controlClass, 'h-9 max-md:h-11', className)} />
)
