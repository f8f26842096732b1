import type { ReactElement } from 'react'
import { ApproveCard } from './approve-card.tsx'
import { ConnectCard } from './connect-card.tsx'
import type { Part, Turn } from './conversation.ts'
import { Check, Cross, Dots, Lock, Warning } from './icons.tsx'

export const TurnView = ({
  turn,
  userConfirms,
  onConnect,
  onReview,
  onContinue,
  onRetry,
}: {
  turn: Turn
  userConfirms: boolean
  onConnect: () => void
  onReview: () => void
  onContinue: () => void
  onRetry: () => void
}): ReactElement => {
  const { prompt, parts, state } = turn
  return (
    <li>
      <p className="prompt">
        <span className="hidden">You: </span>
        {prompt}
      </p>
      <div className="answer" aria-busy={state.is === 'streaming'}>
        <span className="hidden">Orbit: </span>
        {parts.map((part, n) => (
          // Parts are only appended, so the index is a stable key.
          <PartView key={`${n}-${part.kind}`} part={part} />
        ))}
        {state.is === 'streaming' && parts.length === 0 && (
          <p className="thinking">
            <Dots />
            <span className="hidden">Thinking</span>
          </p>
        )}
        {'meta' in state && <ConnectCard state={state} onConnect={onConnect} />}
        {state.is === 'approving' && (
          <ApproveCard
            state={state}
            userConfirms={userConfirms}
            onReview={onReview}
            onContinue={onContinue}
          />
        )}
        {state.is === 'stopped' && <p className="aside">You stopped this answer.</p>}
        {state.is === 'failed' && (
          <div className="failure">
            <p>
              <Warning />
              {state.message}
            </p>
            <button type="button" className="quiet" onClick={onRetry}>
              Try again
            </button>
          </div>
        )}
      </div>
    </li>
  )
}

const PartView = ({ part }: { part: Part }): ReactElement => {
  if (part.kind === 'text') return <Text text={part.text} />
  if (part.kind === 'connected')
    return (
      <p className="step" data-state="done">
        <Check />
        {part.app} is connected
      </p>
    )
  return (
    <p className="step" data-state={part.state}>
      {STEP_ICONS[part.state]}
      {part.title}
      <span className="app">{part.app}</span>
      <span className="hidden">, {STEP_LABELS[part.state]}</span>
    </p>
  )
}

const Text = ({ text }: { text: string }): ReactElement => (
  <p className="text">
    {text
      .trimEnd()
      .split('\n')
      .map((line, n) => (
        // Lines are only appended, so the index is a stable key.
        <span key={`${n}`} className="line" data-kind={/^[•*-] /.test(line) ? 'item' : 'plain'}>
          {line}
        </span>
      ))}
  </p>
)

const STEP_ICONS = {
  running: <Dots />,
  done: <Check />,
  failed: <Cross />,
  unconnected: <Lock />,
  unapproved: <Lock />,
}
const STEP_LABELS = {
  running: 'running',
  done: 'done',
  failed: 'did not work',
  unconnected: 'waits for you to connect the account',
  unapproved: 'waits for an approval',
}
