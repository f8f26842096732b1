import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useScope } from '../api/use-api.ts'
import { useSession } from './use-session.ts'

/** Remembers each page when it is left, because its title is known then. */
export const useRecentPages = (): void => {
  const router = useRouter()
  const { person } = useSession()
  const { organization, mode } = useScope()
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        const { title } = document
        // The code is not part of the first load.
        void import('./recent-pages.ts').then(({ rememberPage }) =>
          rememberPage({ person: person.id, organization, mode }, fromLocation.pathname, title),
        )
      }),
    [router, person.id, organization, mode],
  )
}
