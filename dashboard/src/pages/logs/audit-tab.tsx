import { getRouteApi } from '@tanstack/react-router'
import { AuditList } from '../settings/audit/audit-list.tsx'

const route = getRouteApi('/o/$organization/$mode/logs')

export const AuditTab = () => {
  const { range = '24h', ...search } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <div className="grid gap-4">
      <AuditList
        search={{ range, ...search }}
        onSearch={(changed, options) =>
          void navigate({ search: previous => ({ ...previous, ...changed }), ...options })
        }
      />
    </div>
  )
}
