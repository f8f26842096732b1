import type { WebhookDeliveryDetail } from '@carabiner/sdk'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../../ui/data/badge.tsx'
import { HeaderList } from '../../ui/data/header-list.tsx'
import { RelativeTime } from '../../ui/data/relative-time.tsx'

type Attempt = WebhookDeliveryDetail['attempts'][number]

/** The latest attempt is first and open. */
export const DeliveryAttempts = ({ attempts }: { attempts: readonly Attempt[] }) => (
  <section className="grid gap-2.5">
    <h3 className="text-sm font-semibold">Attempts</h3>
    {attempts.length === 0 ? (
      <p className="text-sm text-muted">Not sent yet.</p>
    ) : (
      <ol aria-label="Attempts" className="divide-y divide-line rounded-popup border border-line">
        {attempts.toReversed().map((attempt, position) => (
          <li key={attempt.at}>
            <details open={position === 0} className="group">
              <summary className="flex min-h-11 cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 px-3.5 py-2.5 text-sm">
                <ChevronRight
                  className="-me-1 -ms-1 size-4 text-faint group-open:rotate-90"
                  aria-hidden="true"
                />
                <Outcome attempt={attempt} />
                <span className="ms-auto text-xs text-muted">
                  <RelativeTime at={attempt.at} isAbsolute /> · {attempt.duration_ms} ms
                </span>
              </summary>
              <AttemptDetails attempt={attempt} />
            </details>
          </li>
        ))}
      </ol>
    )}
  </section>
)

const Outcome = ({ attempt: { response_status: status, error } }: { attempt: Attempt }) => {
  if (status === null) return <span className="font-medium text-bad">{error ?? 'No response'}</span>
  const isAccepted = status >= 200 && status < 300
  return <Badge tone={isAccepted ? 'good' : 'bad'}>{`Status ${status}`}</Badge>
}

const AttemptDetails = ({ attempt }: { attempt: Attempt }) => {
  const { request_headers: sent, response_headers: returned, response_body: body } = attempt
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-3.5 pb-3.5">
      <Part title="Request headers">
        <HeaderList label="Request headers" headers={sent} />
      </Part>
      {returned && Object.keys(returned).length > 0 && (
        <Part title="Response headers">
          <HeaderList label="Response headers" headers={returned} />
        </Part>
      )}
      {body && (
        <Part title="Response body">
          <pre
            tabIndex={0}
            className="max-h-80 overflow-auto rounded-popup border border-line bg-ground px-3.5 py-2.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
          >
            {body}
          </pre>
        </Part>
      )}
    </div>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
    <h4 className="text-xs font-medium text-muted">{title}</h4>
    {children}
  </div>
)
