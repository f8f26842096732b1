import type { ReactElement } from 'react'
import type { TurnState } from './conversation.ts'
import { Lock, Warning } from './icons.tsx'

/**
 * Shows no argument of the call: this page displays what the model wrote, and the person must see the call itself, on a page that
 * the model cannot influence.
 */
export const ApproveCard = ({
  state: { app, title, problem },
  userConfirms,
  onReview,
  onContinue,
}: {
  state: Extract<TurnState, { is: 'approving' }>
  /** Whether the user decides here. Otherwise it may be another person, and the page is not notified. */
  userConfirms: boolean
  onReview: () => void
  onContinue: () => void
}): ReactElement => (
  <section className="connect" aria-label={`Approve: ${title}`}>
    <i className="tile" aria-hidden="true">
      <Lock />
    </i>
    <div>
      <h2>Approve “{title}”?</h2>
      <p>Nothing has been sent to {app} yet. Review exactly what will be sent, then decide.</p>
    </div>
    {problem && (
      <p className="note" data-kind="bad">
        <Warning />
        {problem}
      </p>
    )}
    <button type="button" className="primary" onClick={onReview}>
      Review
    </button>
    {!userConfirms && (
      <button type="button" className="quiet" onClick={onContinue}>
        Continue after the decision
      </button>
    )}
  </section>
)
