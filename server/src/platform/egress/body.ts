import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError } from './egress-error.ts'

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** An answer's body as it comes. The cap counts decoded bytes: a small bomb does not get to unfold. */
export async function* readCapped(
  body: Readable,
  encoding: string,
  maxBytes: number,
): AsyncGenerator<Buffer, void> {
  const decoder = decoders[encoding.toLowerCase() as keyof typeof decoders]
  // `compose` leaves a decoder's error unhandled: a broken answer would end the process.
  const source: AsyncIterable<Buffer> = decoder ? pipeline(body, decoder(), () => undefined) : body
  let size = 0
  try {
    for await (const chunk of source) {
      size += chunk.length
      if (size > maxBytes) throw new EgressError('too_large', `The answer is larger than ${maxBytes} bytes.`)
      yield chunk
    }
  } finally {
    // Whoever stops reading ends the answer: an endless one keeps no connection.
    body.destroy()
  }
}

export const collect = async (chunks: AsyncIterable<Buffer>): Promise<Buffer> => {
  const collected: Buffer[] = []
  for await (const chunk of chunks) collected.push(chunk)
  return Buffer.concat(collected)
}
