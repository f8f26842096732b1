import { Refusal } from './refusal.ts'
import { isUuid } from './uuid.ts'

/** The position where a page ended: the time in microseconds since 1970, the database's precision, and the row's ID. */
export type TimePosition = { at: string; id: string }

export const writeTimeCursor = ({ at, id }: TimePosition): string =>
  Buffer.from(`${at}.${id}`, 'latin1').toString('base64url')

export const readTimeCursor = (cursor: string | undefined): TimePosition | null => {
  if (cursor === undefined) return null
  const [at = '', id = '', ...more] = Buffer.from(cursor, 'base64url').toString('latin1').split('.')
  if (!/^\d{1,16}$/.test(at) || !isUuid(id) || more.length > 0)
    throw new Refusal('invalid_cursor', { param: 'cursor' })
  return { at, id }
}
