import type { AuditVerification, CarabinerError } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../../../api/use-api.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ProgressBar } from '../../../ui/data/progress-bar.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'

type Progress = { verified: number; total: number }

/** Verifies the chain request by request, each of which verifies a bounded number of entries. */
export const VerifyChain = () => {
  const { api } = useApi('production')
  const [progress, setProgress] = useState<Progress | null>(null)
  const verify = useMutation<AuditVerification & { total: number }, CarabinerError, undefined>({
    mutationFn: async () => {
      setProgress(null)
      let total = 0
      for (let from: number | undefined; ; ) {
        const result = await api.auditEntries.verify(from === undefined ? {} : { from })
        total += result.verified
        setProgress({ verified: total, total: result.head.sequence })
        if (result.next_from === null) return { ...result, total }
        from = result.next_from
      }
    },
  })
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div aria-live="polite" className="grid min-w-0 flex-1 basis-64 gap-2 text-sm">
          {verify.isPending && progress ? (
            <ProgressBar label="Verifying the chain" value={progress.verified} max={progress.total} />
          ) : verify.data ? (
            <VerificationResult result={verify.data} />
          ) : (
            <p className="text-muted">
              Verify that no entry was changed, removed or inserted since it was written.
            </p>
          )}
          {verify.error && <ErrorNote error={verify.error} />}
        </div>
        <Button isBusy={verify.isPending} onClick={() => verify.mutate(undefined)}>
          Verify chain
        </Button>
      </div>
    </Card>
  )
}

const VerificationResult = ({ result }: { result: AuditVerification & { total: number } }) => {
  const { problem, head, total } = result
  if (problem)
    return (
      <div className="flex items-start gap-2.5">
        <ShieldAlert className="mt-0.5 size-4.5 shrink-0 text-bad" aria-hidden="true" />
        <p>
          <b className="font-medium text-bad">
            Broken at entry {problem.sequence} ({problem.kind})
          </b>
          <span className="text-muted">: {problem.message}. The entries before it are intact.</span>
        </p>
      </div>
    )
  const recorded = `${head.sequence}:${head.hash}`
  return (
    <div className="flex items-start gap-2.5">
      <ShieldCheck className="mt-0.5 size-4.5 shrink-0 text-good" aria-hidden="true" />
      <div className="grid gap-0.5">
        <p className="font-medium">
          {total === 1 ? '1 entry is' : `All ${total.toLocaleString()} entries are`} intact
        </p>
        <p className="flex items-center gap-1 text-xs text-muted">
          <span>
            Head <code className="font-mono">{recorded.slice(0, 24)}…</code>. Store it elsewhere to detect a
            reset of the whole chain.
          </span>
          <CopyButton text={recorded} label="Copy the head" />
        </p>
      </div>
    </div>
  )
}
