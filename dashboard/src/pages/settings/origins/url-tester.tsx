import type { CallbackUrlTested } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { CircleCheck, CircleX } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useApiQuery } from '../../../api/use-api-query.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'

const route = getRouteApi('/o/$organization/$mode/settings/callback-origins')

/** "Would this URL pass?": the service applies the checks of minting a link token. */
export const UrlTester = ({ mayManage }: { mayManage: boolean }) => {
  const { url } = route.useSearch()
  const navigate = route.useNavigate()
  const [text, setText] = useState(url ?? '')
  // Below the key of the list, so that a new origin tests the URL again.
  const tested = useApiQuery(
    ['callback-origins', 'test', url],
    (api, options) => api.callbackOrigins.test(url as string, options),
    { mode: 'production', enabled: url !== undefined },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void navigate({ search: text.trim() === '' ? {} : { url: text.trim() }, replace: true })
  }
  return (
    <Card title="Would this URL pass?" note="Runs the same checks on a callback URL as POST …/link-token.">
      <form className="grid gap-3" onSubmit={submit}>
        <Field label="Callback URL" isLabelHidden>
          <div className="flex flex-wrap gap-2">
            <Input
              value={text}
              maxLength={2048}
              onChange={event => setText(event.target.value)}
              placeholder="https://app.example.com/linked?tab=1"
              autoComplete="off"
              spellCheck={false}
              className="min-w-56 flex-1"
            />
            <Button type="submit" isBusy={tested.isFetching} disabled={text.trim() === ''}>
              Test
            </Button>
          </div>
        </Field>
        <div aria-live="polite">
          {tested.error ? (
            <ErrorNote error={tested.error} />
          ) : (
            url !== undefined && tested.data && <TestResult tested={tested.data} mayManage={mayManage} />
          )}
        </div>
      </form>
    </Card>
  )
}

const TestResult = ({ tested, mayManage }: { tested: CallbackUrlTested; mayManage: boolean }) => {
  const { allowed, origin, reason, message } = tested
  return (
    <div className="flex items-start gap-2.5 text-sm">
      {allowed ? (
        <CircleCheck className="mt-0.5 size-4.5 shrink-0 text-good" aria-hidden="true" />
      ) : (
        <CircleX className="mt-0.5 size-4.5 shrink-0 text-bad" aria-hidden="true" />
      )}
      <div className="grid gap-1.5">
        <p className="font-medium">{allowed ? 'Allowed' : 'Rejected'}</p>
        <p className="text-muted">
          {allowed ? (
            <>
              Its origin is <code className="font-mono text-xs">{origin}</code>.
            </>
          ) : (
            <>
              {message} Minting answers <code className="font-mono text-xs">{reason}</code>.
            </>
          )}
        </p>
        {mayManage && !allowed && origin && <AllowButton origin={origin} />}
      </div>
    </div>
  )
}

const AllowButton = ({ origin }: { origin: string }) => {
  const add = useApiMutation((api, added: string) => api.callbackOrigins.add(added), {
    invalidates: [['callback-origins']],
    mode: 'production',
  })
  return (
    <Button
      size="sm"
      className="justify-self-start"
      isBusy={add.isPending}
      onClick={() => add.mutate(origin)}
    >
      Allow {origin}
    </Button>
  )
}
