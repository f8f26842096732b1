import type { ReactNode } from 'react'
import { Skeleton } from '../states/skeleton.tsx'

type Props = { label: string; value: ReactNode; note?: ReactNode; isPending?: boolean; children?: ReactNode }

/** One figure. `children` is a place for a sparkline. */
export const Stat = ({ label, value, note, isPending = false, children }: Props) => (
  <div className="grid content-start gap-1 rounded-card border border-line bg-paper px-4.5 py-4 shadow-card">
    <p className="text-sm text-muted">{label}</p>
    <p className="text-[1.625rem]/8 font-semibold tracking-[-0.02em]">
      {isPending ? <Skeleton label={`Loading ${label}`} className="h-7 w-24" /> : value}
    </p>
    {note && <p className="text-xs text-muted">{note}</p>}
    {children}
  </div>
)
