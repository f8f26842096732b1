import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/** After a navigation to another page, moves the focus to its heading, so that screen readers announce it. */
export const useFocusOnNavigation = (): RefObject<HTMLElement | null> => {
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: state => state.resolvedLocation?.pathname })
  const previous = useRef<string | undefined>(undefined)
  useEffect(() => {
    const isFirst = previous.current === undefined
    previous.current = path
    if (isFirst || path === undefined) return
    const heading = main.current?.querySelector<HTMLElement>('h1') ?? main.current
    heading?.focus({ preventScroll: true })
  }, [path])
  return main
}
