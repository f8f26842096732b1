import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type ReactNode, useReducer } from 'react'
import { pageOrigin } from '../../api/page-origin.ts'
import { areFirstStepsDismissed, dismissFirstSteps } from '../../api/preferences.ts'
import { useApi, useScope } from '../../api/use-api.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import { type Code, Snippet } from '../../ui/data/snippet.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { createUserSnippet } from '../users/create-user-snippet.ts'
import { callTestTool, createPack, createTestUser, openTestLink, SANDBOX } from './do-step.ts'
import { CONNECTORS, type FirstStepsState, isComplete, useFirstSteps } from './use-first-steps.ts'

type Step = {
  id: string
  title: string
  note: ReactNode
  isDone: boolean
  snippet: [Code, ...Code[]]
  /** Undefined if the service cannot do it, or must not, outside of test mode. */
  run?: () => Promise<unknown>
}

/** What a new organization does first. Hidden when all is done, or when the person dismisses it. */
export const FirstSteps = () => {
  const scope = useScope()
  const [, renderAgain] = useReducer((count: number) => count + 1, 0)
  // The service does not load the steps if they are dismissed.
  const isDismissed = !import.meta.env.SSR && areFirstStepsDismissed(scope, document.cookie)
  const { data } = useFirstSteps(!isDismissed)
  if (isDismissed || !data || isComplete(data)) return null
  return (
    <FirstStepsCard
      state={data}
      onDismiss={() => {
        dismissFirstSteps(scope)
        renderAgain()
      }}
    />
  )
}

const FirstStepsCard = ({ state, onDismiss }: { state: FirstStepsState; onDismiss: () => void }) => {
  const steps = useSteps(state)
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
        <div>
          <Button kind="primary" isBusy={isPending} onClick={() => mutate()}>
            Do it for me
          </Button>
        </div>
      )}
    </div>
  )
}

const useSteps = ({ pack, user, isLinked, hasCalled }: FirstStepsState): Step[] => {
  const { mode } = useScope()
  const { api } = useApi()
  const mayBuild = useMay('build')
  const { data: connectors = [] } = useApiQuery(CONNECTORS.key, CONNECTORS.load)
  const isTest = mode === 'test' && mayBuild
  const hasSandbox = connectors.some(({ slug }) => slug === SANDBOX)
  const base = `${pageOrigin()}/api/v1`
  const [packId, userId] = [pack?.id ?? 'TOOL_PACK_ID', user?.id ?? 'USER_ID']
  const curl = (path: string, body: string): [Code] => [
    {
      language: 'curl',
      text: `curl ${base}${path} \\
  -H "Authorization: Bearer $CARABINER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`,
    },
  ]
  return [
    {
      id: 'pack',
      title: 'Create a Tool Pack',
      note: 'A Tool Pack is the set of tools that an agent may use.',
      isDone: pack !== null,
      snippet: curl('/tool-packs', '{"name": "My first Tool Pack"}'),
      ...(mayBuild && { run: () => createPack(api) }),
    },
    {
      id: 'user',
      title: 'Create a Registered User',
      note: 'A Registered User is a person of your application.',
      isDone: user !== null,
      snippet: createUserSnippet(pageOrigin()),
      ...(isTest && { run: () => createTestUser(api) }),
    },
    {
      id: 'link',
      title: 'Connect an account',
      note:
        isTest && hasSandbox
          ? 'Send the user a link. “Do it for me” opens one for the sandbox in a new tab.'
          : 'Send the user a link, on which they connect an account.',
      isDone: isLinked,
      snippet: curl(`/registered-users/${userId}/link-token`, '{}'),
      ...(isTest && hasSandbox && user && pack && { run: () => openTestLink(api, user, pack) }),
    },
    {
      id: 'call',
      title: 'Call a tool',
      note: 'Connect your agent to the MCP URL of the user.',
      isDone: hasCalled,
      snippet: [
        {
          language: 'Claude Code',
          text: `claude mcp add --transport http my-app \\
  ${base}/tool-packs/${packId}/registered-users/${userId}/mcp \\
  --header "Authorization: Bearer $CARABINER_API_KEY"`,
        },
      ],
      ...(isTest &&
        user?.linked_connectors.includes(SANDBOX) &&
        pack && { run: () => callTestTool(api, user, pack) }),
    },
  ]
}
