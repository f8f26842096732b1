import type { ApiKey } from '@carabiner/sdk'
import { CornerDownRight } from 'lucide-react'
import { Badge } from '../../../ui/data/badge.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { TimeLeft } from '../../../ui/data/time-left.tsx'
import { keyState } from './key-rows.ts'

/** The name and the mode of a key. A rolled one belongs to the key above it. */
export const KeyName = ({ apiKey: { name, mode, hint, replaced_by } }: { apiKey: ApiKey }) => (
  <span className="flex min-w-0 gap-2">
    {replaced_by !== null && (
      <CornerDownRight className="mt-0.5 size-4 shrink-0 text-faint" aria-hidden="true" />
    )}
    <span className="grid min-w-0 gap-0.5">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {replaced_by === null ? (
          <>
            <b className="font-medium wrap-anywhere">{name}</b>
            {mode === 'test' ? <Badge tone="accent">Test</Badge> : <Badge>Production</Badge>}
          </>
        ) : (
          <span className="text-muted">Old key</span>
        )}
      </span>
      <code className="font-mono text-xs whitespace-nowrap text-muted">{hint}</code>
    </span>
  </span>
)

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** When the key expires: a date or, if it is soon, the remaining time. */
export const KeyExpiry = ({ apiKey }: { apiKey: ApiKey }) => {
  const { expires_at } = apiKey
  const state = keyState(apiKey, Date.now())
  if (expires_at === null) return <span className="text-muted">Never</span>
  if (state === 'expired') return <Badge>Expired</Badge>
  if (state === 'rolled')
    return (
      <span className="whitespace-nowrap">
        Valid for <TimeLeft until={expires_at} />
      </span>
    )
  return state === 'expiring' ? (
    <Badge tone="warn">
      <RelativeTime at={expires_at} />
    </Badge>
  ) : (
    <time dateTime={expires_at} title={new Date(expires_at).toLocaleString()} className="whitespace-nowrap">
      {day.format(Date.parse(expires_at))}
    </time>
  )
}

export const LastUse = ({ at }: { at: string | null }) => (at === null ? 'Never' : <RelativeTime at={at} />)

const CREATORS: Record<ApiKey['created_by']['type'], string> = {
  api_key: 'an API key',
  person: 'a member',
  operator: 'an operator',
  system: 'the service',
}

/** The name of the person, or the kind of the caller. */
export const Creator = ({ by: { type, hint } }: { by: ApiKey['created_by'] }) =>
  type === 'api_key' && hint !== null ? (
    <span className="whitespace-nowrap">key …{hint.slice(-4)}</span>
  ) : type === 'person' && hint !== null ? (
    hint
  ) : (
    CREATORS[type]
  )
