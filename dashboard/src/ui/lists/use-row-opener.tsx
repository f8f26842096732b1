import { useRouter, useRouterState } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useCallback, useMemo } from 'react'

type RenderOpener<Row> = (row: Row, content: ReactNode, className: string) => ReactNode
const PLACEHOLDER = 'ROW'

export const idOf = ({ id }: { id: string }): string => id

/**
 * Links that set a search parameter of the current page to the key of a row. All rows share one built location: a
 * `Link` per row builds and observes its own, which takes a third of the time in which a row is rendered. `keyOf` must
 * be the same function in every render.
 */
export const useRowOpener = <Row,>(parameter: string, keyOf: (row: Row) => string): RenderOpener<Row> => {
  const router = useRouter()
  const current = useRouterState({ select: ({ location }) => location.href })
  const [start = '', end = ''] = useMemo(
    () => {
      const search = (previous: object) => ({ ...previous, [parameter]: PLACEHOLDER })
      return router.buildLocation({ to: '.', search: search as never }).publicHref.split(`=${PLACEHOLDER}`)
    },
    // oxlint-disable-next-line react/exhaustive-deps -- The router builds relative to its current location.
    [router, current, parameter],
  )
  const open = useCallback(
    (event: MouseEvent<HTMLAnchorElement>): void => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
      event.preventDefault()
      void router.navigate({ href: event.currentTarget.getAttribute('href') as string })
    },
    [router],
  )
  return useCallback(
    (row, content, className) => (
      <a href={`${start}=${encodeURIComponent(keyOf(row))}${end}`} className={className} onClick={open}>
        {content}
      </a>
    ),
    [start, end, open, keyOf],
  )
}
