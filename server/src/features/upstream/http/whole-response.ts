import type { EgressResponse } from '../../../platform/egress/egress.ts'
import type { WholeResponse } from '../provider-response.ts'
import { readBody } from '../response-body.ts'
import type { UpstreamResponse } from './read-response.ts'

/** Headers of one connection, of the transferred form of the body, and cookies, which no later request may send. */
const LEFT_OUT = new Set([
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'set-cookie',
  'set-cookie2',
  'strict-transport-security',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Adds the response to what it means for the call. Whether access has ended is for this service to handle, so it remains. */
export const withWholeResponse = (read: UpstreamResponse, answer: EgressResponse): UpstreamResponse => {
  if (read.kind !== 'result' && read.kind !== 'failed') return read
  const response = wholeResponse(answer)
  if (!response) return read
  return read.kind === 'failed' && answer.status >= 400
    ? { ...read, response }
    : { kind: 'result', value: response }
}

/** Null for JSON that is too complex to be processed. */
const wholeResponse = (answer: EgressResponse): WholeResponse | null => {
  const body = readBody(answer)
  const headers = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !LEFT_OUT.has(name)))
  const start = { status: answer.status, headers }
  switch (body.kind) {
    case 'too_complex':
      return null
    case 'empty':
      return { ...start, body: null, body_encoding: 'none' }
    case 'json':
      return { ...start, body: body.value, body_encoding: 'json' }
    case 'text':
      return { ...start, body: body.text, body_encoding: 'text' }
    case 'broken':
      return { ...start, body: answer.body.toString('utf8'), body_encoding: 'text' }
    case 'binary':
      return { ...start, body: answer.body.toString('base64'), body_encoding: 'base64' }
  }
}
