import type { Scope } from '../../api/client.ts'

/** The current page in another mode, without `/dashboard`. Its parameters are left out, because they may not exist there. */
export const pathInMode = ({ organization, mode }: Scope): string => {
  const page = window.location.pathname.split('/').slice(5).join('/')
  return `/o/${organization}/${mode}${page && `/${page}`}`
}
