import { MAX_ACCOUNT_LABEL } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'

// oxlint-disable-next-line no-control-regex -- labels are shown in lists of tools, where control characters have no place
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** A label must not be mistaken for the ID of another credential, because tool calls accept both. */
export const parseAccountLabel = (given: string, param: string): string => {
  const label = given.trim()
  if (
    label === '' ||
    label.length > MAX_ACCOUNT_LABEL ||
    CONTROL.test(label) ||
    !label.isWellFormed() ||
    isUuid(label)
  )
    throw new Refusal('invalid_request', {
      param,
      message: `"${param}" must be a line of 1 to ${MAX_ACCOUNT_LABEL} characters that is not an ID.`,
    })
  return label
}
