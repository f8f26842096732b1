import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useScope } from '../api/use-api.ts'

type Props = { path: string; className?: string; children: ReactNode }

/** A link to a page of the current organization and mode by its path, for addresses that are data. */
export const PageLink = ({ path, className, children }: Props) => {
  const router = useRouter()
  const { organization, mode } = useScope()
  const href = `/dashboard/o/${organization}/${mode}${path}`
  return (
    <a
      href={href}
      className={className}
      onClick={event => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        void router.navigate({ href })
      }}
    >
      {children}
    </a>
  )
}
