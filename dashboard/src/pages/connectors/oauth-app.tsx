import type { CarabinerError, Connector, OAuthAppPut, OAuthAppState, OAuthAppTest } from '@carabiner/sdk'
import type { UseMutationResult } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useDraft } from '../../drafts/use-draft.ts'
import { useSecretDraft } from '../../drafts/use-secret-draft.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/data/badge.tsx'
import { Copyable } from '../../ui/data/copyable.tsx'
import { Details } from '../../ui/data/details.tsx'
import { Checkbox } from '../../ui/forms/checkbox.tsx'
import { SaveBar } from '../../ui/forms/save-bar.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { NotLoaded } from '../../ui/states/not-loaded.tsx'
import { consoleOf } from './provider-console.ts'

const SHARED = { mode: 'production' } as const

/** The organization's own OAuth app for one connector. */
export const OAuthApp = ({ connector }: { connector: Connector }) => {
  const { slug } = connector
  const { data, error, refetch } = useApiQuery(
    ['connectors', 'oauth-app', slug],
    (api, options) => api.connectors.oauthApp.get(slug, options),
    SHARED,
  )
  if (error || !data)
    return (
      <NotLoaded error={error} onRetry={refetch} label="Loading the OAuth app" rows={3} isInCard={false} />
    )
  return <AppState app={data} connector={connector} />
}

const IN_USE = {
  own: <Badge tone="good">Your own app</Badge>,
  service: <Badge>This service’s app</Badge>,
  none: <Badge tone="warn">No app yet</Badge>,
}

const AppState = ({ app, connector }: { app: OAuthAppState; connector: Connector }) => {
  const { name } = connector
  const mayBuild = useMay('build')
  const test = useApiMutation((api, slug: string) => api.connectors.oauthApp.test(slug), SHARED)
  return (
    <div className="grid gap-6">
      <Details
        entries={[
          ['New links use', IN_USE[app.in_use]],
          ['Redirect URI', <Copyable text={app.redirect_uri} label="Copy the redirect URI" />],
          ['Client ID', app.client_id && <code className="font-mono text-xs">{app.client_id}</code>],
          ['Scopes', <code className="font-mono text-xs">{app.scopes.join(' ') || 'none'}</code>],
        ]}
      />
      {mayBuild && app.in_use !== 'none' && <TestApp slug={app.connector_slug} test={test} />}
      {app.in_use !== 'own' && <SetupSteps app={app} connector={connector} />}
      {mayBuild && <AppForm app={app} name={name} onChanged={test.reset} />}
      {mayBuild && app.in_use === 'own' && (
        <RemoveApp slug={app.connector_slug} name={name} onChanged={test.reset} />
      )}
    </div>
  )
}

/** How to get a client ID and secret from the provider. */
const SetupSteps = ({ app, connector }: { app: OAuthAppState; connector: Connector }) => {
  const { slug, name, documentation_url: documentation } = connector
  const place = consoleOf(slug)
  return (
    <section className="grid gap-2.5">
      <h3 className="text-sm font-semibold">Set up your own app</h3>
      <ol className="grid list-decimal gap-1.5 ps-5 text-sm text-muted">
        <li>
          Create an OAuth app (type “web”) {place ? 'in the' : 'as described in the'}{' '}
          <a
            href={place?.url ?? documentation}
            target="_blank"
            rel="noreferrer"
            className="inline-flex min-h-6 items-center text-ink underline underline-offset-2"
          >
            {place?.name ?? `${name} documentation`}
          </a>
          .
        </li>
        <li>Register the redirect URI above, exactly as shown.</li>
        {app.scopes.length > 0 && <li>Enable the scopes listed above.</li>}
        <li>Enter the client ID and the client secret below.</li>
        <li>Save, then select “Test app”.</li>
      </ol>
    </section>
  )
}

type Test = UseMutationResult<OAuthAppTest, CarabinerError, string>

