import { createContext, type ReactNode, useContext, useId } from 'react'
import { cx } from '../cx.ts'

type FieldIds = { id: string; describedBy: string | undefined; isInvalid: boolean }
const FieldContext = createContext<FieldIds | null>(null)

/** Attributes that connect a control with the label, hint and error of its field. */
export const useFieldControl = () => {
  const field = useContext(FieldContext)
  return field
    ? { id: field.id, 'aria-describedby': field.describedBy, 'aria-invalid': field.isInvalid || undefined }
    : {}
}

type Props = {
  label: string
  hint?: ReactNode
  error?: string | undefined
  isLabelHidden?: boolean
  children: ReactNode
}

export const Field = ({ label, hint, error, isLabelHidden = false, children }: Props) => {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const describedBy = [hint && hintId, error && errorId].filter(Boolean).join(' ') || undefined
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className={cx('text-sm font-medium', isLabelHidden && 'sr-only')}>
        {label}
      </label>
      <FieldContext value={{ id, describedBy, isInvalid: error !== undefined }}>{children}</FieldContext>
      {hint && (
        <p id={hintId} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={errorId} role="alert" className="text-xs font-medium text-bad">
          {error}
        </p>
      )}
    </div>
  )
}
