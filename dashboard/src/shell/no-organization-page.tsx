import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { signOut } from '../api/sign-in.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Mark } from './mark.tsx'
import { useSession } from './use-session.ts'

const Invitations = lazy(() => import('./invitations.tsx'))

const route = getRouteApi('/no-organization')

const leave = async (): Promise<void> => {
  await signOut().catch(() => undefined)
  window.location.assign('/dashboard/sign-in')
}

const NoOrganizationPage = () => {
  const { deleted } = route.useSearch()
  const { organizations, invitations, is_operator: isOperator } = useSession()
  const isInvited = invitations.length > 0
  const title =
    deleted !== undefined
      ? `${deleted} is being deleted`
      : isInvited
        ? 'You’ve been invited'
        : 'You’re not in an organization yet'
  return (
    <main className="grid min-h-dvh place-items-center px-5 py-12">
      <title>{`${title} · Carabiner`}</title>
      <div className="grid w-full max-w-lg gap-5 rounded-card border border-line bg-paper p-6 shadow-card md:p-8">
        <Mark />
        <div className="grid gap-2">
          <h1 className="text-xl/7 font-semibold">{title}</h1>
          {deleted === undefined ? (
            <p className="text-sm text-muted">
              {isInvited
                ? 'You are signed in. Join an organization to continue.'
                : 'You are signed in, but not a member of any organization. Ask an administrator to invite you.'}
            </p>
          ) : (
            <ul className="grid list-disc gap-1.5 ps-5 text-sm text-muted">
              <li>Its API keys, MCP endpoints and links have stopped working.</li>
              <li>
                If you chose this, its users’ tokens are now being revoked at their providers. This can take
                up to a day.
              </li>
              <li>
                After that, all of its data is deleted, including its audit trail. It cannot be restored.
              </li>
            </ul>
          )}
        </div>
        <Suspense>{isInvited && <Invitations />}</Suspense>
        <div className="flex flex-wrap gap-2">
          {organizations.length > 0 && (
            <Link to="/" className={buttonClass('primary')}>
              Go to {organizations[0]?.name}
            </Link>
          )}
          {isOperator && (
            <Link to="/operator/organizations" className={buttonClass()}>
              All organizations
            </Link>
          )}
          <Button onClick={() => void leave()}>Sign out</Button>
        </div>
      </div>
    </main>
  )
}

export default NoOrganizationPage
