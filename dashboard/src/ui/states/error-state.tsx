import { RotateCw } from 'lucide-react'
import { describeError } from '../../api/describe-error.ts'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy-button.tsx'

/** In place of content that could not be loaded: what happened, what to do, and the request ID. */
export const ErrorState = ({ error, onRetry }: { error: unknown; onRetry?: () => void }) => {
  const { title, action, requestId } = describeError(error)
  return (
    <div role="alert" className="mx-auto grid max-w-xl justify-items-center gap-4 px-5 py-12 text-center">
      <div className="grid gap-1.5">
        <h2 className="text-base font-semibold">{title}</h2>
        <p className="text-sm text-muted text-pretty">{action}</p>
      </div>
      {onRetry && (
        <Button onClick={onRetry} icon={<RotateCw className="size-4" aria-hidden="true" />}>
          Try again
        </Button>
      )}
      {requestId && (
        <p className="flex items-center gap-1 text-xs text-muted">
          Request ID <code className="font-mono">{requestId}</code>
          <CopyButton text={requestId} label="Copy the request ID" />
        </p>
      )}
    </div>
  )
}
