import type { ReactNode } from 'react'

export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-grid h-5 min-w-5 place-items-center rounded-[5px] border border-line bg-ground px-1 font-sans text-[0.6875rem] font-medium text-muted">
    {children}
  </kbd>
)
