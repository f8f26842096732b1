import type { ReactElement } from 'react'
import { type Turn, textOf } from './conversation.ts'

/** Announces complete sentences to screen readers, because single words would be noise. */
export const Announcer = ({ turn }: { turn: Turn | undefined }): ReactElement => (
  <div className="hidden" role="log" aria-label="Answer" aria-live="polite">
    {turn && sentencesOf(turn).map((sentence, n) => <p key={`${turn.id}-${n}`}>{sentence}</p>)}
    {turn && <p key={`${turn.id}-${turn.state.is}`}>{stateOf(turn)}</p>}
  </div>
)

const sentencesOf = (turn: Turn): string[] => {
  const sentences = textOf(turn).match(/[^.!?\n]+(?:[.!?]+|\n|$)/g) ?? []
  // The last sentence may be incomplete.
  return turn.state.is === 'streaming' ? sentences.slice(0, -1) : sentences
}

const stateOf = ({ state }: Turn): string => {
  switch (state.is) {
    case 'streaming':
      return 'Orbit is answering'
    case 'connecting':
      return `${state.app} has to be connected. The dialog is open.`
    case 'unconnected':
      return `${state.problem ?? 'Nothing was connected.'} Use the Connect button to try again.`
    case 'approving':
      return `${state.problem ?? `${state.title} needs an approval. Nothing has been sent.`} Use the Review button.`
    case 'failed':
      return state.message
    case 'stopped':
      return 'Stopped'
    case 'done':
      return ''
  }
}
