import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

/** A name server on loopback. It answers A queries for the given names, and never answers for names below `hang.example`. */
export type DnsServer = {
  address: string
  /** Queried names, in order. */
  queries: string[]
  close(): void
}

const TYPE_A = 1
const HEADER_BYTES = 12
const NOT_FOUND = 3

export const startDnsServer = async (addresses: Record<string, string>): Promise<DnsServer> => {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (query, from) => {
    const name = readName(query)
    queries.push(name)
    if (name.endsWith('hang.example')) return
    reply(socket, query, name, addresses[name], from)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, queries, close: () => socket.close() }
}

const readName = (query: Buffer): string => {
  const labels: string[] = []
  for (let at = HEADER_BYTES; query[at]; at += (query[at] as number) + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] as number)))
  return labels.join('.').toLowerCase()
}

/** RFC 1035 §4.1: repeats the question, with an A record if the name exists. */
const reply = (
  socket: Socket,
  query: Buffer,
  name: string,
  address: string | undefined,
  from: { port: number; address: string },
): void => {
  const end = HEADER_BYTES + name.length + 2 + 4
  const question = query.subarray(HEADER_BYTES, end)
  const isA = question.readUInt16BE(question.length - 4) === TYPE_A
  const answers = isA && address !== undefined ? 1 : 0
  const header = Buffer.from(query.subarray(0, HEADER_BYTES))
  header.writeUInt16BE(0x8180 | (address === undefined ? NOT_FOUND : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(answers, 6)
  header.writeUInt32BE(0, 8)
  const record = answers
    ? Buffer.from([
        0xc0,
        HEADER_BYTES,
        0,
        TYPE_A,
        0,
        1,
        0,
        0,
        0,
        1,
        0,
        4,
        ...(address as string).split('.').map(Number),
      ])
    : Buffer.alloc(0)
  socket.send(Buffer.concat([header, question, record]), from.port, from.address)
}