const TestApp = ({ slug, test }: { slug: string; test: Test }) => {
  const tone = { accepted: 'text-good', rejected: 'text-bad', unknown: 'text-warn' }
  return (
    <div className="grid gap-2">
      <div>
        <Button isBusy={test.isPending} onClick={() => test.mutate(slug)}>
          Test app
        </Button>
      </div>
      {test.error && <ErrorNote error={test.error} />}
      {test.data && (
        <p role="status" className={`text-sm ${tone[test.data.outcome]}`}>
          {test.data.message}
          {test.data.provider_error && (
            <>
              {' '}
              The provider returned <code className="font-mono text-xs">{test.data.provider_error}</code>.
            </>
          )}
        </p>
      )}
    </div>
  )
}

/** `onChanged` is called before the app is loaded again, so that a test of the new app is not discarded. */
type FormProps = { app: OAuthAppState; name: string; onChanged: () => void }

type Fields = { clientId: string; scopes: string; testMode: boolean }
type Submitted = { body: OAuthAppPut; changes: Partial<Fields> }

const AppForm = ({ app, name, onChanged }: FormProps) => {
  const saved = useMemo(
    (): Fields => ({
      clientId: app.client_id ?? '',
      scopes: app.scopes_overridden ? app.scopes.join(' ') : '',
      testMode: app.in_use === 'own' && app.test_mode,
    }),
    [app],
  )
  const draft = useDraft(`oauth-app.${app.connector_slug}`, saved)
  const { clientId, scopes, testMode } = draft.values
  const secret = useSecretDraft()
  const discard = (): void => {
    draft.discard()
    secret.discard()
  }
  const save = useApiMutation(
    (api, { body }: Submitted) => api.connectors.oauthApp.put(app.connector_slug, body).finally(onChanged),
    {
      ...SHARED,
      invalidates: [['connectors']],
      onSuccess: (_app, { body, changes }) => {
        draft.settle(changes)
        secret.settle(body.client_secret ?? '')
        toast({ title: 'OAuth app saved', description: 'New links use it.' })
      },
    },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const chosen = scopes.split(/[\s,]+/).filter(Boolean)
    save.mutate({
      changes: draft.changes,
      body: {
        client_id: clientId.trim(),
        ...(secret.value && { client_secret: secret.value }),
        ...(chosen.length > 0 && { scopes: chosen }),
        test_mode: testMode,
      },
    })
  }
  return (
    <form className="grid gap-4 border-t border-line pt-5" onSubmit={submit}>
      <p className="text-sm text-muted">With your own app, {name} shows your name when a user connects.</p>
      <TextField
        label="Client ID"
        required
        maxLength={512}
        value={clientId}
        autoComplete="off"
        onChange={value => draft.change({ clientId: value })}
      />
      <TextField
        label="Client secret"
        hint={
          app.has_client_secret && clientId.trim() === app.client_id
            ? 'Leave empty to keep the secret.'
            : 'Stored encrypted and never shown again.'
        }
        type="password"
        maxLength={2048}
        value={secret.value}
        autoComplete="off"
        onChange={secret.change}
      />
      <TextField
        label="Scopes (optional)"
        hint="Separated by spaces. Leave empty for the connector’s default scopes."
        value={scopes}
        spellCheck={false}
        onChange={value => draft.change({ scopes: value })}
      />
      <Checkbox isChecked={testMode} onChange={value => draft.change({ testMode: value })}>
        The app is not published yet. If {name} ends connections of such apps early, users are warned.
      </Checkbox>
      <SaveBar
        changes={draft.count + (secret.value === '' ? 0 : 1)}
        onDiscard={discard}
        action="Save app"
        isBusy={save.isPending}
        isDisabled={clientId.trim() === ''}
        error={save.error}
      />
    </form>
  )
}

const RemoveApp = ({ slug, name, onChanged }: { slug: string; name: string; onChanged: () => void }) => {
  const [isConfirming, setConfirming] = useState(false)
  const remove = useApiMutation(
    (api, one: string) => api.connectors.oauthApp.remove(one).finally(onChanged),
    {
      ...SHARED,
      invalidates: [['connectors']],
      onSuccess: () => setConfirming(false),
    },
  )
  return (
    <div>
      <Button kind="quiet-danger" onClick={() => setConfirming(true)}>
        Remove app
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutate(slug)}
        title={`Remove your OAuth app for ${name}?`}
        action="Remove app"
        typedName={slug}
        request={remove}
      >
        Users must reconnect the accounts they connected through it.
      </ConfirmDialog>
    </div>
  )
}
