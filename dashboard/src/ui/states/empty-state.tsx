import type { ReactNode } from 'react'

type Props = { title: string; children?: ReactNode; action?: ReactNode; snippet?: ReactNode }

/** One sentence, one action, one snippet. */
export const EmptyState = ({ title, children, action, snippet }: Props) => (
  <div className="mx-auto grid max-w-xl justify-items-center gap-4 px-5 py-12 text-center">
    <div className="grid gap-1.5">
      <h2 className="text-base font-semibold">{title}</h2>
      {children && <p className="text-sm text-muted text-pretty">{children}</p>}
    </div>
    {action}
    {snippet && <div className="w-full min-w-0 text-start">{snippet}</div>}
  </div>
)
