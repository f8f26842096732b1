import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import { Tooltip } from './overlays/tooltip.tsx'

type Props = Omit<ComponentProps<'button'>, 'aria-label'> & { label: string; icon: ReactNode }

/** A button without text. The label is its accessible name and its tooltip. */
export const IconButton = ({ label, icon, className, ...rest }: Props) => (
  <Tooltip text={label}>
    <button
      type="button"
      {...rest}
      aria-label={label}
      className={cx(
        'inline-grid size-9 shrink-0 place-items-center rounded-control text-muted hover:bg-hover hover:text-ink max-md:size-11',
        'disabled:opacity-50',
        className,
      )}
    >
      {icon}
    </button>
  </Tooltip>
)
