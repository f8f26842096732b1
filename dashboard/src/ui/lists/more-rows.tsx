import { useEffect, useRef } from 'react'
import type { List } from '../../api/use-list.ts'
import { Button } from '../button.tsx'
import { ErrorNote } from '../states/error-note.tsx'

/** At the end of a table: loads the next page when it comes into view, or by its button. */
export const MoreRows = ({ list }: { list: List<unknown> }) => {
  const { hasMore, isLoadingMore, moreError, loadMore } = list
  const end = useRef<HTMLDivElement>(null)
  const canLoad = hasMore && !isLoadingMore && moreError === null
  const load = useRef(loadMore)
  load.current = loadMore
  useEffect(() => {
    if (!canLoad || !end.current) return
    const observer = new IntersectionObserver(
      entries => entries.some(({ isIntersecting }) => isIntersecting) && load.current(),
      { rootMargin: '400px' },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [canLoad])
  if (!hasMore && moreError === null) return null
  return (
    <div ref={end} className="grid justify-items-center gap-3 border-t border-line p-3">
      {moreError && <ErrorNote error={moreError} />}
      <Button kind="quiet" isBusy={isLoadingMore} onClick={loadMore}>
        {isLoadingMore ? 'Loading more' : moreError ? 'Try again' : 'Show more'}
      </Button>
    </div>
  )
}
