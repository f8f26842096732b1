import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type ReactNode, useReducer } from 'react'
import { addToClaudeCode, createUserSnippet, curlPatch, curlPost } from '../../api/api-snippet.ts'
import {
  areFirstStepsDismissed,
  declinePayloads,
  dismissFirstSteps,
  hasDeclinedPayloads,
} from '../../api/preferences.ts'
import { useApi, useScope } from '../../api/use-api.ts'
import { useConnectors } from '../../api/use-connectors.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import { type Code, Snippet } from '../../ui/data/snippet.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { callTestTool, createPack, createTestUser, openTestLink, SANDBOX, storePayloads } from './do-step.ts'
import { NextSteps } from './next-steps.tsx'
import { type FirstStepsState, isComplete, useFirstSteps } from './use-first-steps.ts'

type Step = {
  id: string
  title: string
  note: ReactNode
  isDone: boolean
  snippet: [Code, ...Code[]]
  /** Undefined if the service cannot do it, or must not, outside of test mode. */
  run?: () => Promise<unknown>
  /** Default: “Do it for me”. */
  label?: string
  /** For a step that is a choice. */
  decline?: { label: string; run: () => void }
}

/** What a new organization does first and then, until the person dismisses it. */
export const FirstSteps = () => {
  const scope = useScope()
  const [, renderAgain] = useReducer((count: number) => count + 1, 0)
  const isDismissed = areFirstStepsDismissed(scope)
  const { data } = useFirstSteps(!isDismissed)
  if (isDismissed || !data) return null
  const dismiss = (): void => {
    dismissFirstSteps(scope)
    renderAgain()
  }
  return isComplete(data) ? (
    <NextSteps onDismiss={dismiss} />
  ) : (
    <FirstStepsCard state={data} onDismiss={dismiss} />
  )
}

const FirstStepsCard = ({ state, onDismiss }: { state: FirstStepsState; onDismiss: () => void }) => {
  const [, renderAgain] = useReducer((count: number) => count + 1, 0)
  const steps = useSteps(state, renderAgain)
  const current = steps.find(({ isDone }) => !isDone)
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <Card
      title="First steps"
      note={`${done} of ${steps.length} done`}
      actions={
        <Button kind="quiet" size="sm" onClick={onDismiss}>
          Dismiss
        </Button>
      }
    >
      <ol className="grid">
        {steps.map((step, n) => (
          <li key={step.id} className="grid gap-3 border-t border-line py-3 first:border-t-0">
            <p className="flex items-center gap-3 text-sm">
              <span
                aria-hidden="true"
                className={cx(
                  'grid size-5 shrink-0 place-items-center rounded-full text-xs',
                  step.isDone ? 'bg-good text-paper' : 'border border-line-strong text-muted',
                )}
              >
                {step.isDone ? <Check className="size-3.5" strokeWidth={3} /> : n + 1}
              </span>
              <span className={step.isDone ? 'text-muted' : 'font-medium'}>{step.title}</span>
              {step.isDone && <span className="sr-only">done</span>}
            </p>
            {step === current && <StepHelp key={step.id} step={step} />}
          </li>
        ))}
      </ol>
    </Card>
  )
}

const StepHelp = ({ step }: { step: Step }) => {
  const queryClient = useQueryClient()
  const { scopeKey } = useApi()
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => step.run?.(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [...scopeKey] }),
  })
  return (
    <div className="grid min-w-0 gap-3 ps-8">
      <p className="text-sm text-muted">{step.note}</p>
      <Snippet label={step.title} codes={step.snippet} />
      {error && <ErrorNote error={error} />}
      {step.run && (
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" isBusy={isPending} onClick={() => mutate()}>
            {step.label ?? 'Do it for me'}
          </Button>
          {step.decline && (
            <Button kind="quiet" onClick={step.decline.run}>
              {step.decline.label}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

const useSteps = (
  { pack, user, isLinked, storesPayloads, hasCalled }: FirstStepsState,
  onDecline: () => void,
): Step[] => {
  const scope = useScope()
  const { api } = useApi()
  const { api: settingsApi } = useApi('production')
  const mayBuild = useMay('build')
  const mayManage = useMay('manage')
  const { data: connectors = [] } = useConnectors()
  const isTest = scope.mode === 'test' && mayBuild
  const hasSandbox = connectors.some(({ slug }) => slug === SANDBOX)
  return [
    {
      id: 'pack',
      title: 'Create a Tool Pack',
      note: 'A Tool Pack is the set of tools that an agent may use.',
      isDone: pack !== null,
      snippet: [curlPost('/tool-packs', '{"name": "My first Tool Pack"}')],
      ...(mayBuild && { run: () => createPack(api) }),
    },
    {
      id: 'user',
      title: 'Create a Registered User',
      note: 'A Registered User is one of your app’s end users.',
      isDone: user !== null,
      snippet: createUserSnippet(),
      ...(isTest && { run: () => createTestUser(api) }),
    },
    {
      id: 'link',
      title: 'Connect an account',
      note:
        isTest && hasSandbox
          ? 'Send the user a link. “Do it for me” opens one for the sandbox in a new tab.'
          : 'Send the user a link to connect an account.',
      isDone: isLinked,
      snippet: [curlPost(`/registered-users/${user?.id ?? 'USER_ID'}/link-token`, '{}')],
      ...(isTest && hasSandbox && user && pack && { run: () => openTestLink(api, user, pack) }),
    },
    ...(isTest && mayManage
      ? [
          {
            id: 'store',
            title: 'Store arguments and results',
            note: 'Logs then show what each call sent and returned, encrypted and redacted by the Security Gateway. The setting applies to both modes, so the command needs a production key. Change it at any time in Settings → Organization.',
            isDone: storesPayloads || hasDeclinedPayloads(scope),
            snippet: [curlPatch('/organization', '{"capture": "on"}')] as [Code],
            label: 'Store them',
            run: () => storePayloads(settingsApi),
            decline: {
              label: 'Store metadata only',
              run: () => {
                declinePayloads(scope)
                onDecline()
              },
            },
          },
        ]
      : []),
    {
      id: 'call',
      title: 'Call a tool',
      note: 'Connect your agent to the user’s MCP URL.',
      isDone: hasCalled,
      snippet: [addToClaudeCode(pack?.id, user?.id)],
      ...(isTest &&
        user?.linked_connectors.includes(SANDBOX) &&
        pack && { run: () => callTestTool(api, user, pack) }),
    },
  ]
}
