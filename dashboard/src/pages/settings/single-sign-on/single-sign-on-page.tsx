import { useQuery } from '@tanstack/react-query'
import { fetchSignInOptions } from '../../../api/sign-in.ts'
import { Card } from '../../../ui/card.tsx'
import { Badge } from '../../../ui/data/badge.tsx'
import { Copyable } from '../../../ui/data/copyable.tsx'
import { Details } from '../../../ui/data/details.tsx'
import { Snippet } from '../../../ui/data/snippet.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { SettingsPage } from '../settings-page.tsx'

const SETTINGS = `SSO_ISSUER=https://login.example.com
SSO_CLIENT_ID=carabiner
SSO_CLIENT_SECRET=…
SSO_NAME=Example`

const SingleSignOnPage = () => {
  const { data, error, refetch } = useQuery({ queryKey: ['sign-in-options'], queryFn: fetchSignInOptions })
  const redirectUri = `${window.location.origin}/dashboard/auth/callback/sso`
  return (
    <SettingsPage
      title="Single sign-on"
      note="One OpenID Connect provider signs people in to all organizations in this installation. An operator configures it."
    >
      <Card title="Status">
        {data ? (
          <Details
            entries={[
              [
                'Provider',
                data.single_sign_on ? (
                  <span className="flex flex-wrap items-center gap-2">
                    {data.single_sign_on.name} <Badge tone="good">On</Badge>
                  </span>
                ) : (
                  <Badge>Not configured</Badge>
                ),
              ],
              ['Redirect URI', <Copyable key="uri" text={redirectUri} label="Copy the redirect URI" />],
              [
                'Scopes',
                <code key="scopes" className="font-mono text-xs">
                  openid email profile
                </code>,
              ],
            ]}
          />
        ) : (
          <NotLoaded error={error} onRetry={refetch} label="Loading the status" rows={2} isInCard={false} />
        )}
      </Card>
      <Card title="Set up single sign-on">
        <ol className="grid list-decimal gap-4 ps-5 text-sm marker:text-muted">
          <li>
            Register a confidential web application at your identity provider, with the redirect URI above.
          </li>
          <li className="grid gap-2">
            Set these environment variables for the service, then restart it. The issuer must serve a
            discovery document.
            <Snippet label="Settings" codes={[{ language: 'Environment', text: SETTINGS }]} />
          </li>
          <li>
            Invite people with the email address that the provider reports. Single sign-on does not create
            accounts, so only invited people get in.
          </li>
        </ol>
      </Card>
    </SettingsPage>
  )
}

export default SingleSignOnPage
