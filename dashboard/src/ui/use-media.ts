import { useCallback, useSyncExternalStore } from 'react'

/** As `md:` and `xl:` of Tailwind. */
export const MEDIA = { phone: '(width < 48rem)', wide: '(width >= 80rem)' } as const

/** Whether a media query applies now. */
export const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    useCallback(
      (listener: () => void) => {
        const list = window.matchMedia(query)
        list.addEventListener('change', listener)
        return () => list.removeEventListener('change', listener)
      },
      [query],
    ),
    () => window.matchMedia(query).matches,
  )
