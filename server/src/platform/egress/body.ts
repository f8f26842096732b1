import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EgressError } from './egress-error.ts'

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Streams a response body. The limit counts decoded bytes, so a decompression bomb is stopped early. */
export async function* readCapped(
  body: Readable,
  encoding: string,
  maxBytes: number,
): AsyncGenerator<Buffer, void> {
  const decoder = decoders[encoding.toLowerCase() as keyof typeof decoders]
  // `compose` leaves an error of the decoder unhandled, which would end the process.
  const source: AsyncIterable<Buffer> = decoder ? pipeline(body, decoder(), () => undefined) : body
  let size = 0
  try {
    for await (const chunk of source) {
      size += chunk.length
      if (size > maxBytes)
        throw new EgressError('too_large', `The response is larger than ${maxBytes} bytes.`)
      yield chunk
    }
  } finally {
    // The connection of an abandoned response is closed, even if the response never ends.
    body.destroy()
  }
}

export const collect = async (chunks: AsyncIterable<Buffer>): Promise<Buffer> => {
  const collected: Buffer[] = []
  for await (const chunk of chunks) collected.push(chunk)
  return Buffer.concat(collected)
}
