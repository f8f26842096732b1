import { useState } from 'react'
import { TextField } from '../../ui/forms/text-field.tsx'
import { FormDialog } from '../../ui/overlays/form-dialog.tsx'
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
  const submit = (): void => {
    if (problem !== undefined) return
    const list = readWords(words)
    onSave({
      ...(threshold !== '' && { threshold: Number(threshold) }),
      ...(list.length > 0 && { context_words: list }),
    })
  }
  return (
    <FormDialog
      title={`Tune ${entityLabel(entity)}`}
      width="md"
      action="Apply"
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label="Threshold"
        hint={`From 0 to 1. Matches with a lower score are ignored. Leave empty for ${inheritedThreshold}.`}
        type="number"
        min={0}
        max={1}
        step="any"
        inputMode="decimal"
        value={threshold}
        placeholder={String(inheritedThreshold)}
        onChange={setThreshold}
        className="max-w-32"
      />
      <TextField
        label="Context words"
        hint={WORDS_HINT}
        error={problem}
        value={words}
        onChange={setWords}
        autoComplete="off"
      />
    </FormDialog>
  )
}

export default TuneDialog
