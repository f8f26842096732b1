import { getRouteApi } from '@tanstack/react-router'
import { DeliveryList } from '../webhooks/delivery-list.tsx'

const route = getRouteApi('/o/$organization/$mode/logs')

export const DeliveriesTab = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <div className="grid gap-4">
      <DeliveryList
        search={search}
        onSearch={change => void navigate({ search: previous => ({ ...previous, ...change }) })}
        label="Webhook deliveries"
        emptyHint="Add a webhook endpoint to see the events sent to it."
      />
    </div>
  )
}
