import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import { Spinner } from './states/spinner.tsx'

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger' | 'quiet-danger'

const KINDS: Record<ButtonKind, string> = {
  primary: 'bg-ink text-paper hover:opacity-88 border-transparent',
  secondary: 'bg-paper text-ink border-line hover:bg-hover',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-bad text-paper hover:opacity-88 border-transparent',
  'quiet-danger': 'bg-transparent text-bad border-transparent hover:bg-hover',
}

export const buttonClass = (kind: ButtonKind = 'secondary', size: 'md' | 'sm' = 'md'): string =>
  cx(
    'inline-flex items-center justify-center gap-2 rounded-control border font-medium whitespace-nowrap select-none',
    'disabled:opacity-50 disabled:cursor-not-allowed aria-disabled:opacity-50 max-md:min-h-11',
    size === 'md' ? 'h-9 px-3.5 text-sm' : 'h-8 px-2.5 text-xs',
    KINDS[kind],
  )

type Props = ComponentProps<'button'> & {
  kind?: ButtonKind
  size?: 'md' | 'sm'
  icon?: ReactNode
  /** Shows progress and ignores clicks, without losing the focus. */
  isBusy?: boolean
}

export const Button = ({
  kind,
  size,
  icon,
  isBusy = false,
  className,
  children,
  onClick,
  ...rest
}: Props) => (
  <button
    type="button"
    {...rest}
    className={cx(buttonClass(kind, size), className)}
    aria-busy={isBusy || undefined}
    aria-disabled={isBusy || undefined}
    onClick={event => {
      if (isBusy) event.preventDefault()
      else onClick?.(event)
    }}
  >
    {isBusy ? <Spinner /> : icon}
    {children}
  </button>
)
