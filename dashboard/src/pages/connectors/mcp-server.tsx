import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Details } from '../../ui/data/details.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'

const AUTHENTICATION = {
  none: 'None',
  user_secret: 'One secret per user',
  organization_secret: 'One secret for your organization',
  oauth: 'OAuth: each user signs in',
}

/** A server of the catalog exists here after its first use; until then there is nothing to show. */
export const McpServerDetails = ({ slug }: { slug: string }) => {
  const { data } = useApiQuery(
    ['connectors', 'server', slug],
    (api, options) => api.mcpConnectors.get(slug, options),
    { mode: 'production' },
  )
  if (!data) return null
  return (
    <Details
      entries={[
        ['Server', <code className="font-mono text-xs">{data.url}</code>],
        ['Authentication', AUTHENTICATION[data.authentication]],
        ['Revision', data.protocol_revision],
        ['Checked', data.checked_at && <RelativeTime at={data.checked_at} />],
        ['Problem', data.check_problem && <span className="text-bad">{data.check_problem}</span>],
        [
          'Tool changes',
          data.tool_changes === 'review' ? 'Wait for your review' : 'Applied immediately, with an event',
        ],
      ]}
    />
  )
}

type Props = { slug: string; name: string; onRemoved: () => void }

export const McpServerActions = ({ slug, name, onRemoved }: Props) => {
  const mayBuild = useMay('build')
  const [isConfirming, setConfirming] = useState(false)
  const remove = useApiMutation((api, one: string) => api.mcpConnectors.delete(one), {
    mode: 'production',
    invalidates: [['connectors', 'list']],
    onSuccess: () => {
      onRemoved()
      toast({ title: `${name} removed` })
    },
  })
  if (!mayBuild) return null
  return (
    <>
      <Button kind="quiet-danger" onClick={() => setConfirming(true)}>
        Remove server
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutate(slug)}
        title={`Remove ${name}?`}
        action="Remove server"
        typedName={slug}
        request={remove}
      >
        Its tools disappear immediately, and the accounts that users have connected to it are revoked.
      </ConfirmDialog>
    </>
  )
}
