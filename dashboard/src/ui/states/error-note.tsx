import { describeError } from '../../api/describe-error.ts'

/** Inside of a form or dialog. */
export const ErrorNote = ({ error }: { error: unknown }) => {
  const { title, action, requestId } = describeError(error)
  return (
    <div role="alert" className="grid gap-0.5 rounded-control bg-bad-soft px-3 py-2.5 text-sm text-bad">
      <p className="font-medium">{title}</p>
      <p>{action}</p>
      {requestId && (
        <p className="text-xs">
          Request ID <code className="font-mono select-all">{requestId}</code>
        </p>
      )}
    </div>
  )
}
