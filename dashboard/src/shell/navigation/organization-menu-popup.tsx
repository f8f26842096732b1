import { useNavigate } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useScope } from '../../api/use-api.ts'
import { Menu, MenuChoice } from '../../ui/overlays/menu.tsx'
import { useSession } from '../use-session.ts'

const OrganizationMenuPopup = ({ trigger }: { trigger: ReactElement }) => {
  const { organizations } = useSession()
  const { organization, mode } = useScope()
  const navigate = useNavigate()
  return (
    <Menu align="start" className="min-w-(--anchor-width)" isOpenAtFirst trigger={trigger}>
      <MenuChoice
        label="Organization"
        value={organization}
        options={organizations.map(({ id, name, suspended }) => ({
          value: id,
          label: suspended ? `${name} (suspended)` : name,
        }))}
        onChange={chosen =>
          void navigate({ to: '/o/$organization/$mode', params: { organization: chosen, mode } })
        }
      />
    </Menu>
  )
}

export default OrganizationMenuPopup
