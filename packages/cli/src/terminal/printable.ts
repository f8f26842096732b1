/** Names of accounts and tools are untrusted, and must not contain terminal control sequences. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '�')

/** Local time of day. */
export const timeOf = (date: Date): string => date.toTimeString().slice(0, 8)

/** A time of the API without its fraction of a second: `2030-01-31 12:00:00Z`. */
export const momentOf = (timestamp: string | null): string =>
  timestamp === null ? '–' : timestamp.replace('T', ' ').replace(/\.\d+Z$/, 'Z')
