import type { CarabinerError, Organization } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { download, saveBlob } from '../../../ui/data/download.ts'
import { ProgressBar } from '../../../ui/data/progress-bar.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { createArchiveKey, type ExportProgress, exportOrganization } from './export-organization.ts'

type Props = { organization: Organization; onClose: () => void }

/** The name without characters that a file name must not have. */
const fileNameOf = (name: string): string =>
  `${
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60) || 'organization'
  }.archive`

const ExportDialog = ({ organization: { id, name }, onClose }: Props) => {
  const [progress, setProgress] = useState<ExportProgress | null>(null)
  const file = fileNameOf(name)
  const run = useMutation<void, CarabinerError>({
    mutationFn: async () => {
      const key = createArchiveKey()
      const archive = await exportOrganization(id, key, setProgress)
      download(`${file}.key`, 'text/plain', `${key}\n`)
      saveBlob(file, archive)
    },
    onSettled: () => setProgress(null),
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      mustAnswer={run.isPending}
      width="md"
      title={run.isSuccess ? `${name} is exported` : `Export ${name}`}
      description={
        run.isSuccess
          ? 'Your browser has saved two files. Keep them apart: together they contain every credential of this organization in readable form.'
          : 'Your browser creates a key, and the service encrypts the archive with it. The key is not stored anywhere else: without it, the archive cannot be read.'
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
              Create the key and export
            </Button>
          </>
        )
      }
    >
      <ul className="grid gap-2 rounded-popup border border-line bg-ground p-3.5 text-sm">
        <li className="flex flex-wrap justify-between gap-x-4">
          <code className="font-mono text-xs break-all">{file}</code>
          <span className="text-muted">The archive, encrypted</span>
        </li>
        <li className="flex flex-wrap justify-between gap-x-4">
          <code className="font-mono text-xs break-all">{file}.key</code>
          <span className="text-muted">Its key</span>
        </li>
      </ul>
      {progress &&
        (progress.size === null ? (
          <p role="status" className="text-sm text-muted">
            The service writes the archive. This can take a few minutes.
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
