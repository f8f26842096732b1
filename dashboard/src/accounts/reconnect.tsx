import type { Credential, LinkToken } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import { useApiMutation } from '../api/use-api-mutation.ts'
import { useConnectorName } from '../api/use-connectors.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/states/error-note.tsx'
import type { AccountOwner } from './account-owner.ts'

const LinkDialog = lazy(() => import('./link-dialog.tsx'))

/** Creates a link that reconnects a broken connection. A revoked one is linked as a new one. */
export const Reconnect = ({ owner, account }: { owner: AccountOwner; account: Credential }) => {
  const { connector_slug: slug, credential_id, status } = account
  const connector = useConnectorName()(slug)
  const [link, setLink] = useState<LinkToken | null>(null)
  const mint = useApiMutation(
    (api, connector_slug: string) =>
      api.linkTokens.mint(owner.id, {
        connector_slug,
        ...(status !== 'revoked' && { credential_id }),
      }),
    { invalidates: [['users', 'link-sessions', owner.id]], onSuccess: setLink },
  )
  return (
    <div className="grid justify-items-start gap-2">
      <Button
        size="sm"
        kind="primary"
        isBusy={mint.isPending}
        onClick={() => mint.mutate(slug)}
        aria-label={`Reconnect ${connector}`}
      >
        Reconnect
      </Button>
      {mint.error && <ErrorNote error={mint.error} />}
      <Suspense>
        {link && <LinkDialog {...{ owner, link, connector }} onClose={() => setLink(null)} />}
      </Suspense>
    </div>
  )
}
