import type { InstallationHealth } from '@carabiner/contract'
import type { CarabinerError } from '@carabiner/sdk'
import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { fetchHealth } from '../../../api/installation.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Stat } from '../../../ui/data/stat.tsx'
import { Page } from '../../../ui/page.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { bytes, duration } from './format.ts'
import { Checks, Jobs, Queues, Storage } from './health-lists.tsx'
import { HealthSummary } from './health-summary.tsx'

const REFRESH_MS = 30_000

const HealthPage = () => {
  const { data, error, refetch, isFetching } = useQuery<InstallationHealth, CarabinerError>({
    queryKey: ['installation', 'health'],
    queryFn: ({ signal }) => fetchHealth(signal),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Page
      title="Health"
      note="The state of this installation, overdue work, and what to do about it. Updated every 30 seconds."
      actions={
        <Button
          isBusy={isFetching}
          icon={<RotateCw className="size-4" aria-hidden="true" />}
          onClick={() => void refetch()}
        >
          Check now
        </Button>
      }
    >
      {data ? (
        <Content health={data} />
      ) : (
        <Card isFlush>
          <NotLoaded error={error} onRetry={refetch} label="Checking the installation" />
        </Card>
      )}
    </Page>
  )
}

const Content = ({ health }: { health: InstallationHealth }) => {
  const { database } = health
  const count = health.organizations.reduce((sum, each) => sum + each.count, 0)
  return (
    <>
      <HealthSummary health={health} />
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Stat
          label="Version"
          value={health.version}
          note={`Node.js ${health.node.replace('v', '')}, role ${health.role}, ${health.processes === 1 ? 'one process' : `${health.processes} processes`}`}
        />
        <Stat
          label="Uptime"
          value={duration(health.uptime_seconds)}
          note={`This process uses ${bytes(health.memory_bytes)} of memory`}
        />
        <Stat
          label="Database"
          value={`${database.latency_ms} ms`}
          note={`${database.engine === 'pglite' ? 'Embedded PostgreSQL' : 'PostgreSQL'} ${database.version.split(' ')[0]}, ${database.migrations} migrations`}
        />
        <Stat
          label="Data"
          value={bytes(database.bytes)}
          note={count === 1 ? 'One organization' : `${count.toLocaleString()} organizations`}
        />
      </div>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Jobs jobs={health.jobs} />
        <div className="grid gap-5">
          <Queues queues={health.queues} />
          <Checks checks={health.checks} />
        </div>
      </div>
      <Storage tables={health.storage} />
    </>
  )
}

export default HealthPage
