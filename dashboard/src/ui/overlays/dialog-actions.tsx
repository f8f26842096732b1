import type { ReactNode } from 'react'

/** The buttons at the end of a dialog. The last one is the primary action. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap justify-end gap-2 max-md:*:flex-1">{children}</div>
)
