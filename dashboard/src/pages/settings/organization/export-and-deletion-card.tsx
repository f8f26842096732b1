import type { Organization } from '@carabiner/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { unsavedChanges } from '../../../drafts/unsaved-changes.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'

const ExportDialog = lazy(() => import('./export-dialog.tsx'))
const DeleteDialog = lazy(async () => ({
  default: (await import('./delete-organization-dialog.tsx')).DeleteOrganizationDialog,
}))

type Props = { organization: Organization; mayDelete: boolean }

export const ExportAndDeletionCard = ({ organization, mayDelete }: Props) => {
  const [dialog, setDialog] = useState<'export' | 'delete' | null>(null)
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const close = (): void => setDialog(null)
  // The session is loaded again after the page has changed, because this one needs the organization.
  const leave = async (): Promise<void> => {
    unsavedChanges.discard()
    await navigate({
      to: '/no-organization',
      search: { deleted: organization.name },
      ignoreBlocker: true,
    })
    await queryClient.invalidateQueries({ queryKey: ['session'] })
  }
  return (
    <Card title="Export and deletion" note="Both are recorded in the audit trail, with your name.">
      <div className="grid min-w-0 gap-5 text-sm">
        <section className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <div className="grid min-w-0 flex-1 basis-64 gap-1">
            <h3 className="font-medium">Export</h3>
            <p className="text-muted">
              A JSON Lines file with users, settings, records and the audit trail. It contains no credentials
              or keys.
            </p>
          </div>
          <Button disabled={!mayDelete} onClick={() => setDialog('export')}>
            Export
          </Button>
        </section>
        <section className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-t border-line pt-5">
          <div className="grid min-w-0 flex-1 basis-64 gap-1">
            <h3 className="font-medium">Deletion</h3>
            <p className="text-muted">
              Keys and links stop working immediately, and all data of this organization is deleted, including
              the audit trail. This cannot be undone.
            </p>
          </div>
          <Button kind="danger" disabled={!mayDelete} onClick={() => setDialog('delete')}>
            Delete organization
          </Button>
        </section>
      </div>
      <Suspense>
        {dialog === 'export' && <ExportDialog organization={organization} onClose={close} />}
        {dialog === 'delete' && (
          <DeleteDialog organization={organization} onClose={close} onDeleted={() => void leave()} />
        )}
      </Suspense>
    </Card>
  )
}
