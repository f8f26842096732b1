import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  /** 1: internal, 2: server, 3: client. */
  kind: number
  attributes: Record<string, string | number>
  links: { traceId: string; spanId: string }[]
  isError: boolean
}

/** A collector that receives spans over OTLP (HTTP, Protocol Buffers). */
export type OtlpReceiver = {
  url: string
  spans: ReceivedSpan[]
  resource: Record<string, string | number>
  /** The bodies as text, to search them for secrets. */
  bodies: string[]
  headers: Record<string, unknown>[]
  /** Requests are accepted but not answered. */
  hangs: boolean
  stop(): Promise<void>
}

type Field = { number: number; bytes: Buffer; value: number }

/** The fields of one message of Protocol Buffers. */
const fieldsOf = (message: Buffer): Field[] => {
  const fields: Field[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++] as number
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const tag = varint()
    const field: Field = { number: tag >>> 3, bytes: Buffer.alloc(0), value: 0 }
    if ((tag & 7) === 0) field.value = varint()
    else {
      const length = (tag & 7) === 2 ? varint() : (tag & 7) === 1 ? 8 : 4
      field.bytes = message.subarray(at, at + length)
      at += length
    }
    fields.push(field)
  }
  return fields
}

const all = (fields: Field[], number: number): Buffer[] =>
  fields.filter(field => field.number === number).map(({ bytes }) => bytes)
const first = (fields: Field[], number: number): Buffer => all(fields, number)[0] ?? Buffer.alloc(0)
const valueOf = (fields: Field[], number: number): number =>
  fields.find(field => field.number === number)?.value ?? 0

const attributesOf = (messages: Buffer[]): Record<string, string | number> =>
  Object.fromEntries(
    messages.map(message => {
      const fields = fieldsOf(message)
      const value = fieldsOf(first(fields, 2))
      const [kind] = value
      return [first(fields, 1).toString(), kind?.number === 1 ? kind.bytes.toString() : (kind?.value ?? 0)]
    }),
  )

const toSpan = (message: Buffer): ReceivedSpan => {
  const fields = fieldsOf(message)
  const links = all(fields, 13).map(fieldsOf)
  return {
    traceId: first(fields, 1).toString('hex'),
    spanId: first(fields, 2).toString('hex'),
    parentSpanId: first(fields, 4).toString('hex'),
    name: first(fields, 5).toString(),
    kind: valueOf(fields, 6),
    attributes: attributesOf(all(fields, 9)),
    links: links.map(link => ({
      traceId: first(link, 1).toString('hex'),
      spanId: first(link, 2).toString('hex'),
    })),
    isError: valueOf(fieldsOf(first(fields, 15)), 3) === 2,
  }
}

export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    receiver.headers.push(request.headers)
    receiver.bodies.push(body.toString('latin1'))
    for (const ofResource of all(fieldsOf(body), 1).map(fieldsOf)) {
      receiver.resource = attributesOf(all(fieldsOf(first(ofResource, 1)), 1))
      for (const ofScope of all(ofResource, 2).map(fieldsOf))
        receiver.spans.push(...all(ofScope, 2).map(toSpan))
    }
    if (!receiver.hangs) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    resource: {},
    bodies: [],
    headers: [],
    hangs: false,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}
