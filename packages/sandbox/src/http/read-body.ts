import type { IncomingMessage } from 'node:http'
import { HttpError } from './http-error.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'

const MAX_BODY_BYTES = 64 * 1024

export async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // The socket stays open on an early return, so that the error can still be sent.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    const piece: Buffer = chunk
    size += piece.length
    if (size > MAX_BODY_BYTES) throw new HttpError(413, 'too_large', 'The body is larger than 64 KB.')
    chunks.push(piece)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await readBody(req))
}

export async function readJsonObject(req: IncomingMessage): Promise<JsonObject> {
  const text = await readBody(req)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new HttpError(400, 'invalid_request', 'The body is not valid JSON.')
  }
  if (!isJsonObject(value)) throw new HttpError(400, 'invalid_request', 'The body must be a JSON object.')
  return value
}
