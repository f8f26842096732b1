import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { readWords, WORDS_HINT, wordsProblem } from './context-words.ts'
import type { Tuning } from './rule-draft.ts'
import { entityLabel } from './rule-words.ts'

type Props = {
  entity: string
  tuning: Tuning
  /** Applies if no threshold is set. */
  inheritedThreshold: number
  onClose: () => void
  onSave: (tuning: Tuning) => void
}

/** How sure a match of an entity must be. */
const TuneDialog = ({ entity, tuning, inheritedThreshold, onClose, onSave }: Props) => {
  const [threshold, setThreshold] = useState(tuning.threshold?.toString() ?? '')
  const [words, setWords] = useState(tuning.context_words?.join(', ') ?? '')
  const problem = wordsProblem(words)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (problem !== undefined) return
    const list = readWords(words)
    onSave({
      ...(threshold !== '' && { threshold: Number(threshold) }),
      ...(list.length > 0 && { context_words: list }),
    })
  }
  return (
    <Dialog isOpen onClose={onClose} width="md" title={`Tune ${entityLabel(entity)}`}>
      <form className="grid gap-5" onSubmit={submit}>
        <Field
          label="Threshold"
          hint={`From 0 to 1. Matches with a lower score are ignored. Empty: ${inheritedThreshold}.`}
        >
          <Input
            type="number"
            min={0}
            max={1}
            step="any"
            inputMode="decimal"
            value={threshold}
            placeholder={String(inheritedThreshold)}
            onChange={event => setThreshold(event.target.value)}
            className="max-w-32"
          />
        </Field>
        <Field label="Context words" hint={WORDS_HINT} error={problem}>
          <Input value={words} onChange={event => setWords(event.target.value)} autoComplete="off" />
        </Field>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            Apply
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export default TuneDialog
