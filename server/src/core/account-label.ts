import { MAX_ACCOUNT_LABEL } from '@carabiner/contract'
import { Refusal } from './refusal.ts'
import { isUuid } from './uuid.ts'

/**
 * Characters that are invisible or change the direction of the text around them: neither a person nor a model could tell such labels apart. The
 * function `account_name_label` removes the same characters from the names of providers.
 */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * Labels that differ only in case or in the form of their characters count as the same; the database compares them (`account_label_key`). A label must not be
 * mistaken for the ID of another credential, because tool calls accept both.
 */
export const parseAccountLabel = (given: string, param: string): string => {
  const label = given.trim().normalize('NFC')
  const reject = (rule: string): never => {
    throw new Refusal('invalid_request', { param, message: `"${param}" must ${rule}.` })
  }
  if (!label.isWellFormed() || INVISIBLE.test(label))
    reject('be one line without invisible characters and without characters that change the text direction')
  if (label === '' || label.length > MAX_ACCOUNT_LABEL || isUuid(label))
    reject(`have 1 to ${MAX_ACCOUNT_LABEL} characters and not be an ID`)
  return label
}
