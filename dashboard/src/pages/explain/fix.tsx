import type { Explanation, LinkToken, LinkTokenRequest } from '@carabiner/sdk'
import { useState } from 'react'
import { LinkShare } from '../../accounts/link-share.tsx'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'

type Step = Explanation['steps'][number]
type FixOfStep = NonNullable<Step['fix']>
type Props = { fix: FixOfStep; step: Step; explanation: Explanation; onFixed: () => void }

/** What fixes the failed step: a button where one request does it, otherwise the page where it is done. */
export const Fix = (props: Props) => {
  const mayBuild = useMay('build')
  const { fix, explanation } = props
  const userId = explanation.registered_user?.id
  if (userId && LINK_ACTIONS.has(fix.action) && mayBuild) return <CreateLink {...props} userId={userId} />
  if (userId && fix.action === 'activate_user' && mayBuild)
    return <ActivateUser userId={userId} onFixed={props.onFixed} />
  const page = pageOf(props)
  return (
    <div className="grid flex-1 gap-2">
      <p className="text-sm">{fix.label}</p>
      {page && (
        <p>
          <PageLink path={page.path} className={buttonClass('primary')}>
            {page.label}
          </PageLink>
        </p>
      )}
    </div>
  )
}

const LINK_ACTIONS: ReadonlySet<string> = new Set(['connect_account', 'reconnect_account', 'grant_scopes'])

const pageOf = ({ fix, step, explanation }: Props): { path: string; label: string } | null => {
  const { tool_pack: pack, connector, registered_user: user, tool } = explanation
  const slug = connector?.slug ?? tool.split('__')[0] ?? ''
  const packPage = pack ? `/tool-packs/${pack.id}?q=${encodeURIComponent(slug)}` : '/tool-packs'
  switch (fix.action) {
    case 'add_connector':
    case 'add_tool':
    case 'update_tool_pack':
    case 'check_tool':
      return { path: packPage, label: 'Edit Tool Pack' }
    case 'check_tool_pack':
      return { path: '/tool-packs', label: 'See Tool Packs' }
    case 'configure_connector':
      return { path: `/connectors?connector=${slug}`, label: 'Configure connector' }
    case 'review_tools':
      return { path: `/connectors?connector=${slug}&tab=changes`, label: 'Review changed tools' }
    case 'raise_plan_limit':
      return { path: '/usage', label: 'See usage' }
    case 'change_arguments':
      return step.step === 'security_rules' ? { path: '/security', label: 'Edit security rules' } : null
    case 'check_user':
    case 'use_key':
      return { path: '/users', label: 'See users' }
    case 'set_runtime_callback_url':
      return { path: '/settings/organization', label: 'Open organization settings' }
    case 'allow_origin':
      return { path: '/settings/callback-origins', label: 'Edit allowed origins' }
    case 'activate_user':
    case 'connect_account':
    case 'reconnect_account':
    case 'resume_connection':
    case 'grant_scopes':
      return user ? { path: `/users?user=${user.id}`, label: 'See user' } : null
    case 'change_policy':
    case 'wait':
    case 'check_permissions':
      return null
  }
}

const CreateLink = ({ fix, explanation, userId }: Props & { userId: string }) => {
  const [link, setLink] = useState<LinkToken | null>(null)
  const name =
    explanation.registered_user?.origin_user_name ?? explanation.registered_user?.origin_user_id ?? 'the user'
  const mint = useApiMutation((api, body: LinkTokenRequest) => api.linkTokens.mint(userId, body), {
    onSuccess: setLink,
  })
  if (link) return <LinkShare link={link} name={name} connector={explanation.connector?.name} />
  return (
    <div className="grid gap-2">
      <Button kind="primary" isBusy={mint.isPending} onClick={() => mint.mutate(fix.request?.body ?? {})}>
        Create link for {name}
      </Button>
      {mint.error && <ErrorNote error={mint.error} />}
    </div>
  )
}

const ActivateUser = ({ userId, onFixed }: { userId: string; onFixed: () => void }) => {
  const activate = useApiMutation((api, id: string) => api.registeredUsers.update(id, { is_active: true }), {
    invalidates: [['users']],
    onSuccess: onFixed,
  })
  return (
    <div className="grid gap-2">
      <Button kind="primary" isBusy={activate.isPending} onClick={() => activate.mutate(userId)}>
        Activate user
      </Button>
      {activate.error && <ErrorNote error={activate.error} />}
    </div>
  )
}
