import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react'
import { ArrowUp, Square } from './icons.tsx'

export const Composer = ({
  isBusy,
  isReady,
  model,
  onSend,
  onStop,
}: {
  isBusy: boolean
  isReady: boolean
  model: string | undefined
  onSend: (prompt: string) => void
  onStop: () => void
}): ReactElement => {
  const [draft, setDraft] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const canSend = isReady && !isBusy && draft.trim() !== ''

  // Not focused on touch devices, where the on-screen keyboard would cover half of the page.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [])

  const submit = (): void => {
    if (!canSend) return
    onSend(draft.trim())
    setDraft('')
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isBusy) onStop()
    // Enter during composition confirms a character of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }

  return (
    <form
      className="composer"
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      <div className="field">
        <textarea
          ref={field}
          aria-label="Message to Orbit"
          placeholder="Ask about your notes"
          rows={1}
          maxLength={4_000}
          value={draft}
          onChange={event => setDraft(event.target.value)}
          onKeyDown={press}
        />
        {isBusy ? (
          <button type="button" className="round" aria-label="Stop" onClick={onStop}>
            <Square />
          </button>
        ) : (
          <button type="submit" className="round" aria-label="Send" aria-disabled={!canSend}>
            <ArrowUp />
          </button>
        )}
      </div>
      <p className="hint">
        {model ?? 'Loading…'}
        <span className="keys"> · Enter sends, Escape stops</span>
      </p>
    </form>
  )
}
