import { connect, type Socket } from 'node:net'

/** A connection that sends raw bytes, for requests that no client library would send. */
export type RawSocket = {
  socket: Socket
  /** All data received so far. */
  text: () => string
  closed: () => boolean
  close: () => void
}

export const openSocket = async (baseUrl: string, text = ''): Promise<RawSocket> => {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  let received = ''
  let closed = false
  socket.setEncoding('utf8')
  socket.on('data', chunk => (received += String(chunk)))
  socket.on('error', () => undefined)
  socket.on('close', () => (closed = true))
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.write(text)
  return { socket, text: () => received, closed: () => closed, close: () => socket.destroy() }
}

/** A request, byte for byte. */
export const rawRequest = (line: string, headers: [name: string, value: string][], body = ''): string =>
  [
    line,
    'Host: localhost',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`, 'Content-Type: application/json']),
    '',
    body,
  ].join('\r\n')
