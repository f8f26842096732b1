import { useEffect, useState } from 'react'
import { cx } from '../cx.ts'

const SLOW_AFTER_MS = 10_000

/** The shape of content that is loading. */
export const Skeleton = ({ label, className }: { label: string; className?: string }) => (
  <span
    role="status"
    aria-label={label}
    className={cx('shimmer block rounded-md', className ?? 'h-4 w-full')}
  />
)

type RowsProps = { label: string; rows?: number; isInCard?: boolean }

/** Rows that are loading. After ten seconds, a text says so. */
export const SkeletonRows = ({ label, rows = 6, isInCard = true }: RowsProps) => {
  const isSlow = useIsSlow()
  return (
    <div role="status" aria-label={label} className={cx('grid gap-4', isInCard && 'px-4.5 py-5 md:px-5')}>
      {Array.from({ length: rows }, (_, n) => (
        <span key={n} className={cx('shimmer block h-4 rounded-md', n % 3 === 1 ? 'w-2/3' : 'w-full')} />
      ))}
      {isSlow && (
        <p className="text-sm text-muted">
          This takes longer than usual. It continues in the background; you can wait or reload the page.
        </p>
      )}
    </div>
  )
}

const useIsSlow = (): boolean => {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSlow
}
