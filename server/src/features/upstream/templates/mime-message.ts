import { Refusal } from '../../../core/refusal.ts'

type MailField = 'to' | 'cc' | 'bcc' | 'subject' | 'in_reply_to' | 'text'
export const mailFields: readonly MailField[] = ['to', 'cc', 'bcc', 'subject', 'in_reply_to', 'text']

/**
 * A plain-text message (RFC 5322, RFC 2045) as base64url, the format of the Gmail API. All fields come from the
 * model: addresses and IDs must match their grammar and everything else is encoded, so no value can inject a header.
 */
export const mimeMessage = (fields: unknown): string => {
  const given = (fields ?? {}) as Partial<Record<MailField, unknown>>
  const headers = [
    ...(['to', 'cc', 'bcc'] as const).flatMap(field => addressHeader(field, given[field])),
    `Subject: ${encodeText(textOf(given.subject))}`,
    ...replyHeaders(given.in_reply_to),
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ]
  const body = Buffer.from(textOf(given.text), 'utf8').toString('base64')
  const lines = body.match(/.{1,76}/g) ?? []
  return Buffer.from([...headers, '', ...lines, ''].join('\r\n'), 'utf8').toString('base64url')
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const HEADER_NAMES = { to: 'To', cc: 'Cc', bcc: 'Bcc' }

const addressHeader = (field: 'to' | 'cc' | 'bcc', value: unknown): string[] => {
  const addresses = [value].flat().filter(address => address !== undefined && address !== null)
  if (addresses.length === 0) return []
  // One address per line, because RFC 5322 §2.1.1 limits a line to 998 characters.
  return [`${HEADER_NAMES[field]}: ${addresses.map(address => mailbox(field, address)).join(',\r\n ')}`]
}

const ADDRESS = /^[^\s<>()[\]\\,;:"@]{1,64}@[^\s<>()\\,;:"@]{1,255}$/u
const NAMED = /^(?<name>[^<>]{0,200}?)\s*<(?<address>[^<>\s]+)>$/u
const CONTROL = /[\p{Cc}\u2028\u2029]/u

const mailbox = (field: string, value: unknown): string => {
  const text = textOf(value).trim()
  const { name = '', address = text } = NAMED.exec(text)?.groups ?? {}
  if (CONTROL.test(textOf(value)) || !ADDRESS.test(address))
    throw refuse(field, 'is not a valid email address')
  const shown = name.trim().replace(/^"(.*)"$/, '$1')
  if (shown === '') return address
  return isAscii(shown)
    ? `"${shown.replace(/["\\]/g, '\\$&')}" <${address}>`
    : `${encodeText(shown)} <${address}>`
}

const replyHeaders = (value: unknown): string[] => {
  if (value === undefined || value === null) return []
  const id = textOf(value).trim()
  if (!/^<[\x21-\x3b\x3d\x3f-\x7e]{1,490}>$/.test(id))
    throw refuse('in_reply_to', 'is not a valid Message-ID such as <id@example.com>')
  return [`In-Reply-To: ${id}`, `References: ${id}`]
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const MAX_PLAIN_LENGTH = 60
/** RFC 2047 §2: an encoded word has at most 75 characters; 45 bytes make 60 of them. */
const MAX_WORD_BYTES = 45

/** Short ASCII text is returned unchanged; other text becomes encoded words, which can represent any character. */
const encodeText = (text: string): string => {
  if (isAscii(text) && text.length <= MAX_PLAIN_LENGTH && !text.includes('=?')) return text
  const words: string[] = ['']
  for (const character of text.toWellFormed()) {
    const word = `${words.at(-1)}${character}`
    if (Buffer.byteLength(word) > MAX_WORD_BYTES) words.push(character)
    else words[words.length - 1] = word
  }
  return words.map(word => `=?utf-8?B?${Buffer.from(word, 'utf8').toString('base64')}?=`).join('\r\n ')
}

const refuse = (param: string, what: string): Refusal =>
  new Refusal('invalid_arguments', { param, message: `"${param}" contains a value that ${what}.` })
