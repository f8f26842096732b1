import type { CredentialsAtRisk } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import type { ApiQuery } from '../../api/use-api-query.ts'
import { useConnectorName } from '../../api/use-connectors.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { ConnectorNames } from '../../ui/data/connector-names.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'

const CreateLinksDialog = lazy(() => import('./create-links-dialog.tsx'))

type Risk = CredentialsAtRisk['data'][number]
type RiskGroup = { connector: string; reason: Risk['reason']; endsAt: string | null; accounts: Risk[] }

export const AT_RISK: ApiQuery<CredentialsAtRisk> = {
  key: ['credentials-at-risk'],
  load: (api, options) => api.credentialsAtRisk.list(options),
}

const ENDS = { one: 'ends soon', many: 'end soon' }

/** What will happen to the connections, and why. */
const TEXTS: Record<Risk['reason'], { one: string; many: string; why: string }> = {
  expires: { ...ENDS, why: 'The provider has stated when.' },
  maximum_lifetime: {
    ...ENDS,
    why: 'The provider ends connections after a time, however often they are used.',
  },
  test_mode: {
    ...ENDS,
    why: 'Your OAuth app is in test mode. Publish it at the provider, then let the users connect again.',
  },
  unused: { ...ENDS, why: 'The provider ends connections that are not used. A call keeps them.' },
  rotation_due: {
    one: 'needs a new key',
    many: 'need a new key',
    why: 'The provider asks for keys to be replaced regularly.',
  },
  refused: {
    one: 'is refused by the provider',
    many: 'are refused by the provider',
    why: 'It may have an outage. Each connection is checked again, and stays until the provider gives a definite answer.',
  },
  refresh_failing: {
    one: 'cannot be refreshed',
    many: 'cannot be refreshed',
    why: 'The token endpoint has failed for two days. Check the OAuth app before you ask users to connect again.',
  },
  scopes_lost: {
    one: 'has lost permissions',
    many: 'have lost permissions',
    why: 'The provider no longer grants some scopes.',
  },
}

/** Users cannot help while the provider fails. */
const WAITING: Risk['reason'][] = ['refused', 'refresh_failing']

export const groupRisks = (risks: readonly Risk[]): RiskGroup[] => {
  const groups = Map.groupBy(risks, ({ connector_slug: slug, reason }) => `${slug} ${reason}`)
  // The list begins with the earliest end.
  return [...groups.values()].flatMap(accounts => {
    const [first] = accounts
    return first
      ? [{ connector: first.connector_slug, reason: first.reason, endsAt: first.ends_at, accounts }]
      : []
  })
}

const recipientsOf = ({ connector, accounts }: RiskGroup) =>
  accounts.map(({ registered_user_id: userId, credential_id }) => ({
    userId,
    request: { connector, credential_id },
  }))

/** The organization’s own accounts belong to a hidden user. */
const describeOwners = (accounts: Risk[]): string => {
  const users = new Set(
    accounts.flatMap(({ origin_user_id: origin, registered_user_id: id }) => (origin ? [id] : [])),
  )
  const hasOwn = accounts.some(({ origin_user_id: origin }) => origin === '')
  return [
    ...(users.size > 0 ? [`${users.size.toLocaleString()} ${users.size === 1 ? 'user' : 'users'}`] : []),
    ...(hasOwn ? ['your organization'] : []),
  ].join(' and ')
}

/** Connections that work and may end soon, by connector and reason. */
export const RiskGroups = ({ risks, hasMore }: { risks: readonly Risk[]; hasMore: boolean }) => {
  const mayBuild = useMay('build')
  const nameOf = useConnectorName()
  const [chosen, setChosen] = useState<RiskGroup | null>(null)
  return (
    <>
      <ul
        className="divide-y divide-line border-b border-line last:border-b-0"
        aria-label="Connections at risk"
      >
        {groupRisks(risks).map(group => (
          <RiskItem
            key={`${group.connector} ${group.reason}`}
            group={group}
            onCreate={mayBuild && !WAITING.includes(group.reason) ? () => setChosen(group) : null}
          />
        ))}
        {hasMore && (
          <li className="px-4.5 py-2 text-sm text-muted md:px-5">
            More than 1,000 connections are at risk. The others appear when these are connected again.
          </li>
        )}
      </ul>
      <Suspense>
        {chosen && (
          <CreateLinksDialog
            title={`Create links for ${nameOf(chosen.connector)}`}
            load={async () => ({ recipients: recipientsOf(chosen), hasMore: false })}
            queryKey={['credentials-at-risk', chosen.connector, chosen.reason]}
            onClose={() => setChosen(null)}
          />
        )}
      </Suspense>
    </>
  )
}

const RiskItem = ({ group, onCreate }: { group: RiskGroup; onCreate: (() => void) | null }) => {
  const { connector, reason, endsAt, accounts } = group
  const { one, many, why } = TEXTS[reason]
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4.5 py-4 md:px-5">
      <span className="w-14 text-lg font-semibold">{accounts.length.toLocaleString()}</span>
      <div className="grid min-w-0 flex-1 basis-72 gap-0.5 text-sm">
        <p>
          {accounts.length === 1 ? 'connection' : 'connections'} to{' '}
          <b className="font-medium">
            <ConnectorNames slugs={[connector]} />
          </b>{' '}
          {accounts.length === 1 ? one : many}
        </p>
        <p className="text-xs text-muted">
          {endsAt !== null && (
            <>
              {accounts.length === 1 ? 'On ' : 'The first on '}
              <RelativeTime at={endsAt} isAbsolute />.{' '}
            </>
          )}
          {why}
        </p>
      </div>
      {onCreate && (
        <Button kind="primary" size="sm" onClick={onCreate}>
          Create {accounts.length === 1 ? 'a link' : 'links'} for {describeOwners(accounts)}
        </Button>
      )}
    </li>
  )
}
