import type { ReactNode } from 'react'

/** Search and filters above a list. */
export const FilterBar = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-2">{children}</div>
)
