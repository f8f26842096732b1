import type { AuthenticateMeta, RegisteredUser } from '@carabiner/sdk'
import { ExternalLink } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { nameOf } from '../../pickers/user-field.tsx'
import { buttonClass } from '../../ui/button.tsx'

const POLL_MS = 2000

const REASONS: Record<NonNullable<AuthenticateMeta['reason']>, string> = {
  never_linked: 'No account is connected yet.',
  expired: 'The connection has expired.',
  revoked: 'The connection was revoked.',
  insufficient_scope: 'The connection lacks a permission that this tool needs.',
  expiring: 'The connection ends soon.',
}

type Props = { meta: AuthenticateMeta; user: RegisteredUser; onConnected: () => void }

/** The tool asks for an account: opens the link, and calls again when the account is connected. */
export const ConnectNow = ({ meta, user, onConnected }: Props) => {
  const [openedAt, setOpenedAt] = useState<number | null>(null)
  const hasContinued = useRef(false)
  const { data } = useApiQuery(
    ['users', 'credentials', user.id],
    (api, options) => api.registeredUsers.credentials.list(user.id, options),
    { enabled: openedAt !== null, refetchInterval: POLL_MS },
  )
  const isConnected =
    openedAt !== null &&
    data?.some(
      ({ connector_slug, status, updated_at }) =>
        connector_slug === meta.Connector &&
        status === 'active' &&
        Date.parse(updated_at) > openedAt - 60_000,
    ) === true
  useEffect(() => {
    if (!isConnected || hasContinued.current) return
    hasContinued.current = true
    onConnected()
  }, [isConnected, onConnected])
  return (
    <section
      aria-label="Account needed"
      className="grid gap-3 rounded-card border border-info bg-info-soft px-5 py-4"
    >
      <p className="text-sm">
        <b className="font-semibold">{nameOf(user)} needs to connect an account.</b>{' '}
        {meta.reason && REASONS[meta.reason]}
      </p>
      <p className="flex flex-wrap items-center gap-3">
        <a
          href={meta.magic_link_url}
          target="_blank"
          rel="noreferrer"
          onClick={() => setOpenedAt(Date.now())}
          className={buttonClass('primary')}
        >
          <ExternalLink className="size-4" aria-hidden="true" /> Connect
        </a>
        <span role="status" className="text-sm text-muted">
          {openedAt !== null &&
            (isConnected
              ? 'Connected. Calling again.'
              : 'Waiting for the account. The call continues automatically.')}
        </span>
      </p>
    </section>
  )
}
