import { hash } from 'node:crypto'
import type { ConnectorTool } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { fillValue, textOf, type Values } from '../templates/template.ts'

export type RequestBody = { contentType: string | null; body: string | null }

/** Writes the body of a tool's request in the format that its connector file names. Default: JSON. */
export const buildBody = ({ body, body_type }: ConnectorTool['request'], values: Values): RequestBody => {
  if (body === undefined) return { contentType: null, body: null }
  const filled = fillValue(body, values)
  switch (body_type ?? 'json') {
    case 'form':
      return { contentType: 'application/x-www-form-urlencoded', body: formText(filled ?? {}) }
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', body: textOf(filled ?? '').toWellFormed() }
    case 'related':
      return relatedBody(filled as RelatedPart[])
    case 'json':
      return { contentType: 'application/json', body: JSON.stringify(filled ?? {}) }
  }
}

/** `a=1`, `a[b]=2`, `a[0]=3`: nested values in a form. */
const formText = (filled: unknown): string => new URLSearchParams(formPairs(filled, '')).toString()

const formPairs = (value: unknown, name: string): [string, string][] => {
  if (value === null || value === undefined) return []
  if (typeof value !== 'object') return [[name, textOf(value)]]
  return Object.entries(value).flatMap(([key, member]) =>
    formPairs(member, name === '' ? key : `${name}[${key}]`),
  )
}

type RelatedPart = { type: string; content?: unknown }

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?charset=[\w-]+)?$/i

/** RFC 2387. The boundary is a hash of all parts, so no part can contain it and a repeated request has the same body. */
const relatedBody = (parts: RelatedPart[]): RequestBody => {
  const boundary = hash('sha256', JSON.stringify(parts), 'hex')
  const written = parts.map(({ type, content = '' }) => {
    if (!MEDIA_TYPE.test(type)) throw new Refusal('invalid_arguments')
    return `--${boundary}\r\nContent-Type: ${type}\r\n\r\n${textOf(content).toWellFormed()}\r\n`
  })
  return {
    contentType: `multipart/related; boundary=${boundary}`,
    body: `${written.join('')}--${boundary}--\r\n`,
  }
}
