import type { PolicyRule } from '@carabiner/sdk'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { useRotateHookSecret } from '../use-policies.ts'

const HookSecretDialog = lazy(() => import('./hook-secret-dialog.tsx'))
const HookTestDialog = lazy(() => import('./hook-test-dialog.tsx'))

/** What can be done with the saved hook of a rule. */
export const HookCard = ({ rule }: { rule: PolicyRule }) => {
  const [dialog, setDialog] = useState<'test' | 'rotate' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = (): void => setDialog(null)
  const rotate = useRotateHookSecret(rule.id, ({ hook_secret: created }) => {
    close()
    setSecret(created)
  })
  return (
    <Card title="Hook" note="A test uses the saved URL and example data. It decides nothing.">
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setDialog('test')}>Send test request</Button>
        <Button onClick={() => setDialog('rotate')}>Rotate secret</Button>
      </div>
      <ConfirmDialog
        isOpen={dialog === 'rotate'}
        onClose={close}
        onConfirm={() => rotate.mutate(undefined)}
        title="Rotate the signing secret?"
        action="Rotate secret"
        request={rotate}
      >
        You get a new secret, shown only once. For 24 hours, requests are signed with both the old and the new
        secret. After that, only the new secret is used.
      </ConfirmDialog>
      <Suspense>
        {dialog === 'test' && <HookTestDialog rule={rule} onClose={close} />}
        {secret !== null && <HookSecretDialog secret={secret} isRotated onClose={() => setSecret(null)} />}
      </Suspense>
    </Card>
  )
}
