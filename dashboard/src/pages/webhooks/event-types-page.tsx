import { eventCatalog, eventTypes } from '@carabiner/contract'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import { JsonView } from '../../ui/data/json-view.tsx'
import { Page } from '../../ui/page.tsx'

const route = getRouteApi('/o/$organization/$mode/webhooks/event-types')

const exampleOf = (type: (typeof eventTypes)[number]): object => ({
  id: 'evt_0198c0de-0000-7000-8000-000000000001',
  type,
  occurred_at: '2026-11-01T12:00:00.000Z',
  mode: 'production',
  organization_id: '0198c0de-0000-7000-8000-000000000002',
  registered_user_id: eventCatalog[type].hasUser ? '0198c0de-0000-7000-8000-00000000000b' : null,
  sequence: 7,
  data: eventCatalog[type].example,
})

const EventTypesPage = () => {
  const { type } = route.useSearch()
  const chosen = eventTypes.find(each => each === type) ?? 'registered_user.created'
  const { summary, sent, use } = eventCatalog[chosen]
  return (
    <Page
      title="Event types"
      note="What is sent, when, and what a receiver typically does."
      parent={{ title: 'Webhooks', path: '/webhooks' }}
    >
      <div className="grid items-start gap-5 lg:grid-cols-[16rem_minmax(0,1fr)]">
        <nav aria-label="Event types" className="grid max-lg:max-h-56 max-lg:overflow-y-auto">
          {eventTypes.map(each => (
            <Link
              key={each}
              from={route.id}
              search={{ type: each }}
              replace
              aria-current={each === chosen ? 'true' : undefined}
              className={cx(
                'flex min-h-8 items-center rounded-control px-2.5 font-mono text-xs max-md:min-h-11',
                each === chosen
                  ? 'bg-hover font-medium text-ink'
                  : 'text-muted hover:bg-hover hover:text-ink',
              )}
            >
              {each}
            </Link>
          ))}
        </nav>
        <Card title={chosen} note={summary}>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 text-sm">
            <p>{sent}</p>
            <p className="text-muted">{use}</p>
            <JsonView label={`Example of ${chosen}`} value={exampleOf(chosen)} />
          </div>
        </Card>
      </div>
    </Page>
  )
}

export default EventTypesPage
