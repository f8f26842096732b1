import type { ReactNode } from 'react'
import { cx } from './cx.ts'

type Props = { title?: string; note?: ReactNode; actions?: ReactNode; isFlush?: boolean; children: ReactNode }

/** `isFlush`: without padding, for tables. */
export const Card = ({ title, note, actions, isFlush = false, children }: Props) => (
  <section className="min-w-0 rounded-card border border-line bg-paper shadow-card">
    {title && (
      <header
        className={cx(
          'flex flex-wrap items-center gap-x-4 gap-y-2 px-4.5 pt-4 md:px-5',
          isFlush && 'border-b border-line pb-3.5',
        )}
      >
        <div className="grid flex-1 gap-0.5">
          <h2 className="text-base font-semibold">{title}</h2>
          {note && <p className="text-sm text-muted">{note}</p>}
        </div>
        {actions}
      </header>
    )}
    <div className={isFlush ? '' : 'px-4.5 py-4 md:px-5'}>{children}</div>
  </section>
)
