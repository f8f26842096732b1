import { Button } from '../../ui/button.tsx'
import type { ConnectorSettings } from './connector-dialog.tsx'

type Props = {
  name: string
  settings: ConnectorSettings
  /** Undefined: the person may not change the pack. */
  onEdit: (() => void) | undefined
}

/** Raw requests and the account rule of a connector, in words. */
export const ConnectorSummary = ({ name, settings: { requests, rule }, onEdit }: Props) => (
  <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4.5 py-3 md:ps-13">
    <dl className="grid min-w-0 flex-1 gap-1 text-xs text-muted">
      <div className="flex flex-wrap gap-x-1.5">
        <dt>Raw requests:</dt>
        <dd className="min-w-0 wrap-anywhere">
          {requests ? (
            <code className="font-mono">
              {requests.methods.join(', ')} {requests.paths.join(' ')}
            </code>
          ) : (
            'none'
          )}
        </dd>
      </div>
      <div className="flex flex-wrap gap-x-1.5">
        <dt>Account for calls:</dt>
        <dd className="min-w-0 wrap-anywhere">{describeRule(rule)}</dd>
      </div>
    </dl>
    {onEdit && (
      <Button size="sm" onClick={onEdit} aria-label={`Edit requests and accounts for ${name}`}>
        Edit
      </Button>
    )}
  </div>
)

const describeRule = (rule: ConnectorSettings['rule']): string => {
  if (!rule) return 'named if the user has several'
  return 'fixed' in rule ? `only “${rule.fixed}”` : 'always named'
}
