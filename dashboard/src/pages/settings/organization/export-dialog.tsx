import type { CarabinerError, Organization } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { saveBlob } from '../../../ui/data/download.ts'
import { ProgressBar } from '../../../ui/data/progress-bar.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { type ExportProgress, exportOrganization } from './export-organization.ts'

type Props = { organization: Organization; onClose: () => void }

/** The name without characters that a file name must not have. */
const fileNameOf = (name: string): string =>
  `${
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60) || 'organization'
  }.jsonl.gz`

const ExportDialog = ({ organization: { id, name }, onClose }: Props) => {
  const [progress, setProgress] = useState<ExportProgress | null>(null)
  const run = useMutation<void, CarabinerError>({
    mutationFn: async () => {
      saveBlob(fileNameOf(name), await exportOrganization(id, setProgress))
    },
    onSettled: () => setProgress(null),
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      mustAnswer={run.isPending}
      width="md"
      title={run.isSuccess ? `${name} exported` : `Export ${name}`}
      description={
        run.isSuccess
          ? 'Your browser saved the file. It contains your users’ personal data, so store it securely.'
          : 'The file contains users, settings, records and the audit trail in JSON Lines format, compressed with gzip. It contains no credentials or keys. To move the organization to another installation, ask the operator of this one.'
      }
      actions={
        run.isSuccess ? (
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose} disabled={run.isPending}>
              Cancel
            </Button>
            <Button kind="primary" isBusy={run.isPending} onClick={() => run.mutate()}>
              Export
            </Button>
          </>
        )
      }
    >
      {progress &&
        (progress.size === null ? (
          <p role="status" className="text-sm text-muted">
            Preparing the file. This can take a few minutes.
          </p>
        ) : (
          <ProgressBar
            label="Downloading"
            value={progress.received}
            max={progress.size}
            text={`${Math.floor((progress.received / progress.size) * 100)} %`}
          />
        ))}
      {run.error && <ErrorNote error={run.error} />}
    </Dialog>
  )
}

export default ExportDialog
