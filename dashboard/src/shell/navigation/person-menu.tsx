import { ChevronsUpDown } from 'lucide-react'
import { MenuOnDemand } from '../../ui/overlays/on-demand.tsx'
import { useSession } from '../use-session.ts'

/** Theme and sign-out. */
export const PersonMenu = () => {
  const { person } = useSession()
  return (
    <MenuOnDemand
      load={() => import('./person-menu-popup.tsx')}
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-control px-2 py-1.5 text-start hover:bg-hover max-md:min-h-11"
        >
          <span
            className="grid size-7 shrink-0 place-items-center rounded-full bg-line text-xs font-semibold"
            aria-hidden="true"
          >
            {initialsOf(person.name)}
          </span>
          <span className="min-w-0 flex-1 truncate text-sm font-medium">
            <span className="sr-only">Account: </span>
            {person.name}
          </span>
          <ChevronsUpDown className="size-4 shrink-0 text-faint" aria-hidden="true" />
        </button>
      }
    />
  )
}

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map(word => Array.from(word)[0] ?? '')
    .filter((_, n, all) => n === 0 || n === all.length - 1)
    .join('')
    .toUpperCase()
