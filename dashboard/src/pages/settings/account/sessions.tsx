import { endOtherSessions, endSession, type SignedInSession } from '../../../api/account.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Badge } from '../../../ui/data/badge.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { deviceOf } from './device-of.ts'
import { useAccountChange, useSessions } from './use-account.ts'

export const Sessions = () => {
  const { data, error, refetch } = useSessions()
  const endOthers = useAccountChange(endOtherSessions, () => toast({ title: 'Other sessions signed out' }))
  const hasOthers = data?.some(({ is_current }) => !is_current) ?? false
  return (
    <Card
      title="Sessions"
      note="Where you are signed in. A session ends twelve hours after its last use."
      actions={
        hasOthers && (
          <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate(undefined)}>
            Sign out all others
          </Button>
        )
      }
    >
      <div className="grid gap-3">
        {endOthers.error && <ErrorNote error={endOthers.error} />}
        {data ? (
          <ul className="divide-y divide-line">
            {data.map(session => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        ) : (
          <NotLoaded error={error} onRetry={refetch} label="Loading sessions" rows={2} isInCard={false} />
        )}
      </div>
    </Card>
  )
}

const SessionRow = ({ session }: { session: SignedInSession }) => {
  const end = useAccountChange(endSession)
  const device = deviceOf(session.user_agent)
  return (
    <li className="flex flex-wrap items-center gap-3 py-2.5 text-sm">
      <span className="grid min-w-0 flex-1">
        <span className="font-medium">{device}</span>
        <span className="text-xs text-muted">
          {session.address && `${session.address} · `}signed in <RelativeTime at={session.created_at} />
        </span>
      </span>
      {session.is_current ? (
        <Badge tone="good">This session</Badge>
      ) : (
        <Button
          size="sm"
          isBusy={end.isPending}
          onClick={() => end.mutate(session.id)}
          aria-label={`End the session on ${device}`}
        >
          End
        </Button>
      )}
      {end.error && <ErrorNote error={end.error} />}
    </li>
  )
}
