/** Saves a text as a file. */
export const download = (name: string, type: string, text: string): void =>
  saveBlob(name, new Blob([text], { type }))

export const saveBlob = (name: string, blob: Blob): void => {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** RFC 4180. Cells that a spreadsheet would interpret as formulas begin with an apostrophe. */
export const toCsv = (rows: readonly (readonly (string | number | null | undefined)[])[]): string =>
  rows.map(cells => `${cells.map(cellOf).join(',')}\r\n`).join('')

const cellOf = (value: string | number | null | undefined): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const escaped = /^\s*[=+\-@]/.test(value) ? `'${value}` : value
  return /[",\r\n;']/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped
}
