import type { SignIn } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import { useScope } from '../../../api/use-api.ts'
import { useApiQuery } from '../../../api/use-api-query.ts'
import { useMay } from '../../../shell/use-session.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Badge } from '../../../ui/data/badge.tsx'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { PageLink } from '../../../ui/page-link.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { ApprovalSignIn } from './approval-sign-in.tsx'
import { Rejections } from './rejections.tsx'
import { UserSignInForm } from './user-sign-in-form.tsx'

const TurnOffDialog = lazy(() => import('./turn-off-dialog.tsx'))

/** How Registered Users of the current mode sign in when they connect their own MCP client. */
const UserSignInPage = () => {
  const { mode } = useScope()
  const { data, error, refetch } = useApiQuery(['user-sign-in'], (api, options) => api.signIn.get(options))
  const mayManage = useMay('manage')
  return (
    <SettingsPage
      title="User sign-in"
      note={
        <>
          Your users connect Claude, ChatGPT, Cursor or another MCP client with one address and sign in. Each{' '}
          <PageLinkToPacks /> shows its address. These settings apply to {mode} mode.
        </>
      }
    >
      {data ? (
        <>
          <State settings={data} mayManage={mayManage} />
          <ApprovalSignIn saved={data} mayManage={mayManage} />
          <Rejections />
          {(mayManage || data.updated_at) && (
            <UserSignInForm key={`${mode} ${data.updated_at}`} saved={data} mayManage={mayManage} />
          )}
        </>
      ) : (
        <Card isFlush>
          <NotLoaded error={error} onRetry={refetch} label="Loading the settings" rows={3} />
        </Card>
      )}
    </SettingsPage>
  )
}

const PageLinkToPacks = () => (
  <PageLink path="/tool-packs" className="underline underline-offset-2">
    Tool Pack
  </PageLink>
)

const State = ({ settings, mayManage }: { settings: SignIn; mayManage: boolean }) => {
  const [isConfirming, setConfirming] = useState(false)
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        {settings.updated_at === null ? <Badge>Not configured</Badge> : <Badge tone="good">On</Badge>}
        <p className="min-w-0 flex-1 text-muted">
          {settings.updated_at ? (
            <>
              Changed <RelativeTime at={settings.updated_at} />
            </>
          ) : mayManage ? (
            'Nobody can sign in yet. MCP keys work without it.'
          ) : (
            'An administrator can configure it.'
          )}
        </p>
        {mayManage && settings.updated_at !== null && (
          <Button size="sm" onClick={() => setConfirming(true)}>
            Turn off
          </Button>
        )}
      </div>
      <Suspense>{isConfirming && <TurnOffDialog onClose={() => setConfirming(false)} />}</Suspense>
    </Card>
  )
}

export default UserSignInPage
