import { ChevronsUpDown } from 'lucide-react'
import { MenuOnDemand } from '../../ui/overlays/on-demand.tsx'
import { useMembership, useSession } from '../use-session.ts'

export const OrganizationPicker = () => {
  const { organizations } = useSession()
  const { name } = useMembership()
  if (organizations.length === 1)
    return (
      <p className="truncate rounded-control border border-line bg-paper px-3 py-2 text-sm font-medium">
        {name}
      </p>
    )
  return (
    <MenuOnDemand
      load={() => import('./organization-menu-popup.tsx')}
      trigger={
        <button
          type="button"
          className="flex h-9 w-full items-center justify-between gap-2 rounded-control border border-line bg-paper px-3 text-sm font-medium hover:bg-hover max-md:h-11"
        >
          <span className="truncate">
            <span className="sr-only">Organization: </span>
            {name}
          </span>
          <ChevronsUpDown className="size-4 shrink-0 text-faint" aria-hidden="true" />
        </button>
      }
    />
  )
}
