import type { CarabinerError, OAuthAppPut, OAuthAppState, OAuthAppTest } from '@carabiner/sdk'
import type { UseMutationResult } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { Details } from '../../ui/data/details.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'

const SHARED = { mode: 'production' } as const

/** The organization's own OAuth app for one connector. */
export const OAuthApp = ({ slug, name }: { slug: string; name: string }) => {
  const { data, error, refetch } = useApiQuery(
    ['connectors', 'oauth-app', slug],
    (api, options) => api.connectors.oauthApp.get(slug, options),
    SHARED,
  )
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows label="Loading the OAuth app" rows={3} isInCard={false} />
  return <AppState app={data} name={name} />
}

const IN_USE = {
  own: <Badge tone="good">Your own app</Badge>,
  service: <Badge>The app of this service</Badge>,
  none: <Badge tone="warn">No app yet</Badge>,
}

const AppState = ({ app, name }: { app: OAuthAppState; name: string }) => {
  const mayBuild = useMay('build')
  const test = useApiMutation((api, slug: string) => api.connectors.oauthApp.test(slug), SHARED)
  return (
    <div className="grid gap-6">
      <Details
        entries={[
          ['New links use', IN_USE[app.in_use]],
          [
            'Redirect URI',
            <span className="-my-1.5 flex items-center gap-1">
              <code className="min-w-0 font-mono text-xs">{app.redirect_uri}</code>
              <CopyButton text={app.redirect_uri} label="Copy the redirect URI" />
            </span>,
          ],
          ['Client ID', app.client_id && <code className="font-mono text-xs">{app.client_id}</code>],
          ['Scopes', <code className="font-mono text-xs">{app.scopes.join(' ') || 'none'}</code>],
        ]}
      />
      {mayBuild && app.in_use !== 'none' && <TestApp slug={app.connector_slug} test={test} />}
      {mayBuild && <AppForm app={app} name={name} onChanged={test.reset} />}
      {mayBuild && app.in_use === 'own' && (
        <RemoveApp slug={app.connector_slug} name={name} onChanged={test.reset} />
      )}
    </div>
  )
}

type Test = UseMutationResult<OAuthAppTest, CarabinerError, string>

const TestApp = ({ slug, test }: { slug: string; test: Test }) => {
  const tone = { accepted: 'text-good', rejected: 'text-bad', unknown: 'text-warn' }
  return (
    <div className="grid gap-2">
      <div>
        <Button isBusy={test.isPending} onClick={() => test.mutate(slug)}>
          Test the app
        </Button>
      </div>
      {test.error && <ErrorNote error={test.error} />}
      {test.data && (
        <p role="status" className={`text-sm ${tone[test.data.outcome]}`}>
          {test.data.message}
          {test.data.provider_error && (
            <>
              {' '}
              The answer was <code className="font-mono text-xs">{test.data.provider_error}</code>.
            </>
          )}
        </p>
      )}
    </div>
  )
}

/** `onChanged` is called before the app is loaded again, so that a test of the new app is not discarded. */
type FormProps = { app: OAuthAppState; name: string; onChanged: () => void }

const AppForm = ({ app, name, onChanged }: FormProps) => {
  const [draft, setDraft] = useState<{ clientId?: string; secret?: string; scopes?: string }>({})
  const {
    clientId = app.client_id ?? '',
    secret = '',
    scopes = app.scopes_overridden ? app.scopes.join(' ') : '',
  } = draft
  const save = useApiMutation(
    (api, body: OAuthAppPut) => api.connectors.oauthApp.put(app.connector_slug, body).finally(onChanged),
    {
      ...SHARED,
      invalidates: [['connectors']],
      onSuccess: () => {
        setDraft({})
        toast({ title: 'OAuth app saved', description: 'New links use it from now on.' })
      },
    },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const chosen = scopes.split(/[\s,]+/).filter(Boolean)
    save.mutate({
      client_id: clientId.trim(),
      ...(secret && { client_secret: secret }),
      ...(chosen.length > 0 && { scopes: chosen }),
    })
  }
  return (
    <form className="grid gap-4 border-t border-line pt-5" onSubmit={submit}>
      <p className="text-sm text-muted">
        With your own app, {name} shows your name when a user connects. Register the redirect URI above with
        it first.
      </p>
      <Field label="Client ID">
        <Input
          required
          maxLength={512}
          value={clientId}
          autoComplete="off"
          onChange={event => setDraft({ ...draft, clientId: event.target.value })}
        />
      </Field>
      <Field
        label="Client secret"
        hint={
          app.has_client_secret && clientId.trim() === app.client_id
            ? 'Empty: the stored secret stays.'
            : 'Stored encrypted, and never shown again.'
        }
      >
        <Input
          type="password"
          maxLength={2048}
          value={secret}
          autoComplete="off"
          onChange={event => setDraft({ ...draft, secret: event.target.value })}
        />
      </Field>
      <Field label="Scopes (optional)" hint="Separated by spaces. Empty: the scopes of the connector.">
        <Input
          value={scopes}
          spellCheck={false}
          onChange={event => setDraft({ ...draft, scopes: event.target.value })}
        />
      </Field>
      {save.error && <ErrorNote error={save.error} />}
      <div>
        <Button type="submit" kind="primary" isBusy={save.isPending} disabled={clientId.trim() === ''}>
          Save the app
        </Button>
      </div>
    </form>
  )
}

const RemoveApp = ({ slug, name, onChanged }: { slug: string; name: string; onChanged: () => void }) => {
  const [isAsked, setAsked] = useState(false)
  const remove = useApiMutation(
    (api, one: string) => api.connectors.oauthApp.remove(one).finally(onChanged),
    {
      ...SHARED,
      invalidates: [['connectors']],
      onSuccess: () => setAsked(false),
    },
  )
  return (
    <div>
      <Button kind="quiet-danger" onClick={() => setAsked(true)}>
        Remove the app
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={() => remove.mutate(slug)}
        title={`Remove your OAuth app for ${name}?`}
        action="Remove the app"
        typedName={slug}
        isBusy={remove.isPending}
        error={remove.error}
      >
        Accounts that were connected with it have to be connected again.
      </ConfirmDialog>
    </div>
  )
}
